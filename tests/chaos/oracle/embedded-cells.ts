/** Faults of one process with the embedded database: a full disk, and a backup that is made and restored beside it, under load. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/embedded.ts'
import { silent } from '../../../adapters/telemetry/log-lines.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { missingTransactions } from '../../../workflows/lost-history.ts'
import { eventually } from '../../harness/eventually.ts'
import { mountSmallDisk } from '../../harness/small-disk.ts'
import { World } from '../../harness/world.ts'
import { openEndpoint } from './endpoint.ts'
import { Oracle, type Verdict } from './oracle.ts'

interface Scene {
  world: World
  oracle: Oracle
}

interface Cell {
  name: string
  /** Opens the world and what the cell needs besides it. */
  open(): Promise<{ world: World; cause(scene: Scene, turn: number): Promise<void>; close(): Promise<void> }>
}

/** Megabytes. Postgres' log alone may take a part of it. */
const SMALL = 384
/** Left free: less than new notifications need, and nothing, so that Postgres itself cannot write. */
const LEFT = [12, 0]
const FULL_MS = 2_000

const diskFull: Cell = {
  name: 'disk full',
  open: async () => {
    const disk = mountSmallDisk(SMALL)
    const world = await World.open({ prepare: async (dataFolder) => disk.hold(dataFolder) }).catch((error: unknown) => {
      disk.remove()
      throw error
    })
    return {
      world,
      cause: async (_scene, turn) => {
        disk.fill(LEFT[turn % LEFT.length]!)
        try {
          const isFull = async () => (await world.metric('baoco_disk_full')) === 1
          await eventually(isFull, { what: 'a disk that is reported as full' })
          await pause(FULL_MS)
        } finally {
          disk.clear()
        }
      },
      close: async () => {
        await world.close()
        disk.remove()
      },
    }
  },
}

/** @throws unless the copy has all of these transactions */
const expectAll = async (dataDir: string, transactions: readonly number[]): Promise<void> => {
  const { url, stop } = await openEmbeddedPostgres({ dataDir, log: silent })
  const store = await openPostgresEventStore({ url, parse: parseEvent })
  try {
    const missing = await missingTransactions(store, transactions)
    if (missing.length > 0) throw new Error(`the copy lacks ${missing.map(transactionStream).join(', ')}`)
  } finally {
    await store.close()
    await stop()
  }
}

const backedUp: Cell = {
  name: 'a backup is made and restored beside it',
  open: async () => {
    const world = await World.open()
    return {
      world,
      cause: async ({ oracle }) => {
        const folder = await mkdtemp(join(tmpdir(), 'baoco-copy-'))
        try {
          const before = oracle.transactions()
          await world.baocoCommand('backup', join(folder, 'file'))
          const dataDir = join(folder, 'restored')
          const env = { BAOCO_DATA_DIR: dataDir }
          await world.baocoCommandWith(env, 'restore', join(folder, 'file'))
          await world.baocoCommandWith(env, 'audit')
          await expectAll(dataDir, before)
        } finally {
          rmSync(folder, { recursive: true })
        }
      },
      close: () => world.close(),
    }
  },
}

export const embeddedCells: readonly Cell[] = [diskFull, backedUp]

/** How often a fault occurs, and the notifications per second. */
export interface EmbeddedForm {
  times: number
  perSecond: number
}

export interface EmbeddedResult extends Verdict {
  cell: string
}

/** Runs one cell under load. */
export const runEmbeddedCell = async (cell: Cell, { times, perSecond }: EmbeddedForm): Promise<EmbeddedResult> => {
  const { world, cause, close } = await cell.open()
  const oracle = new Oracle()
  const loading = new AbortController()
  const endpoint = await openEndpoint({
    name: 'the shop',
    api: (...call) => world.api(...call),
    answer: (_call, response) => (response.writeHead(200).end(), 'taken'),
  })
  const load = oracle.load(world.installation.personalUrl, perSecond, loading.signal)
  const moreAccepted = () => {
    const goal = oracle.accepted + perSecond
    return eventually(() => oracle.accepted >= goal, { within: 120_000, what: 'notifications accepted' })
  }
  try {
    await moreAccepted()
    for (let turn = 0; turn < times; turn++) {
      await cause({ world, oracle }, turn)
      await moreAccepted()
    }
    loading.abort()
    await load
    await oracle.settled([endpoint], 180_000)
    return { cell: cell.name, ...(await oracle.verdict([endpoint])) }
  } finally {
    loading.abort()
    await load
    await close()
    await endpoint.close()
  }
}
