/**
 * The event store goes back in time: an older backup is restored, or EventStoreDB loses its end; while Baoco runs, or before it starts.
 * These must hold: everything accepted afterwards is stored and delivered promptly; nothing is listed that does not exist; no id is used
 * twice; the operator learns what is missing.
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEventStoreDb } from '../../adapters/event-store/eventstoredb/store.ts'
import { unparsed } from '../../adapters/event-store/parse.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { startOwnStandIn } from '../harness/eventstoredb/process.ts'
import { showFigures } from '../harness/figures.ts'
import { needsKafka, sharedKafka } from '../harness/kafka/needs-kafka.ts'
import { startOwnPostgres } from '../harness/own-postgres.ts'
import type { RoleName } from '../harness/role-processes.ts'
import { secrets, type SetUp } from '../harness/servers.ts'
import type { Shop } from '../harness/shop.ts'
import { World } from '../harness/world.ts'

interface Restorable extends SetUp {
  /** Remembers the current state. @returns a function that puts it in place */
  backUp(): Promise<() => Promise<void>>
}

const onPostgres = async (): Promise<Restorable> => {
  const server = await startOwnPostgres()
  return { env: { DATABASE_URL: server.url(), ...secrets() }, backUp: server.backUp, close: server.remove }
}

/** The read models stay as they are. */
const onEventStoreDb = async (): Promise<Restorable> => {
  const [server, postgres] = await Promise.all([startOwnStandIn(), startOwnPostgres({ durable: false })])
  return {
    env: { EVENTSTORE_URL: server.url, DATABASE_URL: postgres.url(), ...secrets() },
    backUp: async () => {
      const store = await openEventStoreDb({ url: server.url, prefix: 'baoco.', parse: unparsed })
      const end = (await store.end())!
      await store.close()
      return () => server.putBack(end)
    },
    close: async () => void (await Promise.all([server.remove(), postgres.remove()])),
  }
}

/** Everything is in Postgres but the topic. */
const onPostgresWithKafka = async (): Promise<Restorable> => {
  const [servers, kafka] = await Promise.all([onPostgres(), sharedKafka()])
  return { ...servers, env: { ...servers.env, KAFKA_BROKERS: kafka.address, KAFKA_TOPIC: `test.${randomUUID()}` } }
}

/** Milliseconds. The queue would make a first attempt after a minute. */
const [PROMPT, LESS_THAN_THE_QUEUE] = [15_000, 50_000]

interface LogLine {
  msg: string
  missing_transactions?: number
  ids?: string[]
}

class Scene {
  readonly world: World<Restorable>
  readonly shop: Shop
  /** Milliseconds. A process begins again, which takes no longer than all processes took to start on this machine. */
  readonly #prompt: number
  #sent = 0
  /** The transactions that must be listed. */
  readonly existing = new Set<number>()
  #losses = 0

  private constructor(world: World<Restorable>, shop: Shop, startMs: number) {
    this.world = world
    this.shop = shop
    this.#prompt = Math.max(PROMPT, Math.min(startMs, LESS_THAN_THE_QUEUE))
  }

  static async open(servers: () => Promise<Restorable>, roles?: readonly RoleName[]): Promise<Scene> {
    const began = performance.now()
    const world = await World.open({ servers, ...(roles && { roles }) })
    const startMs = performance.now() - began
    const shop = await world.openShop()
    await world.addRule(shop)
    return new Scene(world, shop, startMs)
  }

  /** @returns the ids by the numbers of the notifications, each of which must be accepted */
  async post(count: number): Promise<Map<number, number>> {
    const accepted = new Map<number, number>()
    for (let n = 0; n < count; n++) {
      const number = ++this.#sent
      const id = await this.postAgain(number)
      expect(id, `notification ${number}`).to.be.a('number')
      accepted.set(number, id!)
    }
    return accepted
  }

  postAgain(number: number): Promise<number | null> {
    return this.world.post(vietcombankText(number, `DH${number}`))
  }

  /** Posts one notification until it is accepted, like a phone. */
  async accepts(): Promise<[number, number]> {
    const number = ++this.#sent
    const id = await eventually(() => this.postAgain(number).catch(() => null), {
      within: 60_000,
      what: 'an acceptance',
    })
    return [number, id]
  }

  async delivered(ids: Iterable<number>): Promise<void> {
    const wanted = [...ids]
    await eventually(
      () => {
        const called = new Set(
          this.shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id),
        )
        return wanted.every((id) => called.has(id))
      },
      { within: this.#prompt, what: 'every accepted notification delivered' },
    )
  }

  async listed(): Promise<number[]> {
    const ids: number[] = []
    for (let page = 1; ; page++) {
      const { body } = await this.world.api('GET', `/api/transactions?page=${page}`)
      const rows = body.data as { id: number }[]
      if (rows.length === 0) return ids.toSorted((a, b) => a - b)
      ids.push(...rows.map(({ id }) => id))
    }
  }

