/**
 * Every role as processes of its own, two of each, on EventStoreDB, Kafka and Postgres, and what may befall them: kill -9 of each in
 * turn under load, a frozen one that wakes, servers that go away. What must hold throughout: what was answered with 2xx, and
 * every mail in the mailbox, is there once, as it was sent, and reached the shop; a call that was made twice was a claim
 * whose attempt was not recorded when its worker was killed.
 */
import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { openEventStore } from '../../cmd/open-event-store.ts'
import { readSettings } from '../../cmd/settings.ts'
import { callApi, newPlace, readInstallation, type Installation } from '../support/baoco-process.ts'
import { vietcombankText } from '../support/bank-texts.ts'
import { needsDovecot } from '../support/dovecot/install.ts'
import { eventually } from '../support/eventually.ts'
import { needsKafka } from '../support/kafka/needs-kafka.ts'
import { OPEN_CLAIMS, roleProcesses, ROLES, type RoleName, type RoleProcess } from '../support/role-processes.ts'
import { startServers, type Servers } from '../support/servers.ts'
import { openShop, status, type Shop } from '../support/shop.ts'
import { Mailbox } from './mailbox.ts'

/** All of them: mails are collected beside the rest. */
const EVERY_ROLE = [...ROLES, 'collect'] as const

const KILLS_OF_EACH = 10
const SENDERS = 3
/** So that the test's own load does not make it wait for itself. */
const BETWEEN_POSTS_MS = 60

/** Rounds in which a delivery process is killed with calls under way, and a collector with mails, for certain; in the others as it comes. */
const IN_THE_MIDDLE = 3
const MAILS_A_ROUND = 15

/** As it is called where the settings name none. */
const TOPIC = 'baoco.transactions'

interface Sent {
  text: string
  amount: string
  orderId: string
}

