// Tests: tests/integration/kafka/serve.test.ts
/** Opens the Kafka topic that the settings name, and checks whether this installation may use it. */
import { setTimeout as pause } from 'node:timers/promises'
import { reachKafka, type KafkaSettings, type KafkaTopic } from '../../adapters/log/kafka/client.ts'
import { CompactedTopic, keepsAll } from '../../adapters/log/kafka/topic.ts'
import { whoseTopic } from '../../adapters/log/kafka/whose-topic.ts'
import type { LogLines } from '../../domain/ports.ts'
import type { Settings } from '../settings/settings.ts'
import { untilThere } from './wait-for-servers.ts'

/** How long a start waits for the check of the topic if it can work without the result. In milliseconds. */
const FIRST_LOOK = 5_000

export interface Topic {
  settings: KafkaSettings
  /** For health checks. @throws if no broker answers */
  answers(): Promise<void>
  /** Whether the topic belongs to this installation. */
  toRead: Check
  /** Whether it does, and keeps all events. */
  toWrite: Check
}

/** A check of the topic. It is made once, when its result is first needed. */
export interface Check {
  /**
   * Waits for brokers that are unavailable and for missing ACLs, and logs that.
   * @returns false only if the process must stop while it waits
   * @throws a one-line error if the topic cannot be used
   */
  isUsable(): Promise<boolean>
  /** Resolves when the result is known, the check waits, or 5 s have passed. @throws as `isUsable` */
  firstLook(): Promise<void>
  /** The failure that the check waits out, for health checks; null if it does not wait. */
  failure(): unknown
}

/** The topic has events of another installation. */
class TopicOfAnother extends Error {
  constructor({ topic, installation }: KafkaSettings, whose: string) {
    super(
      `the topic ${topic} has the events of another installation (${whose}; this one is ${installation}): name another topic in KAFKA_TOPIC`,
    )
  }
}

/** The topic itself must change, or another one must be named. To wait would not help. */
const isFatal = (error: unknown): boolean => error instanceof TopicOfAnother || error instanceof CompactedTopic

/** Null if the log is the store's own subscription. */
export const kafkaOf = ({ kafkaBrokers, kafkaTopic, kafkaSsl, kafkaSasl }: Settings): KafkaTopic | null =>
  kafkaBrokers
    ? { brokers: kafkaBrokers, topic: kafkaTopic, ssl: kafkaSsl, ...(kafkaSasl && { sasl: kafkaSasl }) }
    : null

/** @returns null without Kafka */
export const openTopic = (
  given: Settings,
  installation: string,
  log: LogLines,
  stopping: AbortSignal,
): Topic | null => {
  const kafka = kafkaOf(given)
  if (!kafka) return null
  const settings: KafkaSettings = { ...kafka, installation }
  const surroundings = { log, stopping }
  return {
    settings,
    answers: () => reachKafka(settings),
    toRead: openCheck(() => checkOwner(settings), surroundings),
    toWrite: openCheck(() => checkTopic(settings), surroundings),
  }
}

const checkOwner = async (settings: KafkaSettings): Promise<void> => {
  const whose = await whoseTopic(settings)
  if (whose !== null && whose !== settings.installation) throw new TopicOfAnother(settings, whose)
}

/** @throws if the topic may not be written to now. The message is one line. */
export const checkTopic = async (settings: KafkaSettings): Promise<void> => {
  await checkOwner(settings)
  await keepsAll(settings)
}

const openCheck = (ask: () => Promise<void>, { log, stopping }: { log: LogLines; stopping: AbortSignal }): Check => {
  let failure: unknown = null
  let waits = (): void => {}
  const waiting = new Promise<void>((resolve) => (waits = resolve))
  const isAway = (error: unknown): boolean => {
    failure = error
    if (isFatal(error)) return false
    waits()
    return true
  }
  const look = async (): Promise<boolean> => {
    try {
      await untilThere({ name: 'kafka', ask, isAway, log, stopping })
      failure = null
      return true
    } catch (error) {
      if (stopping.aborted) return false
      throw error
    }
  }
  let looking: Promise<boolean> | null = null
  const isUsable = () => (looking ??= look())

  return {
    isUsable,
    failure: () => failure,
    firstLook: async () => {
      const over = new AbortController()
      const late = pause(FIRST_LOOK, undefined, { signal: over.signal }).catch(() => {})
      await Promise.race([isUsable(), waiting, late]).finally(() => over.abort())
    },
  }
}
