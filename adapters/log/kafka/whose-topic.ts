/**
 * Finds the installation that owns a topic, from the topic's newest event. Checked at the start, so that two installations
 * that were given one topic by mistake do not mix their events.
 */
import { randomUUID } from 'node:crypto'
import type { Consumer, EachMessagePayload, Kafka } from 'kafkajs'
import { openKafkaClient, kafkaError, type KafkaSettings } from './client.ts'
import { installationIn } from './cloud-event.ts'
import { endedWithin } from './within.ts'

/** Milliseconds. */
const LOOK_WITHIN = 8_000
const LEAVE_WITHIN = 1_000

/**
 * @returns the id of the installation that wrote the newest event of a partition. Null if the topic is missing or empty, or
 *   if its events come from a version that did not record the id.
 * @throws if no broker answers
 */
export const whoseTopic = async (settings: KafkaSettings): Promise<string | null> => {
  const kafka = openKafkaClient(settings)
  try {
    const newest = await newestOffset(kafka, settings.topic)
    return newest && (await look(kafka, settings.topic, newest))
  } catch (error) {
    throw kafkaError(settings, error)
  }
}

interface TopicPosition {
  partition: number
  offset: string
}

const newestOffset = async (kafka: Kafka, topic: string): Promise<TopicPosition | null> => {
  const admin = kafka.admin()
  await admin.connect()
  try {
    if (!(await admin.listTopics()).includes(topic)) return null
    const partitions = await admin.fetchTopicOffsets(topic)
    const used = partitions.find(({ low, high }) => BigInt(high) > BigInt(low))
    return used ? { partition: used.partition, offset: String(BigInt(used.high) - 1n) } : null
  } finally {
    await admin.disconnect()
  }
}

/** Kafka cannot be read without a group, so this creates a temporary one. */
const look = async (kafka: Kafka, topic: string, { partition, offset }: TopicPosition): Promise<string | null> => {
  const groupId = `${topic}.look.${randomUUID()}`
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100, allowAutoTopicCreation: false })
  try {
    return await newestIn(consumer, topic, { partition, offset })
  } finally {
    await endedWithin(LEAVE_WITHIN, consumer.disconnect())
    void forget(kafka, groupId).catch(() => {})
  }
}

/** @throws if the topic cannot be read, also if the group is lost at the moment of joining */
export const newestIn = async (
  consumer: Consumer,
  topic: string,
  { partition, offset }: TopicPosition,
): Promise<string | null> => {
  await consumer.connect()
  await consumer.subscribe({ topic })
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the topic could not be read in time')), LOOK_WITHIN)
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
    const eachMessage = async ({ partition: of, message }: EachMessagePayload): Promise<void> => {
      if (of !== partition) return
      clearTimeout(late)
      resolve(installationIn(message.headers))
    }
    consumer
      .run({ autoCommit: false, eachMessage })
      .then(() => consumer.seek({ topic, partition, offset }))
      .catch(reject)
  })
}

const forget = async (kafka: Kafka, groupId: string): Promise<void> => {
  const admin = kafka.admin()
  await admin.connect()
  await admin.deleteGroups([groupId]).finally(() => admin.disconnect())
}
