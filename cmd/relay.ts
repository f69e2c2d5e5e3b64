/** `baoco relay`: fills the Kafka topic from the event store; one is active, others stand by. */
import { databaseAnswers, storeAnswers } from './needs.ts'
import { openRelay } from './open-log.ts'
import { roleCommand, type Role } from './role.ts'

export const relayRole: Role = {
  name: 'relay',
  description: 'fills the Kafka topic from the event store; one is active, others stand by',

  idle: 'KAFKA_BROKERS is not set, so delivery reads the event store itself',

  open: (installation) => {
    const relay = openRelay(installation)
    if (!relay) return null
    return {
      follows: true,
      needs: [storeAnswers(installation), databaseAnswers(installation)],
      run: relay.run,
    }
  },
}

export const relay = roleCommand(relayRole)
