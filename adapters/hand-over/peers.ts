// Tests: tests/integration/hand-over/hand-over.test.ts
/**
 * The processes that receive for this installation. Each holds a lease in Postgres that contains its internal address, so the others can find it.
 * An open connection shows that a process runs. So an outage of Postgres changes nothing, and a process that ends or freezes is left out at once,
 * long before its lease ends.
 */
import { randomUUID } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import { ownerAmong, type Owner } from '../../workflows/capture/hand-over.ts'
import type { Database } from '../database/database.ts'
import { isOver } from '../database/lease.ts'
import { Peer } from './peer.ts'
import { listenForPeers, type PeerServer } from './server.ts'

const LASTS_S = 10
const LOOK_EVERY_MS = 1_000
/** While there is no other process. A new one makes itself known by connecting. */
const LOOK_ALONE_MS = 3_000
/** Longest wait at the start for the connections to the others, milliseconds. */
const FIRST_MS = 500
const QUERY_MS = 3_000

/** Renews this process's lease and finds the other processes. A process that can listen on an address owns that address, whatever a lease says. */
const LOOK = `
WITH kept AS (
  INSERT INTO ops.lease (name, holder, expires_at, process) VALUES ($1, $2, now() + make_interval(secs => $3), $4)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at, process = excluded.process)
SELECT name, holder FROM ops.lease l WHERE name LIKE 'receive %' AND holder <> $2 AND name <> $1 AND NOT ${isOver('$3')}`

const KNOWN = 'SELECT count(*)::integer AS known FROM ops.lease WHERE holder = $1'

/** Processes that were killed leave their leases behind. */
const FORGET = `
DELETE FROM ops.lease WHERE (name LIKE 'receive %' OR name LIKE 'hand over %') AND expires_at < now() - interval '1 day'`

export interface PeersOptions {
  database: Database
  key: Buffer
  /** Names this process to the operator. */
  process: string
  /** Where this process listens; null: it takes nothing from others. */
  listenOn: { host: string; port: number } | null
  /** Decides here what another process hands over. */
  take(arrivals: readonly Arrival[], waitedMs: number): Promise<Taken[]>
  onFailure(error: unknown): void
  /** Another process was found, or was lost. */
  onPeer?(address: string, isThere: boolean): void
  /** Another process has another key, so neither hands anything over to the other. */
  onForeign?(address: string): void
}

export interface Peers {
  /** The process that owns an account; null if it is this one. */
  ownerOf(userId: number): Owner | null
  close(): Promise<void>
}

interface Address {
  host: string
  port: number
}

/** The address of a lease. Null if it is another machine's own. */
const addressIn = (name: string): Address | null => {
  const [, host = '', port = '', machine] = name.split(' ')
  const isLoopback = host === '::1' || host.startsWith('127.')
  return isLoopback && machine !== hostname() ? null : { host, port: Number(port) }
}

/** The first 32 bits of its id. */
const numberOf = (holder: string): number => Number.parseInt(holder.slice(0, 8), 16)

/** The address of this machine that reaches the database, and so the machines beside it. Null if the database sees another one. */
export const addressToDatabase = async (database: Pick<Database, 'query'>): Promise<string | null> => {
  const [row] = await database.query<{ host: string | null }>('SELECT host(inet_client_addr()) AS host')
  const host = row?.host ?? '127.0.0.1'
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
  return own.includes(host) ? host : null
}

export const openPeers = async (options: PeersOptions): Promise<Peers> => {
  const { key, listenOn, take, onFailure, onPeer = () => {}, onForeign = () => {} } = options
  const database = options.database.within(QUERY_MS)
  const id = randomUUID()
  const peers = new Map<string, Peer>()
  /** Processes whose loss was reported. It is not reported again while they do not take this one in, which is tried every second. */
  const lost = new Set<string>()
  const closing = new AbortController()
  let server: PeerServer | null = null
  let lookNow = new AbortController()

  const meet = (holder: string, address: Address): void => {
    const shown = `${address.host} ${address.port}`
    const peer: Peer = new Peer({ ...address, key, holder: id }, () => {
      peers.delete(holder)
      if (!peer.wasReady && lost.has(holder)) return
      lost.add(holder)
      if (peer.isForeign) onForeign(shown)
      else onPeer(shown, false)
    })
    peers.set(holder, peer)
    void peer.settled.then(() => peer.isReady && onPeer(shown, true))
  }

  const look = async (): Promise<void> => {
    const name = server && listenOn ? `receive ${listenOn.host} ${server.port} ${hostname()}` : `hand over ${id}`
    const values = [name, id, LASTS_S, options.process]
    const others = await database.query<{ name: string; holder: string }>(LOOK, values, 'hand-over-look')
    for (const { name, holder } of others) {
      const address = addressIn(name)
      if (address && !peers.has(holder) && !closing.signal.aborted) meet(holder, address)
    }
  }

  const keepLooking = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      lookNow = new AbortController()
      const either = AbortSignal.any([closing.signal, lookNow.signal])
      await waitUnlessAborted(peers.size > 0 ? LOOK_EVERY_MS : LOOK_ALONE_MS, either)
      if (!closing.signal.aborted) await look().catch(onFailure)
    }
  }

  const isKnown = async (holder: string): Promise<boolean> =>
    (await database.query<{ known: number }>(KNOWN, [holder], 'hand-over-known'))[0]!.known > 0
  if (listenOn) server = await listenForPeers({ ...listenOn, key, take, isKnown, onPeer: () => lookNow.abort() })
  await look().catch(onFailure)
  await database.query(FORGET).catch(onFailure)
  const met = Promise.all([...peers.values()].map(({ settled }) => settled))
  await Promise.race([met, waitUnlessAborted(FIRST_MS, closing.signal)])
  const looking = keepLooking()

  return {
    ownerOf: (userId) => {
      if (peers.size === 0) return null
      const byNumber = new Map<number, Peer>()
      for (const [holder, peer] of peers) if (peer.isReady) byNumber.set(numberOf(holder), peer)
      return byNumber.get(ownerAmong(userId, server ? [...byNumber.keys(), numberOf(id)] : byNumber.keys())) ?? null
    },
    close: async () => {
      closing.abort()
      await looking
      await database.query('DELETE FROM ops.lease WHERE holder = $1', [id]).catch(onFailure)
      await server?.close()
      for (const peer of peers.values()) peer.close()
    },
  }
}
