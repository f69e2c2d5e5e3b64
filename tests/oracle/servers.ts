/** Baoco as a process a role, on an event store, a Kafka broker and a Postgres of its own, each to be hurt by itself. */
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../../adapters/postgres/database.ts'
import {
  callApi,
  newPlace,
  readInstallation,
  removePlace,
  startBaoco,
  type Installation,
  type Running,
} from '../support/baoco-process.ts'
import { startOwnStandIn, type OwnStandIn } from '../support/eventstoredb/process.ts'
import { startKafka, type Broker } from '../support/kafka/broker.ts'
import { startOwnPostgres, type OwnPostgres } from '../support/own-postgres.ts'

export const ROLES = ['api', 'project', 'relay', 'deliver'] as const
export type RoleName = (typeof ROLES)[number]

export const TOPIC = 'baoco.transactions'

/** Shifts the clock of a process: `tests/oracle/clock-jump.mjs`. */
const CLOCK = new URL('clock-jump.mjs', import.meta.url).pathname

export interface Servers {
  installation: Installation
  kafka: Broker
  postgres: OwnPostgres
  eventStore: OwnStandIn
  api(method: string, path: string, body?: unknown): ReturnType<typeof callApi>
  /** Processes of a role that run now. */
  running(role: RoleName): Running[]
  /** One more of a role. */
  start(role: RoleName): Promise<Running>
  /** kill -9 of one of a role; `replace` starts another at once. */
  kill(role: RoleName): Promise<void>
  /** Claims without a recorded attempt, whoever's they are. */
  claimsOpen(): Promise<number>
  close(): Promise<void>
}

const COUNT_OPEN = `
  SELECT count(*)::integer AS open FROM ops.claim c
    JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
   WHERE d.status = 'open' AND c.attempt > d.attempt`

/** @param env  settings beside those that name the servers */
export const startServers = async (env: Record<string, string>): Promise<Servers> => {
  const [postgres, eventStore, kafka, place] = await Promise.all([
    startOwnPostgres(),
    startOwnStandIn(),
    startKafka(),
    newPlace(),
  ])
  const secret = () => randomBytes(32).toString('hex')
  const settings: Record<string, string> = {
    DATABASE_URL: postgres.url(),
    EVENTSTORE_URL: eventStore.url,
    KAFKA_BROKERS: kafka.address,
    KAFKA_TOPIC: TOPIC,
    JWT_SECRET: secret(),
    VAULT_KEY: secret(),
    ALLOW_PRIVATE_TARGETS: '1',
    RATE_LIMITS: 'off',
    NODE_OPTIONS: `--import ${CLOCK}`,
    ...env,
  }
  const roles = new Map<RoleName, Running[]>(ROLES.map((role) => [role, []]))

  const start = async (role: RoleName): Promise<Running> => {
    const started = await startBaoco(place, settings, role)
    roles.get(role)!.push(started)
    return started
  }

  const first = await start('api')
  const installation = readInstallation(place, first.output())
  await Promise.all([start('project'), start('relay'), start('deliver'), start('deliver')])

  return {
    installation,
    kafka,
    postgres,
    eventStore,
    api: (method, path, body) => callApi(roles.get('api')![0]!, installation.apiKey, method, path, body),
    running: (role) => roles.get(role)!,
    start,
    kill: async (role) => {
      await roles.get(role)!.shift()?.kill()
    },
    claimsOpen: async () => {
      const database = openDatabase(postgres.url(), { poolSize: 1 })
      const [row] = await database.query<{ open: number }>(COUNT_OPEN).finally(() => database.close())
      return row!.open
    },
    close: async () => {
      await Promise.all([...roles.values()].flat().map((each) => each.kill()))
      await Promise.all([kafka.remove(), eventStore.remove(), postgres.remove()])
      await removePlace(place)
    },
  }
}
