/**
 * Runs two processes of every role on EventStoreDB, Kafka and Postgres, and causes faults: kill -9 of each in turn under load, a frozen
 * process that wakes, a start without servers. These must hold throughout: every notification answered with 2xx, and every mail in the
 * mailbox, is stored once, unchanged, and reached the shop; a call that was made twice was a claim whose attempt was not recorded when its
 * worker was killed. What runs without a server is in `oracle/without-a-server.ts`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { needsDovecot } from '../harness/dovecot/install.ts'
import { eventually } from '../harness/eventually.ts'
import { showFigures } from '../harness/figures.ts'
import { needsKafka } from '../harness/kafka/needs-kafka.ts'
import { repetitions } from '../harness/repetitions.ts'
import { EVERY_ROLE, type RoleName, type RoleProcess } from '../harness/role-processes.ts'
import { status } from '../harness/shop.ts'
import { Pairs } from './pairs.ts'

/** `npm run reliability` kills more often. */
const KILLS_OF_EACH = repetitions(10, 1)
/** The rounds that kill a delivery process during calls, and a collector while it reads mails. Other rounds kill at any moment. */
const IN_THE_MIDDLE = 2
/** Pairs of posts in the same millisecond, sent in waves. */
const PAIRS = repetitions(1_000, 50)
const PAIRS_IN_A_WAVE = 25
/** Milliseconds that the shop takes to answer, so that a worker that is killed then has calls in progress. */
const CALL_TAKES = 400

/** The default name. */
const TOPIC = 'baoco.transactions'

