// Tests: tests/integration/kafka/again.test.ts
/** `baoco relay --from`: publishes past events to the topic again, whether or not a relay runs. */
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { endLease } from '../../adapters/database/lease.ts'
import { moveRelayCheckpoint, openRelayCheckpoint } from '../../adapters/postgres/ops/relay-checkpoint.ts'
import { positionBefore, publishAgain } from '../../workflows/relay/publish-again.ts'
import { reportEventCount } from './progress.ts'
import { publisherTo, relayLeaseOf } from '../process/open-log.ts'
import { checkTopic, kafkaOf } from '../process/open-topic.ts'
import { recognise } from '../process/recognise-installation.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { withStore } from './with-store.ts'

/**
 * @param rewind  whether the relay itself publishes them, in order
 * @throws an error whose message says in one line why nothing was published
 */
export const relayAgain = (from: Date, rewind: boolean): Promise<void> =>
  withStore(async ({ settings, database, store, log }) => {
    const servers = kafkaOf(settings)
    if (!servers) throw new Error('KAFKA_BROKERS is not set, so there is no topic to publish to')
    const kafka = { ...servers, installation: await recognise({ settings, store, database, clock }) }
    const { topic } = kafka
    const signal = stopSignal()
    const past = { store, checkpoint: openRelayCheckpoint(database, topic), from }
    if (rewind) {
      await moveRelayCheckpoint(database, topic, await positionBefore(past, signal))
      await endLease(database, relayLeaseOf(topic))
      console.log(`the relay publishes the events since ${from.toISOString()} again`)
      return
    }
    await checkTopic(kafka)
    const publisher = publisherTo(kafka, settings, log)
    const published = await publishAgain({ ...past, publisher, log, onProgress: reportEventCount('published') }, signal)
    console.log(
      `${published} events since ${from.toISOString()} published again${signal.aborted ? ', then stopped' : ''}`,
    )
    if (signal.aborted) process.exitCode = 1
  })
