import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { openKafkaInstallation } from './kafka-installation.ts'
import { logContract } from './log-contract.ts'
import { openLog } from './open-kafka-log.ts'

describe('with a Kafka broker', () => {
  needsKafka()

  logContract('kafka', async () => {
    const { address } = await sharedKafka()
    const installation = await openKafkaInstallation(address)
    installation.relay()
    const argument = JSON.stringify(installation.kafka)
    return {
      store: installation.store,
      log: await openLog(argument),
      another: () => openLog(argument),
      child: { module: new URL('open-kafka-log.ts', import.meta.url).href, argument },
      close: installation.close,
    }
  })
})
