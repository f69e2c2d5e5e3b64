/**
 * Collects what calls show about their endpoints and sends it to all workers: failures, as the breaker counts them, and
 * responses of endpoints that have failed before. The response of an endpoint without known failures is not reported,
 * so this costs nothing while all endpoints are healthy. The answer to an update says which endpoints must not be
 * called. The calls that wait for them are given back.
 */
import type { CallResult } from '../../domain/ports.ts'
import { askedToWait, DELIVERIES_TO_OPEN, FAILURES_TO_OPEN, saysOfEndpoint } from '../../domain/webhook/endpoint.ts'
import type { EndpointUpdate, EndpointState } from './endpoint-updates.ts'
import { BoundedMap } from '../support/bounded-map.ts'
import { Gather } from '../support/gather.ts'
import type { Claimed } from './queue.ts'

/** Milliseconds for which updates are collected. */
const APART_MS = 10
/** Owners may change their URLs for ever. */
const MOST_FAILED = 10_000

export interface EndpointsOptions {
  /** Sends updates to the other workers, and returns what all workers know together. */
  send: (updates: readonly EndpointUpdate[]) => Promise<EndpointState[]>
  /** Called with the answer to each update; with none if it failed. */
  onStates: (states: readonly EndpointState[]) => void
  /** The endpoint has failed often enough in this process alone. Further calls wait until the update is answered. */
  onFailing: (endpoint: { user_id: number; endpoint: string }) => void
  onError: (error: unknown) => void
}

export const openEndpoints = ({ onFailing, send, onStates, onError }: EndpointsOptions) => {
  let unsent = new Map<string, EndpointUpdate>()
  /** Endpoints that have failed here and have not answered since. One that is dropped is still `watched`, which the shared state says. */
  const failed = new BoundedMap<string, true>(MOST_FAILED)
  const gather: Gather<EndpointUpdate[]> = new Gather({
    apartMs: APART_MS,
    waitsFirst: true,
    keepsRunning: false,
    take: () => take(),
    handle: (updates) => sendUpdates(updates),
  })

  const note = (
    { user_id, transaction_id, rule_id, lane, endpoint: { name, watched } }: Claimed,
    result: CallResult,
  ): void => {
    const evidence = saysOfEndpoint(result)
    const wait = askedToWait(result)
    if (evidence === null) return
    const key = `${user_id} ${name}`
    const isRelevant = evidence === 'fails' || wait !== null || watched || lane === 'manual' || failed.has(key)
    if (!isRelevant) return
    let update = unsent.get(key)
    if (!update) {
      update = { user_id, endpoint: name, answered: false, failures: 0, failing: [], wait: null, byHand: false }
      unsent.set(key, update)
    }
    if (wait !== null) update.wait = Math.max(update.wait ?? 0, wait)
    if (evidence === 'fails') {
      failed.set(key, true)
      update.failures++
      const delivery = `${transaction_id}/${rule_id}`
      if (update.failing.length < DELIVERIES_TO_OPEN && !update.failing.includes(delivery))
        update.failing.push(delivery)
      if (update.failures >= FAILURES_TO_OPEN && update.failing.length >= DELIVERIES_TO_OPEN) onFailing(update)
    } else {
      failed.delete(key)
      Object.assign(update, { answered: true, failures: 0, failing: [] })
      if (lane === 'manual' && result.error === null) update.byHand = true
    }
    gather.added()
  }

  /** Sends the remaining updates. */
  const end = (): Promise<void> => gather.flush()

  const take = (): EndpointUpdate[] | null => {
    if (unsent.size === 0) return null
    const updates = [...unsent.values()]
    unsent = new Map()
    return updates
  }

  const sendUpdates = async (updates: readonly EndpointUpdate[]): Promise<void> => {
    try {
      onStates(await send(updates))
    } catch (error) {
      onError(error)
      onStates([])
    }
  }

  return { note, end }
}

export type Endpoints = ReturnType<typeof openEndpoints>
