/**
 * A scavenge removes hidden events from the server's disk. One runs at a time; after one that was stopped the next only
 * finishes the old one, so what was hidden in between is still there: it is done when the event that stood at a hidden place
 * is no longer found there. In a cluster every node needs its own; they have theirs one after the other, as each costs its node
 * some of its speed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { EventStoreDBClient, Position } from '@eventstore/db-client'
import { nodesOf, urlOfNode } from './cluster.ts'
import { Connection } from './connection.ts'

const POLL_MS = 200
const MOST_RUNS = 3

/** What the client has but does not offer: requests to the HTTP side of the server with its address and credentials. */
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

/** An event that was hidden for good, and where. */
export interface Hidden {
  id: string
  position: Position
}

interface Parts {
  /** Of `connection`. */
  url: string
  /** To the server, or to any node of a cluster. */
  connection: Connection
  /** A connection to another node, in the same way. */
  connect(url: string): Connection
}

/**
 * @param hidden  what must be gone afterwards, as far as known
 * @throws when a server refuses or is away, after all others have been done, or when the signal aborts
 */
export const scavenge = async (parts: Parts, hidden: readonly Hidden[], signal: AbortSignal): Promise<void> => {
  const { url, connection, connect } = parts
  const nodes = await nodesOf(connection)
  if (nodes.length === 0) return scavengeNode(connection, hidden, signal)
  const troubles: Error[] = []
  for (const { isAlive, ...node } of nodes)
    try {
      if (!isAlive) throw new Error('it is away')
      const own = connect(urlOfNode(url, node))
      await scavengeNode(own, hidden, signal).finally(() => own.close())
    } catch (cause) {
      if (signal.aborted) throw cause
      troubles.push(new Error(`${node.host}:${node.port}: ${(cause as Error).message}`, { cause }))
    }
  if (troubles.length > 0)
    throw new AggregateError(
      troubles,
      `not every node was scavenged: ${troubles.map(({ message }) => message).join('; ')}`,
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
      // Another runs, begun by somebody else, maybe before the last events were hidden: ours comes after it.
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
