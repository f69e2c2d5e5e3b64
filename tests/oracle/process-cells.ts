/** What is done to processes and servers while notifications come in, a cell each. */
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { kafkaClient } from '../support/kafka/broker.ts'
import { ROLES, type RoleName } from '../support/role-processes.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { Oracle, type Endpoint, type Verdict } from './oracle.ts'
import { startWorld, TOPIC, type World } from './world.ts'

/** How long and how often. */
export interface Form {
  kills: number
  /** Milliseconds. */
  frozen: number
  projectorAway: number
  serverAway: number
  /** Notifications a second. */
  rate: number
}

/** For every change: each cell, shortly. */
export const SHORT: Form = { kills: 2, frozen: 3_000, projectorAway: 3_000, serverAway: 2_000, rate: 25 }
/** For docs/reliability.md. */
export const FULL: Form = { kills: 50, frozen: 30_000, projectorAway: 60_000, serverAway: 10_000, rate: 50 }

export interface Cell {
  name: string
  /** @returns claims without a recorded attempt at the moments of it, each of which may be made twice */
  hurt(world: World, form: Form): Promise<number>
}

export interface Result extends Verdict {
  cell: string
  /** What `duplicated` may be at most. */
  claims_open: number
}

const killed = (role: RoleName): Cell => ({
  name: `kill -9 of ${role}`,
  hurt: async (world, { kills }) => {
    let claims = 0
    for (let times = 0; times < kills; times++) {
      const victims = world.of(role)
      const victim = victims[times % victims.length]!
      await pause(Math.random() * 500)
      await victim.kill()
      claims += await world.claimsOpen()
      victim.start()
      await victim.running.ready
    }
    return claims
  },
})

const frozen = (role: RoleName): Cell => ({
  name: `${role} frozen and woken`,
  hurt: async (world, form) => {
    const [victim] = world.of(role)
    victim!.freeze()
    const claims = await world.claimsOpen()
    await pause(form.frozen)
    victim!.thaw()
    return claims
  },
})

const away = (name: string, server: 'postgres' | 'kafka' | 'eventStore', how: 'stop' | 'kill'): Cell => ({
  name,
  hurt: async (world, form) => {
    const claims = await world.claimsOpen()
    await world[server][how]()
    await pause(form.serverAway)
    await world[server].start()
    return claims
  },
})

export const processCells: readonly Cell[] = [
  ...ROLES.map(killed),
  ...ROLES.map(frozen),
  {
    name: 'projector stopped',
    hurt: async (world, form) => {
      const [projector] = world.of('project')
      await projector!.stop()
      await pause(form.projectorAway)
      projector!.start()
      await projector!.running.ready
      return 0
    },
  },
  away('Postgres stopped', 'postgres', 'stop'),
  away('Postgres killed', 'postgres', 'kill'),
  away('Kafka stopped', 'kafka', 'stop'),
  away('Kafka killed', 'kafka', 'kill'),
  away('event store killed', 'eventStore', 'kill'),
  {
    name: 'rebalance under load',
    hurt: async (world) => {
      for (let times = 0; times < 2; times++) {
        const third = await world.launch('deliver')
        await pause(500)
        await third.stop()
      }
      return 0
    },
  },
  {
    name: 'topic deleted',
    hurt: async ({ kafka }) => {
      const admin = kafkaClient(kafka.address, 5).admin()
      await admin.connect()
      await admin.deleteTopics({ topics: [TOPIC] }).finally(() => admin.disconnect())
      return 0
    },
  },
  {
    name: 'clocks jump an hour ahead and back',
    hurt: async (world) => {
      for (const role of ROLES)
        for (const { running } of world.of(role)) {
          running.process.kill('SIGUSR2')
          await pause(200)
          running.process.kill('SIGUSR2')
        }
      return 0
    },
  },
]

/** An endpoint that takes a little while, so that calls are in flight whenever something happens. */
const openEndpoint = async (world: World): Promise<{ shop: Shop; endpoint: Endpoint }> => {
  const taken = new Set<number>()
  const shop = await openShop((call, response) => {
    setTimeout(() => {
      response.writeHead(200).end()
      taken.add((JSON.parse(call.body) as { transaction_id: number }).transaction_id)
    }, 20)
  })
  const { body } = await world.api('POST', '/api/webhooks', { name: 'oracle', url: shop.url })
  const { secret_key: secret } = body.data as { secret_key: string }
  return { shop, endpoint: { name: 'the shop', secret, calls: shop.calls, taken } }
}

/**
 * One cell after the other, each with an oracle and notifications of its own. What a cell has left behind is waited for in the
 * end, for all of them: the next one meets an installation that still recovers, as it would outside.
 */
export const runProcessCells = async (form: Form): Promise<Result[]> => {
  const world = await startWorld({ RETRY_SCHEDULE: '1,1,2,2,5,5' })
  const { shop, endpoint } = await openEndpoint(world)
  try {
    const ran: { cell: Cell; oracle: Oracle; claims_open: number }[] = []
    for (const [number, cell] of processCells.entries()) {
      const oracle = new Oracle(1 + number * 100_000)
      ran.push({ cell, oracle, claims_open: await underLoad(world, oracle, form, () => cell.hurt(world, form)) })
    }
    const results: Result[] = []
    for (const { cell, oracle, claims_open } of ran) {
      await oracle.settled([endpoint], 120_000)
      results.push({ cell: cell.name, claims_open, ...(await oracle.verdict([endpoint])) })
    }
    return results
  } finally {
    await world.close()
    await shop.close()
  }
}

/** Notifications come in before, meanwhile, and again afterwards. */
const underLoad = async <Answer>(
  { installation }: World,
  oracle: Oracle,
  { rate }: Form,
  work: () => Promise<Answer>,
): Promise<Answer> => {
  const loading = new AbortController()
  const load = oracle.load(installation.personalUrl, rate, loading.signal)
  await eventually(() => oracle.accepted >= rate, { within: 60_000, what: 'notifications accepted before' })
  const answer = await work()
  const before = oracle.accepted
  await eventually(() => oracle.accepted >= before + rate, { within: 60_000, what: 'notifications accepted again' })
  loading.abort()
  await load
  return answer
}
