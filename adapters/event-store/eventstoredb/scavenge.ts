// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * A scavenge removes hidden events from the server's disk. Only one runs at a time. A scavenge after one that was stopped or
 * killed only finishes the old one, so events that were hidden in between are still stored. So an event is hidden just before
 * a scavenge, and the scavenge is repeated until that event is gone from the server's log: then everything that any process
 * has hidden before is gone too. In a cluster every node needs its own scavenge. They run one after the other, because each
 * one slows its node down.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MS } from '../../../domain/time.ts'
import type { Answered } from '../until-answered.ts'
import { nodesOf, urlOfNode } from './cluster.ts'
import type { ServerParts } from './disk.ts'
import type { HiddenEvent } from './hidden-event.ts'
import { HttpRefused, request } from './http.ts'

const POLL_MS = 200
const MOST_RUNS = 3
/** How long a node of a cluster may take to receive an event (milliseconds). */
const REPLICATED_MS = 60_000

export interface ScavengeParts extends ServerParts {
  /** Retries for some minutes while a node that was being scavenged is unavailable. */
  answeredLater: Answered
  onRepeat: (reason: Error) => void
  signal: AbortSignal
}

/**
 * The server decides by its own clock what has expired, and a scavenge removes that for good. Events that seem to have expired because its clock
 * is wrong are visible again once it is corrected.
 * @throws if it is more than a day ahead of this process
 */
export const refuseClockAhead = ({ created }: Pick<HiddenEvent, 'created'>, now: Date): void => {
  const days = (created.getTime() - now.getTime()) / DAY_MS
  if (days > 1)
    throw new Error(
      `the clock of EventStoreDB is ${days.toFixed(1)} days ahead of this process: nothing is removed until they agree`,
    )
}

/**
 * @param hidden  an event that was hidden just before, after everything that must be gone afterwards
 * @throws if a server refuses or is unavailable (after all others are done), or when the signal aborts
 */
export const scavenge = async (parts: ScavengeParts, hidden: HiddenEvent): Promise<void> => {
  const { url, connection, connect, signal } = parts
  const nodes = await nodesOf(connection)
  if (nodes.length === 0) return scavengeNode(parts, hidden)
  const failures: Error[] = []
  for (const { isAlive, ...node } of nodes)
    try {
      if (!isAlive) throw new Error('it is away')
      const own = connect(urlOfNode(url, node))
      await scavengeNode({ ...parts, connection: own }, hidden).finally(() => own.close())
    } catch (cause) {
      if (signal.aborted) throw cause
      failures.push(new Error(`${node.host}:${node.port}: ${(cause as Error).message}`, { cause }))
    }
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `not every node was scavenged: ${failures.map(({ message }) => message).join('; ')}`,
    )
}

const scavengeNode = async (parts: ScavengeParts, hidden: HiddenEvent): Promise<void> => {
  for (let run = 1; run <= MOST_RUNS; run++) {
    await once(parts)
    if (await isGone(parts, hidden)) return
    if (run < MOST_RUNS)
      parts.onRepeat(new Error('the scavenge was stopped, or only finished an earlier one: it is repeated'))
  }
  throw new Error(`hidden events remain after ${MOST_RUNS} scavenges`)
}

const once = async (parts: ScavengeParts): Promise<void> => {
  for (;;)
    try {
      await parts.answered(() =>
        parts.connection.call((attempt) => request<unknown>(attempt, 'POST', '/admin/scavenge')),
      )
      await ended(parts)
      return
    } catch (error) {
      // Another scavenge runs, perhaps started before the last events were hidden. Ours starts after it.
      if (!(error instanceof HttpRefused) || error.status !== 400) throw error
      await ended(parts)
    }
}

/** Waits until no scavenge runs, even while the server restarts. */
const ended = async ({ connection, answeredLater, signal }: ScavengeParts): Promise<void> => {
  for (;;) {
    const { scavengeId } = await answeredLater(() =>
      connection.call((attempt) => request<{ scavengeId?: string }>(attempt, 'GET', '/admin/scavenge/current')),
    )
    if (!scavengeId) return
    await pause(POLL_MS, undefined, { signal })
  }
}

/** Whether another event is at the position of the hidden one. */
const isGone = async (
  { connection, answeredLater, signal }: ScavengeParts,
  { id, position }: HiddenEvent,
): Promise<boolean> => {
  const deadline = performance.now() + REPLICATED_MS
  for (;;) {
    const [found] = await answeredLater(() =>
      connection.call(async ({ client, checkWhole }) => {
        const ids: (string | undefined)[] = []
        for await (const { event } of client.readAll({ fromPosition: position, maxCount: 1 })) ids.push(event?.id)
        checkWhole()
        return ids
      }),
    )
    if (found !== undefined) return found !== id
    // The last event of its stream always remains. So if nothing is there, this node of a cluster has not received it yet.
    if (performance.now() > deadline) throw new Error('it does not receive the events of the others')
    await pause(POLL_MS, undefined, { signal })
  }
}