describe('roles as processes, on EventStoreDB, Kafka and Postgres', function () {
  this.timeout(600_000)
  needsKafka()
  needsDovecot()

  let servers: Servers
  let processes: ReturnType<typeof roleProcesses>
  let shop: Shop
  let mailbox: Mailbox
  let installation: Installation
  const pairs = {} as Record<RoleName, RoleProcess[]>
  /** By id, of those that were answered with 2xx. */
  const accepted = new Map<number, Sent>()
  let numbers = 0
  /** Of each delivery process, under which name it claims. */
  const workers = new Map<RoleProcess, string>()
  /** What killed workers had claimed, recorded or not: `transaction attempt`, and when. */
  const claimedAtKill: { call: string; at: number }[] = []

  // --- what the tests do ---------------------------------------------------------------------------------------------

  const next = (): Sent => {
    const number = ++numbers
    const amount = 100_000 + number
    const orderId = `DH${10_000 + number}`
    return { text: vietcombankText(number, orderId, { amount }), amount: `${amount}.00`, orderId }
  }

  /** @returns the id, or null where it was not answered with 2xx */
  const post = async (api: RoleProcess, { text }: Sent): Promise<number | null> => {
    const url = new URL(installation.personalUrl)
    url.port = new URL(api.running.baseUrl).port
    try {
      const response = await fetch(url, { method: 'POST', body: text })
      const { data } = (await response.json()) as { data?: { id?: number } }
      return response.ok ? (data?.id ?? null) : null
    } catch {
      return null
    }
  }

  /** As a phone does: the same again, to whichever answers, until it is accepted. */
  const postUntilAccepted = async (sent: Sent): Promise<void> => {
    for (let tries = numbers; ; tries++) {
      const id = await post(pairs.api[tries % 2]!, sent)
      if (id !== null) return void accepted.set(id, sent)
      await pause(50)
    }
  }

  const underLoad = async (work: () => Promise<void>): Promise<void> => {
    let isOver = false
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!isOver) {
        await postUntilAccepted(next())
        await pause(BETWEEN_POSTS_MS)
      }
    })
    try {
      await work()
    } finally {
      isOver = true
      await Promise.all(senders)
    }
  }

  const withStore = async <Result>(look: (store: Awaited<ReturnType<typeof openEventStore>>) => Promise<Result>) => {
    const store = await openEventStore(readSettings(servers.env), servers.env.DATABASE_URL!)
    return look(store).finally(() => store.close())
  }

  /** Remembers the name of a delivery process that has just been started, the only new one. */
  const learnWorker = async (process: RoleProcess): Promise<void> => {
    await process.running.ready
    const rows = () => servers.database.query<{ worker: string }>('SELECT worker FROM ops.worker')
    const fresh = await eventually(async () => (await rows()).find(({ worker }) => !known.has(worker)))
    known.add(fresh.worker)
    workers.set(process, fresh.worker)
  }
  const known = new Set<string>()
  let learning: Promise<void> = Promise.resolve()

  const hasOpenClaims = async (process: RoleProcess): Promise<boolean> => {
    const [row] = await servers.database.query<{ open: number }>(OPEN_CLAIMS, [workers.get(process)])
    return row!.open > 0
  }

  /** Whichever has claimed something that is not recorded: all first tries of one user are one partition's, so one process's. */
  const busyWorker = (): Promise<RoleProcess> =>
    eventually(
      async () => {
        for (const process of pairs.deliver) if (await hasOpenClaims(process)) return process
        return null
      },
      { within: 60_000, what: 'a worker with calls under way' },
    )

  /** Mails come in, and one that collects is killed. @param inTheMiddle  the one that reads the mailbox, when it has taken the first */
  const killCollector = async (victim: RoleProcess, inTheMiddle: boolean): Promise<void> => {
    const reads = async () => {
      const told = await Promise.all(pairs.collect.map((process) => process.metrics().catch(() => '')))
      return pairs.collect.find((_, index) => told[index]!.includes('\nbaoco_mailboxes_held 1\n'))
    }
    const reader = inTheMiddle && (await eventually(reads, { within: 60_000, what: 'one that reads the mailbox' }))
    const taken = async (process: RoleProcess) => /^baoco_notifications_total.*/m.exec(await process.metrics())?.[0]
    const before = reader && (await taken(reader))
    await mailbox.receive(MAILS_A_ROUND)
    if (reader) await eventually(async () => (await taken(reader)) !== before, { within: 60_000, what: 'a taken mail' })
    await (reader || victim).replace()
  }

  const killWorker = async (choose: () => RoleProcess | Promise<RoleProcess>): Promise<void> => {
    await learning
    const process = await choose()
    await process.kill()
    const at = Date.now()
    const claims = await servers.database.query<{ transaction_id: number; attempt: number }>(
      'SELECT transaction_id, attempt FROM ops.claim WHERE worker = $1',
      [workers.get(process)],
    )
    claimedAtKill.push(...claims.map(({ transaction_id, attempt }) => ({ call: `${transaction_id} ${attempt}`, at })))
    process.start()
    learning = learnWorker(process)
    learning.catch(() => {})
  }

  // --- what must hold ------------------------------------------------------------------------------------------------

  const callsOf = () =>
    shop.calls.map((call) => ({
      ...(JSON.parse(call.body) as { transaction_id: number; amount: string; order_id: string }),
      attempt: call.headers['x-webhook-attempt'],
    }))

  const allDelivered = () =>
    eventually(
      () => {
        const reached = new Set(callsOf().flatMap(({ transaction_id, order_id }) => [transaction_id, order_id]))
        const missing = [...accepted.keys(), ...mailbox.mailed.keys()].filter((each) => !reached.has(each))
        if (missing.length > 0)
          throw new Error(`${missing.length} not delivered, such as ${missing.slice(0, 5).join()}`)
        return true
      },
      { within: 120_000, what: 'every accepted notification and every mail delivered' },
    )

  const nothingIsLostOrAltered = async (): Promise<void> => {
    await allDelivered()
    for (const { transaction_id, amount, order_id } of callsOf()) {
      const sent = accepted.get(transaction_id) ?? { orderId: order_id, amount: mailbox.mailed.get(order_id) }
      expect({ amount, order_id }, `transaction ${transaction_id}`).to.deep.equal({ amount: sent.amount, order_id: sent.orderId }) // prettier-ignore
    }
    const captured = await withStore(async (store) =>
      (await store.readAll(null, 1_000_000)).filter(({ type }) => type === 'TransactionCaptured'),
    )
    const pending = captured.filter(({ data }) => (data as { webhook_status: string }).webhook_status === 'pending')
    expect(pending.map(({ data }) => (data as { transaction_id: number }).transaction_id).sort(), 'each is there once').to.deep.equal([...accepted.keys(), ...mailbox.expectEachOnce(captured)].sort()) // prettier-ignore
  }

  /** `transaction attempt` of calls that the shop got again. There is one rule. */
  const repeatedCalls = (): string[] => {
    const seen = new Set<string>()
    return callsOf()
      .map(({ transaction_id, attempt }) => `${transaction_id} ${attempt}`)
      .filter((call) => seen.size === seen.add(call).size)
  }

  /** Of what killed workers had claimed, that whose attempt was not recorded by then. */
  const openAtKill = (): Promise<Set<string>> =>
    withStore(async (store) => {
      const recorded = new Map<string, number>()
      for (const { type, data, metadata } of await store.readAll(null, 1_000_000)) {
        const { transaction_id, attempt } = data as { transaction_id: number; attempt: number }
        if (type === 'WebhookAttempted') recorded.set(`${transaction_id} ${attempt}`, Date.parse(metadata.at))
      }
      const open = claimedAtKill.filter(({ call, at }) => (recorded.get(call) ?? Infinity) > at)
      return new Set(open.map(({ call }) => call))
    })

  const readModelsAreAsRebuilt = async (): Promise<void> => {
    const { stdout } = await promisify(exec)(`${process.execPath} cmd/baoco.mjs replay --verify`, {
      env: { PATH: process.env.PATH, BAOCO_DATA_DIR: (await newPlace()).dataDir, ...servers.env },
    })
    expect(stdout).to.contain('every row is as it would be built anew')
  }

  before(async function () {
    this.timeout(300_000)
    ;[servers, shop, mailbox] = await Promise.all([startServers(), openShop(), Mailbox.open()])
    processes = roleProcesses({
      ...servers.env,
      ALLOW_PRIVATE_TARGETS: '1',
      RATE_LIMITS: 'off',
      RETRY_SCHEDULE: '1,1,1,1,1,1',
    })
    for (const role of EVERY_ROLE) pairs[role] = [await processes.launch(role)]
    await learnWorker(pairs.deliver[0]!)
    for (const role of EVERY_ROLE) pairs[role].push(await processes.launch(role))
    await learnWorker(pairs.deliver[1]!)
    await Promise.all(processes.all.map(({ running }) => running.ready))
    const first = pairs.api.find(({ running }) => running.output().includes('API key'))!
    installation = readInstallation(first.place, first.running.output())
    const rule = await callApi(first.running, installation.apiKey, 'POST', '/api/webhooks', { name: 'shop', url: shop.url }) // prettier-ignore
    expect(rule.status).to.equal(201)
    await mailbox.connect(first.running, installation.apiKey)
  })

  after(async () => {
    await processes?.close()
    await shop?.close()
    await mailbox?.close()
    await servers?.close()
  })

  it('agree on one first account, and each says what it needs', async () => {
    const printed = pairs.api.filter(({ running }) => running.output().includes('API key'))
    expect(printed).to.have.length(1)
    const partsOf = async (role: RoleName) => {
      const { status, parts } = await eventually(async () => {
        const health = await pairs[role][0]!.health()
        return Object.values(health.parts).every((state) => state === 'ok') && health
      })
      expect(status).to.equal(200)
      return Object.keys(parts)
    }
    expect(await partsOf('api')).to.have.members(['event_store', 'read_models'])
    expect(await partsOf('project')).to.have.members(['event_store', 'database', 'read_models'])
    expect(await partsOf('relay')).to.have.members(['event_store', 'database', 'kafka'])
    expect(await partsOf('deliver')).to.have.members(['event_store', 'database', 'log'])
    expect(await partsOf('collect')).to.have.members(['event_store', 'database'])
  })

  it('take one notification given to two of them in the same millisecond as one, 1,000 times', async () => {
    const together = async (): Promise<void> => {
      const sent = next()
      const [one, other] = await Promise.all(pairs.api.map((api) => post(api, sent)))
      expect(one).to.be.a('number')
      expect(other).to.equal(one)
      accepted.set(one!, sent)
    }
    for (let wave = 0; wave < 40; wave++) await Promise.all(Array.from({ length: 25 }, together))
    expect(accepted.size).to.equal(1_000)
    await nothingIsLostOrAltered()
    expect(repeatedCalls()).to.deep.equal([])
  })

  it(`lose nothing and alter nothing over ${KILLS_OF_EACH} kills of each under load, and repeat at most the open claims`, async () => {
    // So that a worker that is killed has calls under way.
    shop.answer((_call, response) => void setTimeout(() => response.writeHead(200).end(), 150))
    await underLoad(async () => {
      for (let round = 0; round < KILLS_OF_EACH; round++) {
        const goal = accepted.size + 20
        // One right after the other: each ends in the middle of what the end of the one before has come to.
        for (const role of EVERY_ROLE) {
          const victim = pairs[role][round % 2]!
          await victim.running.ready
          if (role === 'deliver') await killWorker(round < IN_THE_MIDDLE ? busyWorker : () => victim)
          else if (role === 'collect') await killCollector(victim, round < IN_THE_MIDDLE)
          else await victim.replace()
        }
        await eventually(() => accepted.size >= goal, { within: 120_000, what: `${goal} accepted` })
      }
    })
    shop.answer(status(200))
    await Promise.all(processes.all.map(({ running }) => running.ready))
    await nothingIsLostOrAltered()
    const [repeated, open] = [repeatedCalls(), await openAtKill()]
    expect(open.size).to.be.above(0)
    expect(repeated.filter((call) => !open.has(call))).to.deep.equal([])
    console.log(
      `      ${accepted.size} accepted, ${mailbox.mailed.size} mails; ${repeated.length} calls repeated of ${open.size} open claims`,
    )
  })

  it('are taken over within 15 s of being frozen, and do no harm when they wake', async () => {
    const GAUGES = { project: 'baoco_projection_lag_seconds{projector="main"}', relay: 'baoco_relay_lag_seconds' }
    const isActive = async (process: RoleProcess) =>
      (await process.metrics()).split('\n').some((line) => line.startsWith(`${GAUGES[process.role as 'relay']} `))
    const activeOf = (role: keyof typeof GAUGES, of = pairs[role]) =>
      eventually(
        async () => {
          const are = await Promise.all(of.map(isActive))
          return are.filter(Boolean).length === 1 && of[are.indexOf(true)]
        },
        { within: 60_000, what: `one active ${role}` },
      )
    const placeOf = async (query: string) =>
      (await servers.database.query<{ place: string }>(query)).map(({ place }) => place).join()
    const projected = () => placeOf("SELECT passed AS place FROM read_model.checkpoint WHERE projector = 'main'")
    const relayed = () => placeOf('SELECT checkpoint AS place FROM ops.relay_checkpoint')

    const leases = ['projector main', `relay ${TOPIC}`]
    const holderOf = (lease: string) => placeOf(`SELECT holder AS place FROM ops.lease WHERE name = '${lease}'`)
    const isTaken = (lease: string, from: string) =>
      eventually(
        async () => {
          const holder = await holderOf(lease)
          return holder !== '' && holder !== from
        },
        { what: `another one that holds ${lease}` },
      )

    const frozen = [await activeOf('project'), await activeOf('relay')]
    const held = await Promise.all(leases.map(holderOf))
    await underLoad(async () => {
      for (const process of frozen) process.freeze()
      const frozenAt = performance.now()
      // What was on its way may still arrive; what comes later is another's.
      await pause(500)
      const before = await Promise.all([projected(), relayed()])
      const movesOn = (what: () => Promise<string>, from: string) =>
        eventually(async () => (await what()) !== from, { within: 60_000, what: 'a standby' })
      await Promise.all(leases.map((lease, index) => isTaken(lease, held[index]!)))
      await Promise.all([movesOn(projected, before[0]), movesOn(relayed, before[1])])
      expect(performance.now() - frozenAt).to.be.below(15_000)
    })
    const standbys = [...pairs.project, ...pairs.relay].filter((process) => !frozen.includes(process))
    await underLoad(async () => {
      for (const process of frozen) process.thaw()
      for (const process of frozen)
        await eventually(async () => !(await isActive(process)), {
          within: 30_000,
          what: 'a frozen one that stands by',
        })
    })
    expect(await Promise.all(standbys.map(isActive))).to.deep.equal([true, true])
    const repeatedBefore = repeatedCalls().length
    await nothingIsLostOrAltered()
    expect(repeatedCalls()).to.have.length(repeatedBefore)
    await readModelsAreAsRebuilt()
  })

  it('receive without Kafka and without the read models, not without the event store, and catch up by themselves', async () => {
    const [api] = pairs.api as [RoleProcess]
    const list = async () => {
      const { status, body } = await callApi(api.running, installation.apiKey, 'GET', '/api/transactions')
      return { status, total: body.total as number }
    }
    const statusOf = async (process: RoleProcess) => (await process.health()).status
    const accept = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        const sent = next()
        const id = await post(api, sent)
        expect(id).to.be.a('number')
        accepted.set(id!, sent)
      }
    }

    await servers.kafka.stop()
    await accept(10)
    await eventually(async () => (await statusOf(pairs.relay[0]!)) === 503)
    expect(await statusOf(api)).to.equal(200)
    expect(await statusOf(pairs.deliver[0]!)).to.equal(200)
    await servers.kafka.start()

    await servers.postgres.stop()
    await accept(10)
    await eventually(async () => (await list()).status === 503)
    expect(await api.health()).to.deep.include({ status: 200 }).and.to.have.nested.property('parts.read_models', 'unavailable') // prettier-ignore
    expect(await statusOf(pairs.project[0]!)).to.equal(503)
    await servers.postgres.start()

    await servers.eventStore.stop()
    const sent = next()
    const answer = await fetch(`${api.running.baseUrl}${new URL(installation.personalUrl).pathname}`, { method: 'POST', body: sent.text }) // prettier-ignore
    expect(answer.status).to.equal(503)
    expect(await answer.json()).to.include({ error: 'STORE_UNAVAILABLE' })
    expect(await statusOf(api)).to.equal(503)
    await servers.eventStore.start()
    await postUntilAccepted(sent)

    await nothingIsLostOrAltered()
    await eventually(async () => (await list()).total === accepted.size + mailbox.mailed.size, {
      within: 60_000,
      what: 'all in the list',
    })
  })

  it('wait at the start for the server that is away, say which one, and come up when it does', async () => {
    await Promise.all(processes.all.map((process) => process.kill()))
    await Promise.all([servers.kafka.stop(), servers.postgres.stop(), servers.eventStore.stop()])
    const one = EVERY_ROLE.map((role) => pairs[role][0]!)
    for (const process of one) process.start()
    const wait = (of: readonly RoleProcess[], what: string) =>
      eventually(() => of.every(({ running }) => running.output().includes(`"waiting_for":"${what}"`)), {
        within: 60_000,
        what: `waiting for the ${what}`,
      })
    const isReady = ({ running }: RoleProcess) => /^Baoco is ready/m.test(running.output())
    await wait(one, 'database')
    await servers.postgres.start()
    await wait(one, 'event_store')
    expect(one.filter(isReady)).to.deep.equal([])
    await servers.eventStore.start()
    await wait([pairs.relay[0]!], 'kafka')
    await Promise.all(one.filter(({ role }) => role !== 'relay').map(({ running }) => running.ready))
    expect(isReady(pairs.relay[0]!)).to.equal(false)
    await servers.kafka.start()
    await pairs.relay[0]!.running.ready
    pairs.api = [pairs.api[0]!, pairs.api[0]!]
    for (let n = 0; n < 10; n++) await postUntilAccepted(next())
    await mailbox.receive(5)
    await nothingIsLostOrAltered()
    await readModelsAreAsRebuilt()
  })
})
