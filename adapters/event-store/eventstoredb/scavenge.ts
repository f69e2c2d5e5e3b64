// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * A scavenge removes hidden events from the server's disk. Only one runs at a time. A scavenge after a stopped one only
 * finishes the old one, so events that were hidden in between are still stored. So a scavenge counts as done only when the
 * event at a hidden position is no longer found there. In a cluster every node needs its own scavenge. They run one after the
 * other, because each one slows its node down.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { EventStoreDBClient, Position } from '@eventstore/db-client'
import { nodesOf, urlOfNode } from './cluster.ts'
import { Connection } from './connection.ts'

const POLL_MS = 200
const MOST_RUNS = 3

/**
 * An internal method of the client: it sends requests to the server's HTTP side with the client's address and credentials.
 */
interface Inside {
  HTTPRequest<Answer>(
    method: 'GET' | 'POST',
    path: string,
    options: { headers: Record<string, string>; transformError(code: number, message: string): Error },
  ): Promise<Answer>
}

class HttpRefused extends Error {
  override name = 'HttpRefused'
  readonly status: number
  constructor(path: string, status: number, message: string) {
    super(`${path}: ${status} ${message}`)
    this.status = status
  }
}

const request = <Answer>(client: EventStoreDBClient, method: 'GET' | 'POST', path: string): Promise<Answer> =>
  (client as unknown as Inside).HTTPRequest<Answer>(method, path, {
    headers: { accept: 'application/json' },
    transformError: (status, message) => new HttpRefused(path, status, message),
  })

/** An event that was hidden permanently, and its position. */
export interface Hidden {
  id: string
  position: Position
}

interface Parts {
  /** The URL of `connection`. */
  url: string
  /** A connection to the server, or to any node of a cluster. */
  connection: Connection
  /** Opens a connection to another node with the same options. */
  connect(url: string): Connection
}

/**
 * @param hidden  events that must be gone afterwards, as far as known
 * @throws if a server refuses or is unavailable (after all others are done), or when the signal aborts
 */
export const scavenge = async (parts: Parts, hidden: readonly Hidden[], signal: AbortSignal): Promise<void> => {
  const { url, connection, connect } = parts
  const nodes = await nodesOf(connection)
  if (nodes.length === 0) return scavengeNode(connection, hidden, signal)
  const failures: Error[] = []
  for (const { isAlive, ...node } of nodes)
    try {
      if (!isAlive) throw new Error('it is away')
      const own = connect(urlOfNode(url, node))
      await scavengeNode(own, hidden, signal).finally(() => own.close())
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

const scavengeNode = async (connection: Connection, hidden: readonly Hidden[], signal: AbortSignal): Promise<void> => {
  for (let run = 0; run < MOST_RUNS; run++) {
    await once(connection, signal)
    if (await isGone(connection, hidden)) return
  }
  throw new Error(`hidden events remain after ${MOST_RUNS} scavenges`)
}

const once = async (connection: Connection, signal: AbortSignal): Promise<void> => {
  for (;;) {
    const { client } = await connection.link()
    try {
      await request(client, 'POST', '/admin/scavenge')
      await ended(connection, signal)
      return
    } catch (error) {
      // Another scavenge runs, perhaps started before the last events were hidden. Ours starts after it.
      if (!(error instanceof HttpRefused) || error.status !== 400) throw error
      await ended(connection, signal)
    }
  }
}

const ended = async (connection: Connection, signal: AbortSignal): Promise<void> => {
  for (;;) {
    const { client } = await connection.link()
    const { scavengeId } = await request<{ scavengeId?: string }>(client, 'GET', '/admin/scavenge/current')
    if (!scavengeId) return
    await pause(POLL_MS, undefined, { signal })
  }
}

const isGone = async (connection: Connection, hidden: readonly Hidden[]): Promise<boolean> => {
  for (const { id, position } of hidden) {
    const found = await connection.call(async ({ client, checkWhole }) => {
      const ids: (string | undefined)[] = []
      for await (const { event } of client.readAll({ fromPosition: position, maxCount: 1 })) ids.push(event?.id)
      checkWhole()
      return ids
    })
    if (found.includes(id)) return false
  }
  return true
}
