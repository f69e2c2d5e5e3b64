/** What is done to processes and servers while notifications come in, a cell each. */
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { kafkaClient } from '../support/kafka/broker.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { Oracle, type Endpoint, type Verdict } from './oracle.ts'
import { ROLES, startServers, TOPIC, type RoleName, type Servers } from './servers.ts'

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
  hurt(servers: Servers, form: Form): Promise<number>
}

export interface Result extends Verdict {
  cell: string
  /** What `duplicated` may be at most. */
  claims_open: number
}

const killed = (role: RoleName): Cell => ({
  name: `kill -9 of ${role}`,
  hurt: async (servers, { kills }) => {
    let claims = 0
    for (let times = 0; times < kills; times++) {
      await pause(Math.random() * 500)
      await servers.kill(role)
      claims += await servers.claimsOpen()
      await servers.start(role)
    }
    return claims
  },
})

const frozen = (role: RoleName): Cell => ({
  name: `${role} frozen and woken`,
  hurt: async (servers, form) => {
    const { process: child } = servers.running(role)[0]!
    child.kill('SIGSTOP')
    const claims = await servers.claimsOpen()
    await pause(form.frozen)
    child.kill('SIGCONT')
    return claims
  },
})

const away = (name: string, stop: (servers: Servers) => Promise<void>, start: (servers: Servers) => Promise<void>) =>
  ({
    name,
    hurt: async (servers, form) => {
      const claims = await servers.claimsOpen()
      await stop(servers)
      await pause(form.serverAway)
      await start(servers)
      return claims
    },
  }) satisfies Cell

export const processCells: readonly Cell[] = [
  ...ROLES.map(killed),
  ...ROLES.map(frozen),
  {
    name: 'projector stopped',
    hurt: async (servers, form) => {
      await Promise.all(servers.running('project').map((each) => each.stop()))
      servers.running('project').length = 0
      await pause(form.projectorAway)
      await servers.start('project')
      return 0
    },
  },
  away('Postgres stopped', ({ postgres }) => postgres.stop(), ({ postgres }) => postgres.start()), // prettier-ignore
  away('Postgres killed', ({ postgres }) => postgres.kill(), ({ postgres }) => postgres.start()), // prettier-ignore
  away(
    'Kafka stopped',
    ({ kafka }) => kafka.stop(),
    ({ kafka }) => kafka.start(),
  ),
  away(
    'Kafka killed',
    ({ kafka }) => kafka.kill(),
    ({ kafka }) => kafka.start(),
  ),
  away('event store killed', ({ eventStore }) => eventStore.stop(), ({ eventStore }) => eventStore.start()), // prettier-ignore
  {
    name: 'rebalance under load',
    hurt: async (servers) => {
      for (let times = 0; times < 2; times++) {
        const third = await servers.start('deliver')
        await pause(500)
        await third.stop()
        servers.running('deliver').splice(servers.running('deliver').indexOf(third), 1)
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
    hurt: async (servers) => {
      for (const role of ROLES)
        for (const { process: child } of servers.running(role)) {
          child.kill('SIGUSR2')
          await pause(200)
          child.kill('SIGUSR2')
        }
      return 0
    },
  },
]

/** An endpoint that takes a little while, so that calls are in flight whenever something happens. */
const openEndpoint = async (servers: Servers): Promise<{ shop: Shop; endpoint: Endpoint }> => {
  const taken = new Set<number>()
  const shop = await openShop((call, response) => {
    setTimeout(() => {
      response.writeHead(200).end()
      taken.add((JSON.parse(call.body) as { transaction_id: number }).transaction_id)
    }, 20)
  })
  const { body } = await servers.api('POST', '/api/webhooks', { name: 'oracle', url: shop.url })
  const { secret_key: secret } = body.data as { secret_key: string }
  return { shop, endpoint: { name: 'the shop', secret, calls: shop.calls, taken } }
}

/**
 * One cell after the other, each with an oracle and notifications of its own. What a cell has left behind is waited for in the
 * end, for all of them: the next one meets an installation that still recovers, as it would outside.
 */
export const runProcessCells = async (form: Form): Promise<Result[]> => {
  const servers = await startServers({ RETRY_SCHEDULE: '1,1,2,2,5,5' })
  const { shop, endpoint } = await openEndpoint(servers)
  try {
    const ran: { cell: Cell; oracle: Oracle; claims_open: number }[] = []
    for (const [number, cell] of processCells.entries()) {
      const oracle = new Oracle(1 + number * 100_000)
      ran.push({ cell, oracle, claims_open: await underLoad(servers, oracle, form, () => cell.hurt(servers, form)) })
    }
    const results: Result[] = []
    for (const { cell, oracle, claims_open } of ran) {
      await oracle.settled([endpoint], 120_000)
      results.push({ cell: cell.name, claims_open, ...(await oracle.verdict([endpoint])) })
    }
    return results
  } finally {
    await servers.close()
    await shop.close()
  }
}

/** Notifications come in before, meanwhile, and again afterwards. */
const underLoad = async <Answer>(
  { installation }: Servers,
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
