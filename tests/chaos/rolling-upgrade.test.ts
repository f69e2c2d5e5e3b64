/**
 * The upgrade of docs/operate.md: processes of two versions run side by side while payments arrive. The newer version has changed read models.
 * Lists and deliveries go on, nothing is lost or sent twice, and the older version never rebuilds backwards.
 */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import {
  callApi,
  launchBaoco,
  nextVersion,
  readInstallation,
  removeDataFolder,
  type DataFolder,
  type Starting,
} from '../harness/baoco-process.ts'
import { newFolderWithCluster } from '../harness/copied-cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { showFigures } from '../harness/figures.ts'
import { freePorts } from '../harness/free-ports.ts'
import { freshDatabase } from '../harness/postgres.ts'
import { repetitions } from '../harness/repetitions.ts'
import type { RoleProcess } from '../harness/role-processes.ts'
import { secrets } from '../harness/servers.ts'
import type { Shop } from '../harness/shop.ts'
import { World } from '../harness/world.ts'

/** Milliseconds between payments. */
const PACE = repetitions(100, 250)
/** Payments at each step. */
const MORE = repetitions(8, 3)

describe('a rolling upgrade', function () {
  this.timeout(300_000)
  let world: World
  let database: Database
  let shop: Shop
  const accepted: number[] = []
  const failures: string[] = []
  const loading = new AbortController()
  let load: Promise<unknown>

  before(async () => {
    const { url, drop } = await freshDatabase()
    database = openDatabase(url, { poolSize: 2 })
    const servers = () => Promise.resolve({ env: { DATABASE_URL: url, ...secrets() }, close: drop })
    world = await World.open({ servers, roles: ['api', 'project', 'deliver'] })
    shop = await world.openShop()
    await world.addRule(shop)
    load = Promise.all([paying(), listing()])
  })
  after(async () => {
    loading.abort()
    await load
    await database?.close()
    await world?.close()
  })

  const paying = async (): Promise<void> => {
    for (let number = 1; !loading.signal.aborted; number++) {
      const id = await world.post(vietcombankText(number, `DH${number}`)).catch(() => null)
      if (id === null) failures.push(`payment ${number} was not accepted`)
      else accepted.push(id)
      await new Promise((resolve) => setTimeout(resolve, PACE))
    }
  }
  /** A list contains every transaction that was accepted before it was requested, within the time that a response waits for read models. */
  const listing = async (): Promise<void> => {
    while (!loading.signal.aborted) {
      const newest = accepted.at(-1)
      const isListed = async (): Promise<boolean> => {
        const { status } = await world.api('GET', '/api/transactions')
        if (status !== 200) failures.push(`a list answered ${status}`)
        return newest === undefined || (await world.api('GET', `/api/transactions/${newest}`)).status === 200
      }
      await eventually(isListed, { within: 8_000, what: `payment ${newest} in the lists` }).catch((error: Error) =>
        failures.push(error.message),
      )
      await new Promise((resolve) => setTimeout(resolve, PACE))
    }
  }
  const more = async (): Promise<void> => {
    const goal = accepted.length + MORE
    await eventually(() => accepted.length >= goal, { within: 60_000, what: 'more payments' })
    const [last] = accepted.slice(-1)
    await eventually(() => called().includes(last!), { what: `payment ${last} delivered` })
  }
  const called = (): number[] =>
    shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)
  const version = async (): Promise<string> =>
    (
      await database.query<{ version: string }>("SELECT version FROM read_model.checkpoint WHERE projector = 'main'")
    )[0]!.version
  const hasNewColumn = async (): Promise<boolean> =>
    (
      await database.query(
        `SELECT FROM information_schema.columns WHERE table_schema = 'read_model' AND table_name = 'transaction'
          AND column_name = 'added_in_the_next_version'`,
      )
    ).length > 0

  it('builds changed read models beside the old ones, switches when they have caught up, and never goes back', async () => {
    await more()
    const [oldApi, oldProject, oldDeliver] = ['api', 'project', 'deliver'].map(
      (role) => world.of(role as 'api')[0]!,
    ) as [RoleProcess, RoleProcess, RoleProcess]
    const before = await version()
    expect(await hasNewColumn()).to.equal(false)

    // The newer projector begins while the older one runs, and is ready when it has switched.
    const newProject = await world.launch('project', await nextVersion())
    expect(newProject.running.output()).to.include('projection.upgraded')
    const after = await version()
    expect(after).not.to.equal(before)
    expect(await hasNewColumn()).to.equal(true)
    await more()

    // An older process that starts now stands by.
    const late = await world.launch('project')
    await more()

    // The others are replaced one by one.
    await world.launch('deliver', await nextVersion())
    await oldDeliver.stop()
    await more()
    const newApi = await world.launch('api', await nextVersion())
    world.baoco = newApi.running
    await more()
    await Promise.all([oldApi.stop(), oldProject.stop()])
    for (const { role, running } of [oldApi, oldProject])
      expect(running.process.exitCode, `${role} ended by itself`).to.equal(0)
    await more()

    expect(failures).to.deep.equal([])

    // Only a projector of the older version is left, so lists stand still. Then one of the newer comes back.
    await newProject.stop()
    await eventually(() => late.running.output().includes('projection.newer'), { what: 'a standby' })
    expect(await version()).to.equal(after)
    newProject.start()
    await newProject.running.ready
    await more()
    loading.abort()
    await load

    expect(await version()).to.equal(after)
    expect(await hasNewColumn()).to.equal(true)
    const outputs = [oldApi, oldProject, oldDeliver, late, newProject, newApi].map(({ running }) => running.output())
    for (const output of outputs) expect(output).not.to.include('projection.rebuilding')
    expect(failures.filter((failure) => !/in the lists/.test(failure))).to.deep.equal([])
    await eventually(() => accepted.every((id) => called().includes(id)), {
      what: 'every payment delivered',
    })
    expect(
      called().toSorted((a, b) => a - b),
      'each payment delivered once',
    ).to.deep.equal(accepted.toSorted((a, b) => a - b))
    showFigures('Rolling upgrade with changed read models', `${accepted.length} accepted, each delivered once`)
  })
})

