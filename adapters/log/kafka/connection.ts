// Tests: tests/integration/kafka/acls.test.ts
/**
 * Requests that the interface of kafkajs does not offer. Its `Kafka` objects create the connections that its consumers use. That
 * method is private to kafkajs, so its name may change in another version.
 */
import type { Kafka, KafkaMessage } from 'kafkajs'

export interface FetchRequest {
  /** 0 reads all messages, also those of transactions that are still open. */
  isolationLevel: 0
  maxWaitTime: number
  minBytes: number
  maxBytes: number
  topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[]
}

interface BrokerConnection {
  fetch(request: FetchRequest): Promise<{ responses: { partitions: { messages: KafkaMessage[] }[] }[] }>
  findGroupCoordinator(request: { groupId: string; coordinatorType: 0 }): Promise<unknown>
}

export interface Connection {
  connect(): Promise<void>
  disconnect(): Promise<void>
  addTargetTopic(topic: string): Promise<void>
  getNodeIds(): string[]
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>
  findBroker(broker: { nodeId: string }): Promise<BrokerConnection>
}

type CreatesConnections = Record<symbol, (options: { allowAutoTopicCreation: boolean }) => Connection>

/** Connects for the duration of some work. */
export const withConnection = async <Result>(
  kafka: Kafka,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> => {
  const create = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  )
  if (!create) throw new Error('this version of kafkajs has no such connections')
  const connection = (kafka as unknown as CreatesConnections)[create]!({ allowAutoTopicCreation: false })
  try {
    await connection.connect()
    return await work(connection)
  } finally {
    await connection.disconnect()
  }
}
