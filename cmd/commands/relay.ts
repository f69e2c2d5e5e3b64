// Tests: tests/integration/kafka/serve.test.ts
/** `baoco relay`: publishes events from the event store to the Kafka topic. One process is active, others stand by. */
import { RelayProgress } from '../../workflows/relay/relay.ts'
import { databaseAnswers, kafkaAnswers, storeAnswers } from '../process/health-checks.ts'
import { relayTo } from '../process/open-log.ts'
import { roleCommand, type Role } from '../process/role.ts'

export const relayRole: Role = {
  name: 'relay',
  description: 'publish events to the Kafka topic; one process is active, others stand by',
  idle: 'KAFKA_BROKERS is not set, so delivery reads the event store itself',

  open: (installation) => {
    const { topic, metrics } = installation
    if (!topic) return null
    const progress = new RelayProgress()
    metrics.watchRelay(() => progress.lag(new Date()))
    return {
      follows: true,
      needs: [storeAnswers(installation), databaseAnswers(installation), kafkaAnswers(topic)],
      run: async (signal) => {
        if (await topic.isOurs()) await relayTo(topic, installation, progress, signal)
      },
      // If the process has other roles, they work while the brokers are unavailable, so the start does not wait for them.
      ready: async (_stopping, { isAlone }) => void (await (isAlone ? topic.isOurs() : topic.firstLook())),
    }
  },
}

export const relay = roleCommand(relayRole)
