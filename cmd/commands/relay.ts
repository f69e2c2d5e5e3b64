/** `baoco relay`: fills the Kafka topic from the event store; one is active, others stand by. */
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
      // The other roles of a process do their work while the brokers are away.
      ready: async (_stopping, { isAlone }) => void (await (isAlone ? topic.isOurs() : topic.firstLook())),
    }
  },
}

export const relay = roleCommand(relayRole)
