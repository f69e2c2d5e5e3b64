// Tests: tests/integration/kafka/serve.test.ts
/**
 * `baoco relay`: publishes events from the event store to the Kafka topic. One process is active, others stand by. With `--from`, it
 * publishes past events again and ends.
 */
import type { Command } from 'commander'
import { RelayProgress } from '../../workflows/relay/relay.ts'
import { databaseAnswers, kafkaAnswers, storeAnswers } from '../process/health-checks.ts'
import { pastMoment } from '../command-parts/moment-argument.ts'
import { relayTo } from '../process/open-log.ts'
import { relayAgain } from '../command-parts/relay-again.ts'
import { runRoles, type Role } from '../process/role.ts'

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
      needs: [storeAnswers(installation), databaseAnswers(installation), kafkaAnswers(topic, progress)],
      run: async (signal) => {
        if (await topic.toWrite.isUsable()) await relayTo(topic, installation, progress, signal)
      },
      // If the process has other roles, they work while the brokers are unavailable, so the start does not wait for them.
      ready: async (_stopping, { isAlone }) =>
        void (await (isAlone ? topic.toWrite.isUsable() : topic.toWrite.firstLook())),
    }
  },
}

export const relay = (program: Command): void => {
  program
    .command(relayRole.name)
    .description(relayRole.description)
    .option(
      '--from <time>',
      'publish the events since a day (in Vietnam) or time again, then exit; the relay may be running',
      (text) => pastMoment(text),
    )
    .option(
      '--rewind',
      'with --from: move the relay back to that time instead, so that all events arrive again in order',
    )
    .action(({ from, rewind = false }: { from?: Date; rewind?: boolean }, command: Command) => {
      if (from) return relayAgain(from, rewind)
      if (rewind) command.error("error: option '--rewind' needs '--from <time>'")
      return runRoles([relayRole])
    })
}
