/** The Kafka topic that the settings name, and whether it is this installation's. */
import { setTimeout as pause } from 'node:timers/promises'
import { reachKafka, type KafkaSettings, type KafkaTopic } from '../../adapters/log/kafka/client.ts'
import { whoseTopic } from '../../adapters/log/kafka/whose-topic.ts'
import type { LogLines } from '../../adapters/telemetry/log-lines.ts'
import type { Settings } from './settings.ts'
import { untilThere } from './wait-for-servers.ts'

/** Milliseconds that a start waits to hear whose topic it is, where it can do its work before it knows. */
const FIRST_LOOK = 5_000

export interface Topic {
  settings: KafkaSettings
  /** For the machine that watches. @throws when no broker answers */
  check(): Promise<void>
  /**
   * Waits for brokers that are away, and says so.
   * @returns whether it is this installation's; false only where the start is to stop meanwhile
   * @throws in one line where it has another's events
   */
  isOurs(): Promise<boolean>
  /** As soon as that is known, or the brokers turn out to be away. @throws as `isOurs` */
  firstLook(): Promise<void>
}

/** It has the events of another installation. */
class TopicOfAnother extends Error {
  constructor({ topic, installation }: KafkaSettings, whose: string) {
    super(
      `the topic ${topic} has the events of another installation (${whose}; this one is ${installation}): name one of its own in KAFKA_TOPIC`,
    )
  }
}

/** null where the log is the store's own subscription */
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
  let isAway = (): void => {}
  const away = new Promise<void>((resolve) => (isAway = resolve))

  const ask = async (): Promise<void> => {
    const whose = await whoseTopic(settings).catch((error: unknown) => {
      isAway()
      throw error
    })
    if (whose !== null && whose !== installation) throw new TopicOfAnother(settings, whose)
  }
  const look = async (): Promise<boolean> => {
    const isAwayError = (error: unknown) => !(error instanceof TopicOfAnother)
    try {
      await untilThere({ name: 'kafka', ask, isAway: isAwayError, log, stopping })
      return true
    } catch (error) {
      if (stopping.aborted) return false
      throw error
    }
  }
  let looking: Promise<boolean> | null = null
  const isOurs = () => (looking ??= look())

  return {
    settings,
    check: () => reachKafka(settings),
    isOurs,
    firstLook: async () => {
      const over = new AbortController()
      const late = pause(FIRST_LOOK, undefined, { signal: over.signal }).catch(() => {})
      await Promise.race([isOurs(), away, late]).finally(() => over.abort())
    },
  }
}
