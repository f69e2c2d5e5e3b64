/** The commands of docs/operate.md for your own Postgres, tried on Debian's: back up under load, restore beside it, check the copy. */
import { chownSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { namedUser } from '../../adapters/database/database-user.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { newDataFolder, removeDataFolder, startBaoco } from '../harness/baoco-process.ts'
import { commandInProcess } from '../harness/command-in-process.ts'
import { secrets } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { startStockPostgres, type StockDatabase, type StockPostgres } from '../harness/stock-postgres/server.ts'
import { World } from '../harness/world.ts'

/** Milliseconds between the payments that arrive during a backup. */
const PACE = 10

describe('a backup of your own Postgres', () => {
  needsStockPostgres()
  let postgres: StockPostgres
  let database: StockDatabase
  let world: World
  let folder: string
  let secretOfRule: string
  let sent = 0
  before(async () => {
    postgres = await startStockPostgres()
    database = await postgres.database()
    world = await World.open({
      servers: async () => ({ env: { DATABASE_URL: database.url(), ...secrets() }, close: () => postgres.remove() }),
    })
    folder = await mkdtemp(join(tmpdir(), 'baoco-dump-'))
    const user = process.getuid?.() === 0 ? namedUser('postgres') : undefined
    if (user) chownSync(folder, user.uid, user.gid)
    const rule = { name: 'shop', url: 'https://shop.example/hook', is_active: 0 }
    secretOfRule = ((await world.api('POST', '/api/webhooks', rule)).body.data as { secret_key: string }).secret_key
  })
  after(async () => {
    await world?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const pay = async (): Promise<number> => (await world.post(vietcombankText(++sent, `DH${sent}`)))!
  /** Runs the work while payments arrive. @returns the payments from before it */
  const underLoad = async (work: () => Promise<unknown>): Promise<number[]> => {
    const paid: number[] = []
    for (let n = 0; n < 5; n++) paid.push(await pay())
    let isOver = false
    const load = (async () => {
      for (; !isOver; await pause(PACE)) await pay()
    })()
    await work().finally(() => (isOver = true))
    await load
    return paid
  }
  const baoco = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await commandInProcess(args, { PATH: process.env.PATH, ...world.env, ...env })
    expect(status, stdout + stderr).to.equal(0)
    return stdout
  }

  /** Audits the copy, starts it, compares its read models with its events, and looks for what was paid before the backup. */
  const check = async (url: string, paid: readonly number[]): Promise<void> => {
    const env = { DATABASE_URL: url }
    await baoco(env, 'audit')
    const dataFolder = await newDataFolder()
    const copy = await startBaoco(dataFolder, { ...world.env, ...env, ID_SKIP: '1000000' })
    try {
      const ask = async (path: string) =>
        fetch(copy.baseUrl + path, { headers: { 'x-api-key': world.installation.apiKey } })
      for (const id of paid) expect((await ask(`/api/transactions/${id}`)).status).to.equal(200)
      const { data } = (await (await ask('/api/webhooks')).json()) as { data: { secret_key: string }[] }
      expect(data[0]!.secret_key).to.equal(secretOfRule)
      expect(await baoco(env, 'replay', '--verify')).to.contain('every row matches the rebuilt one')
      expect(await world.post(vietcombankText(++sent, `DH${sent}`), copy)).to.be.above(1_000_000)
    } finally {
      await copy.stop()
      await removeDataFolder(dataFolder)
    }
  }

  it('with pg_dump under load is restored into a new database, and the copy is whole', async () => {
    const file = join(folder, 'baoco.dump')
    const paid = await underLoad(() =>
      postgres.program('pg_dump', ['--format=custom', '--no-owner', `--file=${file}`], database.name),
    )
    const copy = `${database.name}_copy`
    await postgres.administer(`CREATE DATABASE ${copy} OWNER ${database.name}`)
    await postgres.program('pg_restore', [
      '--no-owner',
      '--exit-on-error',
      `--role=${database.name}`,
      `--dbname=${copy}`,
      file,
    ])
    await check(database.url(undefined, copy), paid)
  })

  it('with pg_basebackup under load starts as a second server, and the copy is whole', async () => {
    let copy: StockPostgres | undefined
    const paid = await underLoad(async () => (copy = await startStockPostgres({ copyOf: postgres })))
    try {
      await check(database.url(copy!.port), paid)
    } finally {
      await copy!.remove()
    }
  })
})