describe('roles as processes, on EventStoreDB, Kafka and Postgres', function () {
  this.timeout(600_000)
  needsKafka()
  needsDovecot()

  let pairs: Pairs
  before(async function () {
    this.timeout(300_000)
    pairs = await Pairs.open()
  })
  after(() => pairs?.close())

  it('agree on one first account, and each names its dependencies', async () => {
    expect(pairs.world.founders()).to.have.length(1)
    const partsOf = async (role: RoleName) => {
      const { status, parts } = await eventually(async () => {
        const health = await pairs.of[role][0]!.health()
        return Object.values(health.parts).every((state) => state === 'ok') && health
      })
      expect(status).to.equal(200)
      return Object.keys(parts)
    }
    expect(await partsOf('api')).to.have.members(['event_store', 'disk', 'read_models'])
    expect(await partsOf('project')).to.have.members(['event_store', 'database', 'disk', 'read_models'])
    expect(await partsOf('relay')).to.have.members(['event_store', 'database', 'kafka'])
    expect(await partsOf('deliver')).to.have.members(['event_store', 'database', 'disk', 'log'])
    expect(await partsOf('collect')).to.have.members(['event_store', 'database', 'disk'])
  })

  it(`treat one notification received by two of them in the same millisecond as one, ${PAIRS} times`, async () => {
    const together = async (): Promise<void> => {
      const sent = pairs.next()
      const [one, other] = await Promise.all(pairs.of.api.map((api) => pairs.post(api, sent)))
      expect(one).to.be.a('number')
      expect(other).to.equal(one)
      pairs.accepted.set(one!, sent)
    }
    for (let sent = 0; sent < PAIRS; sent += PAIRS_IN_A_WAVE)
      await Promise.all(Array.from({ length: PAIRS_IN_A_WAVE }, together))
    expect(pairs.accepted.size).to.equal(PAIRS)
    await pairs.nothingIsLostOrAltered()
    expect(pairs.repeatedCalls()).to.deep.equal([])
    showFigures(
      'one notification at two processes in the same millisecond',
      `${PAIRS} times stored once, delivered once`,
    )
  })

  it(`lose nothing and alter nothing over ${KILLS_OF_EACH} kills of each under load, and repeat at most the open claims`, async () => {
    pairs.shop.answer((_call, response) => void setTimeout(() => response.writeHead(200).end(), CALL_TAKES))
    await pairs.underLoad(async () => {
      for (let round = 0; round < KILLS_OF_EACH; round++) {
        const goal = pairs.accepted.size + 10
        // The kills follow immediately, so that each falls into the recovery from the one before.
        for (const role of EVERY_ROLE) {
          const victim = pairs.of[role][round % 2]!
          await victim.running.ready
          if (role === 'deliver') await (round < IN_THE_MIDDLE ? pairs.killBusyWorker() : pairs.killWorker(victim))
          else if (role === 'collect') await pairs.killCollector(victim, round < IN_THE_MIDDLE)
          else await victim.replace()
        }
        await eventually(() => pairs.accepted.size >= goal, { within: 120_000, what: `${goal} accepted` })
      }
    })
    pairs.shop.answer(status(200))
    await pairs.world.allReady()
    await pairs.nothingIsLostOrAltered()
    const open = await pairs.openAtKill()
    const repeated = pairs.repeatedCalls()
    expect(open.size).to.be.above(0)
    expect(repeated.length).to.be.above(0)
    expect(repeated.filter((call) => !open.has(call))).to.deep.equal([])
    showFigures(
      `kill -9 of two processes of each role, ${KILLS_OF_EACH} times each`,
      `${pairs.accepted.size} accepted, ${pairs.mailbox.mailed.size} mails, 0 lost; ${repeated.length} calls repeated of ${open.size} open claims`,
    )
  })

  it('are replaced within 15 s if they freeze, and do no harm when they wake', async () => {
    const SHOWN = { project: 'baoco_projection_active{projector="main"} 1', relay: 'baoco_relay_lag_seconds ' }
    const isActive = async (process: RoleProcess) =>
      (await process.metrics()).split('\n').some((line) => line.startsWith(SHOWN[process.role as 'relay']))
    const activeOf = (role: keyof typeof SHOWN, of = pairs.of[role]) =>
      eventually(
        async () => {
          const are = await Promise.all(of.map(isActive))
          return are.filter(Boolean).length === 1 && of[are.indexOf(true)]
        },
        { within: 60_000, what: `one active ${role}` },
      )
    const valueIn = async (query: string) =>
      (await pairs.servers.database.query<{ value: string }>(query)).map(({ value }) => value).join()
    const projected = () => valueIn("SELECT passed AS value FROM read_model.checkpoint WHERE projector = 'main'")
    const relayed = () => valueIn('SELECT checkpoint AS value FROM ops.relay_checkpoint')

    const leases = ['projector main', `relay ${TOPIC}`]
    const holderOf = (lease: string) => valueIn(`SELECT holder AS value FROM ops.lease WHERE name = '${lease}'`)
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
    await pairs.underLoad(async () => {
      for (const process of frozen) process.freeze()
      const frozenAt = performance.now()
      // Messages in transit may still arrive. Later ones come from another process.
      await pause(500)
      const before = await Promise.all([projected(), relayed()])
      const movesOn = (what: () => Promise<string>, from: string) =>
        eventually(async () => (await what()) !== from, { within: 60_000, what: 'a standby' })
      await Promise.all(leases.map((lease, index) => isTaken(lease, held[index]!)))
      await Promise.all([movesOn(projected, before[0]), movesOn(relayed, before[1])])
      const replaced = performance.now() - frozenAt
      expect(replaced).to.be.below(15_000)
      showFigures('a projector and a relay frozen', `others take over within ${Math.round(replaced / 1_000)} s`)
    })
    const standbys = [...pairs.of.project, ...pairs.of.relay].filter((process) => !frozen.includes(process))
    await pairs.underLoad(async () => {
      for (const process of frozen) process.thaw()
      for (const process of frozen)
        await eventually(async () => !(await isActive(process)), {
          what: 'a frozen one that stands by',
        })
    })
    expect(await Promise.all(standbys.map(isActive))).to.deep.equal([true, true])
    const repeatedBefore = pairs.repeatedCalls().length
    await pairs.nothingIsLostOrAltered()
    expect(pairs.repeatedCalls()).to.have.length(repeatedBefore)
    await pairs.readModelsAreAsRebuilt()
  })

  it('wait at the start for a server that is down, name it, and continue when it is up', async () => {
    await Promise.all(pairs.world.processes.all.map((process) => process.kill()))
    await Promise.all([pairs.servers.kafka.stop(), pairs.servers.postgres.stop(), pairs.servers.eventStore.stop()])
    const one = EVERY_ROLE.map((role) => pairs.of[role][0]!)
    for (const process of one) process.start()
    const wait = (of: readonly RoleProcess[], what: string) =>
      eventually(() => of.every(({ running }) => running.output().includes(`"waiting_for":"${what}"`)), {
        within: 60_000,
        what: `waiting for the ${what}`,
      })
    const isReady = ({ running }: RoleProcess) => /^Baoco is ready/m.test(running.output())
    await wait(one, 'database')
    await pairs.servers.postgres.start()
    await wait(one, 'event_store')
    expect(one.filter(isReady)).to.deep.equal([])
    await pairs.servers.eventStore.start()
    await wait([pairs.of.relay[0]!], 'kafka')
    await Promise.all(one.filter(({ role }) => role !== 'relay').map(({ running }) => running.ready))
    expect(isReady(pairs.of.relay[0]!)).to.equal(false)
    await pairs.servers.kafka.start()
    await pairs.of.relay[0]!.running.ready
    pairs.of.api = [pairs.of.api[0]!, pairs.of.api[0]!]
    for (let n = 0; n < 10; n++) await pairs.postUntilAccepted(pairs.next())
    await pairs.mailbox.receive(5)
    await pairs.nothingIsLostOrAltered()
    await pairs.readModelsAreAsRebuilt()
  })
})
