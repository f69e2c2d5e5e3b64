/** How a child process of the contract opens the Kafka log. */
import { openKafkaLog, type KafkaLogOptions } from '../../../adapters/log/kafka.ts'
import type { Log } from '../../../domain/ports.ts'

/** As short as a broker allows unless told otherwise: a killed consumer's partitions are free after this time. */
export const SESSION_TIMEOUT = 6_000

/** @param argument  `KafkaLogOptions` as JSON */
export const openLog = (argument: string): Promise<Log> =>
  Promise.resolve(openKafkaLog({ ...(JSON.parse(argument) as KafkaLogOptions), sessionTimeout: SESSION_TIMEOUT }))
