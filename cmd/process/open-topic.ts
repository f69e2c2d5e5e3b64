// Tests: tests/integration/kafka/serve.test.ts
/** Opens the Kafka topic that the settings name, and checks whether it belongs to this installation. */
import { setTimeout as pause } from 'node:timers/promises'
import { reachKafka, type KafkaSettings, type KafkaTopic } from '../../adapters/log/kafka/client.ts'
import { whoseTopic } from '../../adapters/log/kafka/whose-topic.ts'
import type { LogLines } from '../../adapters/telemetry/log-lines.ts'
import type { Settings } from './settings.ts'
import { untilThere } from './wait-for-servers.ts'

/** How long a start waits for the owner of the topic if it can work without the result. In milliseconds. */
const FIRST_LOOK = 5_000

export interface Topic {
  settings: KafkaSettings
  /** For health checks. @throws if no broker answers */
  check(): Promise<void>
  /**
   * Waits for brokers that are unavailable, and logs that.
   * @returns whether the topic belongs to this installation; false only if the process must stop while it waits
   * @throws a one-line error if the topic has events of another installation
   */
  isOurs(): Promise<boolean>
  /** Resolves when the result of `isOurs` is known, the brokers are found unavailable, or 5 s have passed. @throws as `isOurs` */
  firstLook(): Promise<void>
}

/** The topic has events of another installation. */
class TopicOfAnother extends Error {
  constructor({ topic, installation }: KafkaSettings, whose: string) {
    super(
      `the topic ${topic} has the events of another installation (${whose}; this one is ${installation}): name one of its own in KAFKA_TOPIC`,
    )
  }
}

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
