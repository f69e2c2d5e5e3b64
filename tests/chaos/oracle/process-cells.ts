/** The faults that are caused in processes and servers while notifications arrive, one per cell. */
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../harness/eventually.ts'
import { kafkaClient, type Broker } from '../../harness/kafka/broker.ts'
import { EVERY_ROLE, type RoleName } from '../../harness/role-processes.ts'
import { openRawWriter, type RawEvent } from '../../harness/raw-events.ts'
import { startServers, type Servers } from '../../harness/servers.ts'
import { World } from '../../harness/world.ts'
import { openClaimLog, workerOf, type ClaimLog } from './claims.ts'
import type { Form } from './form.ts'
import { Oracle, type Verdict } from './oracle.ts'
import { openEndpoints, SCHEDULE } from './process-endpoints.ts'
import { withoutEventStore, withoutKafka, withoutPostgres, type WithoutServer } from './without-a-server.ts'

/** On a shared broker, another suite uses the default name. */
const TOPIC = 'test.cells'

/** Baoco with a clock that can be set. */
const WITH_CLOCK = new URL('clock-jump.mjs', import.meta.url).pathname

interface Scene {
  world: World<Servers>
  form: Form
  claims: ClaimLog
  oracle: Oracle
}

export interface Cell {
  name: string
  cause(scene: Scene): Promise<void>
  /** The order of notifications is decided by clocks, so a wrong clock puts a notification at a wrong position. */
  shiftsClocks?: true
}

export interface Result extends Verdict {
  cell: string
}

/** Waits until so many more notifications that were posted are accepted. Mails are accepted without a process. */
const acceptsMore = (oracle: Oracle, count: number, what: string): Promise<unknown> => {
  const goal = oracle.transactions().length + count
  return eventually(() => oracle.transactions().length >= goal, { within: 120_000, what })
}

const killed = (role: RoleName): Cell => ({
  name: `kill -9 of ${role}`,
  cause: async ({ world, form, claims, oracle }) => {
    for (let times = 0; times < form.kills; times++) {
      const victims = world.of(role)
      const victim = victims[times % victims.length]!
      const worker = role === 'deliver' && (await workerOf(victim))
      // While no process receives, nothing is accepted.
      await acceptsMore(oracle, 1, 'a notification accepted')
      await pause(Math.random() * 1_000)
      await victim.kill()
      if (worker) await claims.note(worker)
      victim.start()
      await victim.running.ready
    }
  },
})

/** Milliseconds until the servers have finished what a process had sent to them when it was frozen. */
const UNDER_WAY = 500

const frozen = (role: RoleName): Cell => ({
  name: `${role} frozen and woken`,
  cause: async ({ world, form, claims }) => {
    const victim = world.of(role)[0]!
    const worker = role === 'deliver' && (await workerOf(victim))
    victim.freeze()
    await pause(UNDER_WAY)
    if (worker) await claims.note(worker)
    await pause(form.frozen - UNDER_WAY)
    victim.thaw()
  },
})

const SERVERS = { postgres: 'Postgres', kafka: 'Kafka', eventStore: 'event store' } as const

const away = (server: keyof typeof SERVERS, { holds, catchesUp }: WithoutServer): Cell[] => [
  {
    name: `${SERVERS[server]} stopped`,
    cause: async (scene) => {
      await scene.world.servers[server].stop()
      await Promise.all([holds(scene), pause(scene.form.serverAway)])
      await scene.world.servers[server].start()
      await catchesUp?.(scene)
    },
  },
  {
    name: `${SERVERS[server]} killed and restarted`,
    cause: async ({ world }) => {
      await world.servers[server].kill()
      await world.servers[server].start()
    },
  },
]

/** The server accepts connections and answers nothing. */
const mute = (server: 'postgres' | 'eventStore'): Cell => ({
  name: `${SERVERS[server]} frozen and woken`,
  cause: async ({ world, form }) => {
    world.servers[server].freeze()
    await pause(form.frozen)
    world.servers[server].thaw()
  },
})
/** Delivered transactions that get a damaged event. */
const DAMAGED = 10

/** Events that Baoco would never write. */
const DAMAGES: readonly RawEvent[] = [
  { type: 'NotYetInvented' },
  { type: 'WebhookStatusChanged', data: null },
  { type: 'WebhookStatusChanged', metadata: null },
  { type: 'WebhookAttempted', metadata: { version: 9 } },
]

