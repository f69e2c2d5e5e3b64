// Tests: tests/e2e/browser/dashboard.test.ts
/** Whether this browser is logged in. The cookie itself is invisible to scripts, so the page requests the account. */
import { signal } from '@preact/signals'
import { QueryClient, queryOptions, useQuery } from '@tanstack/preact-query'
import { ApiError, getData, UNEXPECTED } from '../api/client.ts'
import type { Account } from '../api/types.ts'

/** The same call may succeed later. */
export const isTemporary = (error: Error | null): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || error.status >= 500 || error.status === 429 || error.code === UNEXPECTED)
const AFTER_ERROR_MS = 5_000
/** Milliseconds that the server asks somebody to wait who has asked too often. A moment more, as its second may end later than ours. */
const waitOf = (error: Error | null): number =>
  error instanceof ApiError && error.status === 429 && error.wait > 0
    ? Math.min(error.wait * 1_000 + 500, LONGEST_WAIT_MS)
    : 0
const LONGEST_WAIT_MS = 600_000

/**
 * The message about a change comes once. If the answer failed then, it is requested until it comes.
 * @param usual  milliseconds until it is otherwise requested again; false: not by itself
 */
export const refetchAfter = (error: Error | null, usual: number | false = false): number | false =>
  isTemporary(error) ? Math.max(waitOf(error), Math.min(usual || AFTER_ERROR_MS, AFTER_ERROR_MS)) : usual

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => isTemporary(error) && waitOf(error) === 0 && count < 2,
      refetchOnWindowFocus: true,
      // A server on the same machine answers without a network too, so the browser's opinion of the network does not count.
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchInterval: ({ state }) => refetchAfter(state.error),
    },
  },
})

export const ACCOUNT_QUERY = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => getData<Account>('/api/account', {}, signal),
  staleTime: 60_000,
})
export const useAccount = () => useQuery(ACCOUNT_QUERY)

/** Whether payments of this month wait before they are sent. */
export const isOverQuota = ({ usage: { transactions, limit } }: Account): boolean =>
  limit !== null && transactions >= limit

/** How often somebody has logged in on this page. */
export const logins = signal(0)
export const loggedInAgain = (): void => void logins.value++

export const isLoggedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401
