// Tests: tests/e2e/browser/dashboard.test.ts
/** Transactions that have not reached the shop, for the screen about them and for Today. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { Undelivered } from '../api/types.ts'
import { refetchAfter } from '../app/session.ts'

/** An attempt that fails causes no message about the transaction, which still waits. */
const REFETCH_MS = 30_000

const read = (filter: { status?: string }, signal: AbortSignal) =>
  getData<Undelivered>('/api/undelivered', filter, signal)

/** @param filter  that of the screen. Delivered transactions have no groups */
export const useUndelivered = (filter: { status?: string }) =>
  useQuery({
    queryKey: ['undelivered', filter],
    queryFn: ({ signal }) => read(filter, signal),
    enabled: filter.status !== 'success',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refetchAfter(state.error, REFETCH_MS),
  })

/**
 * The waiting deliveries, for Today. They are not requested again with each payment, as the screen is: after hours of an outage the answer
 * costs the server half a second.
 */
export const useWaiting = () =>
  useQuery({
    queryKey: ['waiting'],
    queryFn: ({ signal }) => read({ status: 'pending' }, signal),
    refetchInterval: ({ state }) => refetchAfter(state.error, REFETCH_MS),
  })