/** Cells that may leave first attempts to the queue come first: the queue makes these a minute later, while the other cells run. */
export const processCells: readonly Cell[] = [
  {
    name: 'rebalance under load',
    cause: async ({ world, form }) => {
      const third = await world.launch('deliver', WITH_CLOCK)
      for (let times = 0; times < form.rebalances; times++) {
        await pause(Math.random() * 1_000)
        await third.stop()
        third.start()
        await third.running.ready
      }
      await third.stop()
    },
  },
  {
    name: 'topic deleted',
    cause: async ({
      world: {
        servers: { kafka },
      },
    }) => {
      const admin = kafkaClient(kafka.address, 5).admin()
      await admin.connect()
      await admin.deleteTopics({ topics: [TOPIC] }).finally(() => admin.disconnect())
    },
  },
  ...EVERY_ROLE.map(killed),
  ...EVERY_ROLE.map(frozen),
  {
    name: 'projector stopped',
    cause: async ({ world, form }) => {
      const [projector] = world.of('project')
      await projector!.stop()
      await pause(form.projectorAway)
      projector!.start()
      await projector!.running.ready
    },
  },
  {
    name: 'damaged events in streams',
    cause: async ({ world, form, oracle }) => {
      const raw = await openRawWriter(world.env)
      try {
        const { body } = await world.api('GET', '/api/transactions?webhook_status=success')
        const delivered = (body.data as { id: number }[]).slice(0, DAMAGED).map(({ id }) => `transaction-${id}`)
        const streams = [
          ...delivered,
          'transaction-999999999',
          'account-999999999',
          'unread-999999999',
          'alerts-999999999',
        ]
        for (const [n, stream] of streams.entries()) await raw.append(stream, DAMAGES[n % DAMAGES.length]!)
        await acceptsMore(oracle, form.rate, 'notifications accepted beside them')
        for (const stream of streams.slice(0, form.skips)) await world.baocoCommand('parked', 'skip', stream, '--yes')
      } finally {
        await raw.close()
      }
    },
  },
  ...away('postgres', withoutPostgres),
  ...away('kafka', withoutKafka),
  ...away('eventStore', withoutEventStore),
  mute('postgres'),
  mute('eventStore'),
  {
    name: 'clocks jump an hour ahead and back',
    shiftsClocks: true,
    cause: async ({ world, form }) => {
      // The clocks jump one after another, so for a while they also differ from each other.
      const jump = async () => {
        for (const { running } of EVERY_ROLE.flatMap((role) => world.of(role))) {
          running.process.kill('SIGUSR2')
          await pause(200)
        }
      }
      await jump()
      await pause(form.frozen)
      await jump()
    },
  },
]

/** Splits the cells into groups of about the same duration, each for its own installation. A run then takes a third of the time. */
export const sideBySide = (cells: readonly Cell[]): Cell[][] => {
  const shareOf = ({ name }: Cell) => {
    if (name === 'kill -9 of project') return 'first'
    return /^kill -9 of (api|relay)|stopped$|restarted$/.test(name) ? 'second' : 'third'
  }
  return ['first', 'second', 'third']
    .map((share) => cells.filter((cell) => shareOf(cell) === share))
    .filter((some) => some.length > 0)
}

/** The range of notification numbers of each cell. */
const OF_A_CELL = 100_000

interface RunOptions {
  cells?: readonly Cell[]
  kafka?: Promise<Broker>
  tell?: (what: string) => void
}

/**
 * Runs one cell after another, each with its own oracle and notifications. It waits for the results of all cells only at the end, so that
 * the next cell meets an installation that still recovers, as in production.
 * @param options.kafka  a broker that other suites use too
 * @param options.tell  receives progress messages
 */
export const runProcessCells = async (
  form: Form,
  { cells = processCells, kafka, tell = () => {} }: RunOptions = {},
): Promise<Result[]> => {
  const world = await World.open({
    servers: () => startServers(kafka),
    env: { RETRY_SCHEDULE: SCHEDULE.join(), KAFKA_TOPIC: TOPIC },
    program: WITH_CLOCK,
    roles: [...EVERY_ROLE, 'deliver'],
    mailbox: true,
  })
  const claims = await openClaimLog(world.servers)
  const endpoints = await openEndpoints(world)
  try {
    const oracles: Oracle[] = []
    for (const [number, cell] of cells.entries()) {
      tell(cell.name)
      const oracle = new Oracle(1 + number * OF_A_CELL)
      oracles.push(oracle)
      await underLoad(world, oracle, form, () => cell.cause({ world, form, claims, oracle })).catch((error: Error) => {
        throw new Error(`${cell.name}: ${error.message}`, { cause: error })
      })
    }
    const results: Result[] = []
    for (const [number, { name }] of cells.entries()) {
      const oracle = oracles[number]!
      await oracle.settled(endpoints, 300_000)
      const result = { cell: name, ...(await oracle.verdict(endpoints, claims.all)) }
      tell(JSON.stringify(result))
      results.push(result)
    }
    return results
  } finally {
    await claims.close()
    await world.close()
    await Promise.all(endpoints.map((endpoint) => endpoint.close()))
  }
}

/** Sends notifications before, during and after the fault. */
const underLoad = async (
  world: World<Servers>,
  oracle: Oracle,
  { rate, mailsPerSecond }: Form,
  cause: () => Promise<void>,
): Promise<void> => {
  const loading = new AbortController()
  const load = Promise.all([
    oracle.load(world.installation.personalUrl, rate, loading.signal),
    oracle.mails((mail) => world.deliverMail(mail), mailsPerSecond, loading.signal),
  ])
  try {
    await acceptsMore(oracle, rate, 'notifications accepted before')
    await cause()
    await acceptsMore(oracle, rate, 'notifications accepted again')
  } finally {
    loading.abort()
    await load
  }
}