  lines(): LogLine[] {
    const outputs = [this.world.baoco, ...this.world.processes.all.map(({ running }) => running)]
    return [...new Set(outputs.map(({ output }) => output()))]
      .flatMap((output) => output.split('\n'))
      .filter((line) => line.includes('"store.went_back"'))
      .map((line) => JSON.parse(line) as LogLine)
  }

  async alerts(): Promise<{ kind: string; text: string }[]> {
    const { body } = await this.world.api('GET', '/api/alerts')
    return (body.data as { kind: string; text: string }[]).filter(({ kind }) => kind === 'store_went_back')
  }

  /** @param isRunning  Baoco runs while the older state is put in place; otherwise it is stopped */
  async goesBack(isRunning: boolean, where: string): Promise<void> {
    const { world, existing } = this
    const before = await this.post(8)
    await this.delivered(before.values())
    for (const id of before.values()) existing.add(id)
    const putBack = await world.servers.backUp()
    const [, again] = await this.accepts()
    const lost = await this.post(12)
    const gone = sorted([again], lost.values())
    await this.delivered(gone)
    if (!isRunning) await world.baoco.stop()
    await putBack()
    if (!isRunning) await world.start()

    const [, first] = await this.accepts()
    const later = await this.post(8)
    const anew = (await this.postAgain([...lost.keys()][0]!))!
    const accepted = sorted([first, anew], later.values())
    await this.delivered(accepted)
    expect(
      accepted.filter((id) => gone.includes(id) || existing.has(id)),
      'ids used twice',
    ).to.deep.equal([])
    for (const id of accepted) existing.add(id)
    await this.#lists(sorted(existing))
    await this.#isReported(gone, ++this.#losses)
    showFigures(
      `an older state of ${where}, put in place ${isRunning ? 'while Baoco runs' : 'before a start'}`,
      `${gone.length} transactions gone and all reported; ${accepted.length} accepted afterwards, 0 lost; 0 ids used twice`,
    )
  }

  /** An older copy of everything is put in place, and only the topic knows what came after it. */
  async goesBackBesideTopic(): Promise<void> {
    const { world } = this
    const before = await this.post(3)
    await this.delivered(before.values())
    await world.baoco.stop()
    const putBack = await world.servers.backUp()
    // This process takes a new block of ids, which the copy does not know.
    await world.start()
    const lost = await this.post(5)
    await this.delivered(lost.values())
    await world.baoco.stop()
    await putBack()
    await rm(join(world.installation.dataDir, 'store-memory'), { force: true })
    await world.start()
    const later = await this.post(3)
    await this.delivered(later.values())
    const gone = sorted(lost.values())
    expect(Math.min(...later.values()), 'an id above all that were used').to.be.greaterThan(Math.max(...gone))
    await this.#lists(sorted(before.values(), later.values()))
    await this.#isReported(gone, ++this.#losses)
    showFigures(
      'an older state of Postgres, which only the Kafka topic shows',
      `${gone.length} transactions gone and all reported; 0 ids used twice`,
    )
  }

  async #lists(existing: readonly number[]): Promise<void> {
    const isExact = async () => JSON.stringify(await this.listed()) === JSON.stringify(existing)
    await eventually(isExact, { within: this.#prompt, what: 'a list of exactly what exists' })
  }

  async #isReported(gone: readonly number[], losses: number): Promise<void> {
    const { missing_transactions, ids = [] } = this.lines().at(-1)!
    expect(missing_transactions).to.equal(gone.length)
    const alerts = await eventually(async () => {
      const alerts = await this.alerts()
      return alerts.length >= losses && alerts
    })
    expect(alerts).to.have.length(losses)
    const alert = alerts.find(({ text }) => ids.every((range) => text.includes(range)))
    expect(alert?.text).to.include(`${gone.length} known transaction${gone.length === 1 ? ' is' : 's are'} missing`)
  }
}

const sorted = (...some: readonly Iterable<number>[]): number[] =>
  some.flatMap((ids) => [...ids]).toSorted((a, b) => a - b)

describe('an event store that goes back in time', () => {
  let scene: Scene
  after(() => scene?.world.close())

  for (const [store, servers] of [
    ['Postgres', onPostgres],
    ['EventStoreDB', onEventStoreDb],
  ] as const) {
    it(`is noticed while Baoco runs, on ${store}`, async () => {
      await scene?.world.close()
      scene = await Scene.open(servers)
      await scene.goesBack(true, store)
    })

    it(`is noticed at a start, on ${store}`, () => scene.goesBack(false, store))
  }

  describe('beside a Kafka topic', () => {
    needsKafka()
    it('is noticed by the topic alone', async () => {
      await scene?.world.close()
      scene = await Scene.open(onPostgresWithKafka)
      await scene.goesBackBesideTopic()
    })
  })

  it('is noticed by every role of several processes', async () => {
    await scene?.world.close()
    scene = await Scene.open(onEventStoreDb, ['api', 'project', 'deliver', 'deliver'])
    await scene.goesBack(true, 'EventStoreDB under several processes')
  })
})
