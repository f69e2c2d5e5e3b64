// Tests: tests/e2e/browser/dashboard.test.ts
/** Whether this browser is logged in. The cookie itself is invisible to scripts, so the page requests the account. */
import { signal } from '@preact/signals'
import { QueryCache, QueryClient, queryOptions, useQuery, type Query } from '@tanstack/preact-query'
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

/** Hashes of queries that became stale while their answer was on its way. */
const outdated = new Set<string>()

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onSettled: (_answer, error, { queryHash, queryKey: [...queryKey] }) => {
      // A failed read is repeated anyway.
      if (outdated.delete(queryHash) && !error) void queries.invalidateQueries({ queryKey, exact: true })
    },
  }),
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

const underWay = (predicate: (query: Query) => boolean): Query[] =>
  queries.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' })

/** Queries whose key begins with one of these names; all: every query. */
export type Names = ReadonlySet<string> | 'all'

const named =
  (names: Names) =>
  ({ queryKey: [name] }: Query): boolean =>
    names === 'all' || names.has(String(name))

/** The shown data stays as it is. A screen that opens requests it again. */
export const makeStale = (names: Names): void => {
  void queries.invalidateQueries({ predicate: named(names), refetchType: 'none' })
}

/**
 * Asks again for what a change has made stale. An answer that is on its way may be older than the change, so it is asked for once more
 * afterwards. It is not cancelled: on a slow line no answer would arrive while payments do.
 */
export const askAgain = (names: Names): void => {
  const predicate = named(names)
  for (const { queryHash } of underWay(predicate)) outdated.add(queryHash)
  void queries.invalidateQueries({ predicate }, { cancelRefetch: false })
}

/** The same after an act, whose result somebody waits for: only a first answer is not cancelled. @returns when the answers are there */
export const askAtOnce = (names: readonly string[]): Promise<void> => {
  const predicate = ({ queryKey: [name] }: Query) => names.includes(String(name))
  for (const { queryHash, state } of underWay(predicate)) if (state.data === undefined) outdated.add(queryHash)
  // Also what another screen shows next.
  return queries.invalidateQueries({ predicate, refetchType: 'all' })
}

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
