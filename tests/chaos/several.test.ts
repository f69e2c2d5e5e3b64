/**
 * Three processes receive for one account, on each store. One of them owns it and decides everything, so nothing is refused. Then the owner is
 * frozen under load, and later killed: the others go on, and nothing is stored twice, also not by the process that wakes.
 */
import { expect } from 'chai'
import type { RecordedEvent } from '../../domain/event.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { startOwnStandIn } from '../harness/eventstoredb/process.ts'
import { eventually } from '../harness/eventually.ts'
import { showFigures } from '../harness/figures.ts'
import { allEvents } from '../harness/installation-database.ts'
import { startOwnPostgres } from '../harness/own-postgres.ts'
import { repetitions } from '../harness/repetitions.ts'
import type { RoleProcess } from '../harness/role-processes.ts'
import { secrets, type SetUp } from '../harness/servers.ts'
import { World } from '../harness/world.ts'

/** A multiple of three, because the three processes receive as many each. */
const AT_A_MODEST_RATE = repetitions(402, 30)
/** The longest wait of a notification when the owner is lost, milliseconds. Slow machines are allowed more. */
const LONGEST_MS = repetitions(2_000, 6_000)

const withPostgres = async (more: () => Promise<{ env: Record<string, string>; remove: () => Promise<void> }>) => {
  const [postgres, { env, remove }] = await Promise.all([startOwnPostgres({ durable: false }), more()])
  const close = async () => void (await Promise.all([postgres.remove(), remove()]))
  return { env: { DATABASE_URL: postgres.url(), ...env, ...secrets() }, close }
}
const STORES: Record<string, () => Promise<SetUp>> = {
  Postgres: () => withPostgres(async () => ({ env: {}, remove: async () => {} })),
  EventStoreDB: () =>
    withPostgres(async () => {
      const { url, remove } = await startOwnStandIn()
      return { env: { EVENTSTORE_URL: url }, remove }
    }),
}

for (const [name, servers] of Object.entries(STORES))
  describe(`several processes that receive for one account, on ${name}`, function () {
    this.timeout(300_000)
    let world: World
    const accepted = new Map<string, number>()
    let refused = 0
    let longest = 0
    let sent = 0
    before(async () => {
      world = await World.open({ servers, roles: ['api', 'api', 'api'] })
    })
    after(() => world?.close())

    const decidedBy = ({ running }: RoleProcess): number => running.output().split('"notification.received"').length - 1
    /** @returns whether the process answered */
    const post = async (to: RoleProcess, text = vietcombankText(++sent, `DH${sent}`)): Promise<boolean> => {
      const began = performance.now()
      try {
        const id = await world.post(text, to.running)
        if (id === null) refused++
        else accepted.set(text, id)
        longest = Math.max(longest, performance.now() - began)
        return true
      } catch {
        return false // It was killed.
      }
    }
    const ownerOf = async (): Promise<RoleProcess> => {
      const before = new Map(world.of('api').map((each) => [each, decidedBy(each)]))
      await post(world.of('api')[0]!)
      return eventually(() => [...before].find(([each, count]) => decidedBy(each) > count)?.[0])
    }
    /** Posts to these processes without a pause until the work is done. */
    const underLoad = async (to: readonly RoleProcess[], work: () => Promise<unknown>): Promise<void> => {
      let isOver = false
      const senders = [...to, ...to].map(async (each) => {
        while (!isOver && (await post(each)));
      })
      await work().finally(() => (isOver = true))
      await Promise.all(senders)
    }
    const acceptsMore = async (count: number): Promise<void> => {
      const goal = accepted.size + count
      await eventually(() => accepted.size >= goal, { what: `${count} more accepted` })
    }
    const expectEachOnce = async (): Promise<void> => {
      const [api] = world.of('api') as [RoleProcess]
      const events = (await allEvents(world.installation, world.env)) as (RecordedEvent & { data: { id: number } })[]
      const captured = events.filter(({ type }) => type === 'TransactionCaptured')
      expect(captured).to.have.length(sent)
      for (const [text, id] of [...accepted].slice(-20)) expect(await world.post(text, api.running)).to.equal(id)
      expect(new Set(accepted.values()).size).to.equal(accepted.size)
      expect(refused).to.equal(0)
    }

    it('refuse nothing, and one of them decides it all', async () => {
      // Each has found the others.
      await eventually(() =>
        world.of('api').every(({ running }) => running.output().split('"hand_over.found"').length === 3),
      )
      const owner = await ownerOf()
      const before = decidedBy(owner)
      for (let n = 0; n < AT_A_MODEST_RATE; n += 3) await Promise.all(world.of('api').map((each) => post(each)))
      await eventually(() => decidedBy(owner) - before === AT_A_MODEST_RATE, { what: 'all decided by one process' })
      await expectEachOnce()
    })

    it('continue when the owner is frozen, and again when it wakes', async () => {
      const owner = await ownerOf()
      const others = world.of('api').filter((each) => each !== owner)
      longest = 0
      await underLoad(others, async () => {
        await acceptsMore(10)
        owner.freeze()
        await acceptsMore(30)
      })
      // The next test needs the owner awake, even if this one fails.
      const longestWithoutIt = longest
      await underLoad(others, async () => {
        owner.thaw()
        await eventually(async () => (await owner.health()).status === 200)
        await acceptsMore(30)
      })
      expect(longestWithoutIt).to.be.below(LONGEST_MS)
      await expectEachOnce()
      showFigures(
        `the owner of an account frozen, one of three that receive for it, ${name}`,
        `longest wait ${Math.round(longestWithoutIt)} ms, 0 refused, 0 stored twice`,
      )
    })

    it('continue when the owner is killed', async () => {
      const owner = await ownerOf()
      const others = world.of('api').filter((each) => each !== owner)
      longest = 0
      await underLoad(others, async () => {
        await acceptsMore(10)
        await owner.kill()
        await acceptsMore(30)
      })
      expect(longest).to.be.below(LONGEST_MS)
      await expectEachOnce()
      showFigures(
        `the owner of an account killed, one of three that receive for it, ${name}`,
        `longest wait ${Math.round(longest)} ms, 0 refused, 0 stored twice`,
      )
    })
  })
