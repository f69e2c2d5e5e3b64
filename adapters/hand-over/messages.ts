// Tests: tests/integration/hand-over/hand-over.test.ts
/**
 * The messages between processes, and their encryption: TLS with a key that is derived from the installation's secret (PSK). Both sides prove
 * that they have the key, and nobody else can read bank texts or tokens. A process of another release cannot connect, because its
 * notifications may have another form. A restored copy of the installation has the same secret, and the leases of the original. So both must
 * use the same database too: a process is let in when its lease is found there.
 */
import { hkdfSync } from 'node:crypto'
import type { TlsOptions } from 'node:tls'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { VERSION } from '../system/version.ts'

/** Answers are given in any order. `n` names the question. */
export type Question =
  | { n: number; arrivals: Arrival[]; waitedMs: number }
  | 'ping'
  /** The first one: the holder of the sender's lease, which the other side must find in its own database. */
  | { hello: string }
export type Answer =
  | { n: number; taken: Taken[] }
  /** Perhaps nothing was stored: the caller may send it again. */
  | { n: number; error: string }
  | 'pong'
  | 'welcome'
  /** This process stops and takes nothing new. */
  | 'bye'

/** Undoes what JSON does to an arrival. */
export const revived = (arrival: Arrival): Arrival => ({
  ...arrival,
  stamp: arrival.stamp && new Date(arrival.stamp),
  arrived_at: new Date(arrival.arrived_at),
})

export const IDENTITY = `baoco ${VERSION}`

export const TLS: Pick<TlsOptions, 'ciphers' | 'minVersion' | 'maxVersion'> = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
}

/** @param installation  the id of the installation · @param secret  known to all its processes, and to nobody else */
export const keyOf = (installation: string, secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, installation, 'baoco: notifications between processes', 32))
