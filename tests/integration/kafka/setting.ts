/** Opens a store with its read models, relays in this process and in others, and delivery workers that read the topic. */
import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KafkaSettings } from '../../../adapters/log/kafka/client.ts'
import { openKafkaLog } from '../../../adapters/log/kafka.ts'
import { openKafkaPublisher, type PublisherOptions } from '../../../adapters/log/kafka/publisher.ts'
import { openLease } from '../../../adapters/database/lease.ts'
import { openRelayCheckpoint } from '../../../adapters/postgres/ops/relay-checkpoint.ts'
import type { DeliveryOptions } from '../../../workflows/deliver/delivery-options.ts'
import { runRelay } from '../../../workflows/relay/relay.ts'
import { bundledScript } from '../../harness/bundled-script.ts'
import { kafkaClient } from '../../harness/kafka/broker.ts'
import { openDeliverySetting } from '../delivery/setting.ts'
import { readTopic, type TopicReader } from './topic-reader.ts'

const RELAY = fileURLToPath(new URL('relaying-child.ts', import.meta.url))

/** Milliseconds. The shortest timeout that a broker accepts. */
const SESSION_TIMEOUT = 6_000

export interface RelayProcess {
  process: ChildProcess
  /** The names of its log lines. */
  logged: string[]
  kill(): Promise<void>
}

/** @param address  the broker's address */
export const openKafkaSetting = async (address: string) => {
  const base = await openDeliverySetting()
  const kafka = { brokers: [address], topic: `test.${randomUUID()}`, installation: randomUUID() as string }
  const relays = new Set<() => Promise<void>>()
  const processes = new Set<RelayProcess>()
  const readers = new Set<TopicReader>()
  const setting = {
    ...base,
    kafka,
    address,

    /**
     * Starts a relay. Returns its log lines and a function that stops it.
     * @param other  settings that differ from the default
     * @param reasons  receives the reasons in its log lines
     */
    relay: (other: Partial<PublisherOptions> = {}, reasons: string[] = []) => {
      const stop = new AbortController()
      const logged: string[] = []
      const tell = (fields: { reason?: string }, what: string) => {
        logged.push(what)
        if (fields.reason) reasons.push(fields.reason)
      }
      const running = runRelay(
        {
          store: base.store,
          publisher: openKafkaPublisher({ ...kafka, source: 'https://pay.example.vn', ...other }),
          checkpoint: openRelayCheckpoint(base.database, kafka.topic),
          lease: openLease({ database: base.database, name: `relay ${kafka.topic}`, lookEvery: 100 }),
          log: { info: tell, warn: tell },
        },
        stop.signal,
      )
      const end = async (): Promise<void> => {
        relays.delete(end)
        stop.abort()
        await running
      }
      relays.add(end)
      return { logged, stop: end }
    },

    /**
     * @param lasts duration of its lease in milliseconds; default: the production value
     * @param other settings that differ from the default
     */
    relayProcess: async (
      lasts?: number,
      other: Partial<KafkaSettings> = {},
      env: NodeJS.ProcessEnv = {},
    ): Promise<RelayProcess> => {
      const script = await bundledScript(RELAY)
      const args = [base.url, JSON.stringify({ ...kafka, ...other }), ...(lasts ? [String(lasts)] : [])]
      const child = fork(script, args, { execArgv: [], env: { ...process.env, ...env } })
      const logged: string[] = []
      child.on('message', (what) => logged.push(String(what)))
      const relay: RelayProcess = {
        process: child,
        logged,
        kill: async () => {
          processes.delete(relay)
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGKILL')
          await once(child, 'exit')
        },
      }
      processes.add(relay)
      return relay
    },

    log: (onFailure: (error: unknown) => void = () => {}) =>
      openKafkaLog({
        ...kafka,
        isAfter: (a, b) => base.store.isAfter(a, b),
        sessionTimeout: SESSION_TIMEOUT,
        onFailure,
      }),

    /** A delivery worker that reads the topic, as in a process of its own. */
    kafkaWorker: (options: Partial<DeliveryOptions> = {}) => base.worker({ log: setting.log(), ...options }),

    reader: async (): Promise<TopicReader> => {
      const reader = await readTopic(address, kafka.topic)
      readers.add(reader)
      return reader
    },

    /** Runs a function with an admin client of the broker. */
    admin: async <Answer>(ask: (admin: ReturnType<ReturnType<typeof kafkaClient>['admin']>) => Promise<Answer>) => {
      const admin = kafkaClient(address).admin()
      await admin.connect()
      return ask(admin).finally(() => admin.disconnect())
    },

    close: async () => {
      await Promise.all([...processes].map((relay) => relay.kill()))
      await Promise.all([...relays].map((stop) => stop()))
      await Promise.all([...readers].map((reader) => reader.close()))
      await base.close()
    },
  }
  return setting
}

export type KafkaSetting = Awaited<ReturnType<typeof openKafkaSetting>>
