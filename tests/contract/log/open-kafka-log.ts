/** Opens the Kafka log in a child process of the contract. */
import { openKafkaLog } from '../../../adapters/log/kafka.ts'
import type { KafkaSettings } from '../../../adapters/log/kafka/client.ts'
import type { Log } from '../../../domain/ports.ts'

/** The shortest timeout that a broker allows by default. The partitions of a killed consumer are free after this time. */
const SESSION_TIMEOUT = 6_000

/** @param argument  `KafkaSettings` as JSON */
export const openLog = (argument: string): Promise<Log> =>
  Promise.resolve(
    openKafkaLog({
      ...(JSON.parse(argument) as KafkaSettings),
      isAfter: () => false,
      sessionTimeout: SESSION_TIMEOUT,
    }),
  )
