// Tests: tests/chaos/several.test.ts
/** Connects this process with the others that receive for the installation (`workflows/capture/hand-over.ts`). */
import type { Database } from '../../adapters/database/database.ts'
import { keyOf } from '../../adapters/hand-over/messages.ts'
import { addressToDatabase, openPeers, type Peers } from '../../adapters/hand-over/peers.ts'
import type { LogLines } from '../../domain/ports.ts'
import { awakeNow } from '../../adapters/system/awake.ts'
import type { Capture } from '../../workflows/capture/capture.ts'
import { handingOver } from '../../workflows/capture/hand-over.ts'
import type { Settings } from '../settings/settings.ts'

export interface HandOverParts {
  settings: Pick<Settings, 'internalAddress'>
  /** The id of the installation. */
  installation: string
  jwtSecret: string
  database: Database
  /** Decides in this process. */
  capture: Capture
  /** A process that only hands over takes nothing from others. Null: it does neither. */
  role: 'receives' | 'hands over' | null
  /** Names this process to the operator. */
  process: string
  log: LogLines
  onFailure(error: unknown): void
  /** Counts what was handed over, and what was taken back from a lost owner. */
  onHandedOver(outcome: 'answered' | 'taken_back'): void
}

const FOREIGN = 'another receiving process has a different JWT_SECRET or version'

/** @returns capture that hands over to the owners of the accounts, and a function that ends it */
export const openHandOver = async (parts: HandOverParts): Promise<{ capture: Capture; close(): Promise<void> }> => {
  const { settings, database, capture, log, onFailure } = parts
  const given = settings.internalAddress
  if (given === 'off' || parts.role === null) return { capture, close: async () => {} }
  const addressed = parts.role === 'receives' ? (given ?? (await ownAddress(parts))) : null
  const open = (listenOn: typeof addressed): Promise<Peers> =>
    openPeers({
      database,
      key: keyOf(parts.installation, parts.jwtSecret),
      process: parts.process,
      listenOn,
      take: (arrivals, waitedMs) => capture.take(arrivals, waitedMs),
      onFailure,
      onPeer: (address, isThere) => log.info({ address }, isThere ? 'hand_over.found' : 'hand_over.lost'),
      onForeign: (address) => log.warn({ address, reason: FOREIGN }, 'hand_over.refused'),
    })
  const peers = await open(addressed).catch((error: unknown) => {
    if (given) throw new Error(`setting INTERNAL_ADDRESS: ${(error as Error).message}`)
    log.warn({ reason: (error as Error).message }, 'hand_over.cannot_listen')
    return open(null)
  })
  return { capture: handingOver(capture, peers.ownerOf, awakeNow, parts.onHandedOver), close: peers.close }
}

const ownAddress = async ({ database, log }: HandOverParts): Promise<{ host: string; port: number } | null> => {
  const host = await addressToDatabase(database)
  if (host === null) log.warn({}, 'hand_over.no_address')
  return host === null ? null : { host, port: 0 }
}