describe('an upgrade on one machine', () => {
  let dataFolder: DataFolder
  const running: Starting[] = []
  after(async () => {
    // The one that runs the database stops last.
    for (const each of running.toReversed()) await each.stop()
    await removeDataFolder(dataFolder)
  })

  it('is prepared beside the running version, so that the new one starts with its read models', async () => {
    dataFolder = await newFolderWithCluster()
    const settings = { RATE_LIMITS: 'off' }
    const old = launchBaoco(dataFolder, settings)
    running.push(old)
    await old.ready
    const { apiKey, personalUrl } = readInstallation(dataFolder, old.output())
    const pay = async (number: number): Promise<number> => {
      const response = await fetch(fromVietcombank(personalUrl), {
        method: 'POST',
        body: vietcombankText(number, `DH${number}`),
      })
      return ((await response.json()) as { data: { id: number } }).data.id
    }
    const isListed = (id: number) =>
      eventually(async () => (await callApi(old, apiKey, 'GET', `/api/transactions/${id}`)).status === 200, {
        what: `payment ${id} in the lists`,
      })
    const first = await pay(1)
    await isListed(first)

    const [port = 0] = await freePorts(1)
    const preparing = launchBaoco({ dataDir: dataFolder.dataDir, port }, settings, 'project', {
      program: await nextVersion(),
    })
    running.push(preparing)
    await preparing.ready
    expect(preparing.output()).to.include('projection.upgraded')
    const second = await pay(2)
    await isListed(second)
    await preparing.stop()
    await old.stop()

    const upgraded = launchBaoco(dataFolder, settings, 'serve', { program: await nextVersion() })
    running.push(upgraded)
    await upgraded.ready
    for (const id of [first, second, await pay(3)]) await isListed(id)
    expect(upgraded.output()).not.to.match(/projection\.(upgrading|rebuilding)/)
  })
})
