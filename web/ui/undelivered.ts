// Tests: tests/e2e/browser/dashboard.test.ts
/** What has not reached the shop, for the screen about it and for Today. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { Undelivered } from '../api/types.ts'
import { refetchAfter } from '../app/session.ts'

/** An attempt that fails causes no message about the transaction, which still waits. */
const REFETCH_MS = 30_000

/** @param filter  that of the screen. Delivered transactions have no groups */
export const useUndelivered = (filter: { status?: string }) =>
  useQuery({
    queryKey: ['undelivered', filter],
    queryFn: ({ signal }) => getData<Undelivered>('/api/undelivered', filter, signal),
    enabled: filter.status !== 'success',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refetchAfter(state.error, REFETCH_MS),
  })
