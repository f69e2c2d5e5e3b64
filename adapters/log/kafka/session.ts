// Tests: tests/integration/kafka/outage.test.ts
/** One run of a Kafka consumer, from its connection to its end, whatever the cause of the end. */
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { endedWithin } from '../../../workflows/support/ended-within.ts'
import { withAdmin } from './client.ts'
import { consumerFailure } from './consumer-failure.ts'
import { onceReading } from './once-reading.ts'
import { topicExists } from './topic.ts'

/** Milliseconds a fetch waits at the broker for new events. A stop may take as long. */
const FETCH_WAIT = 100

/** Milliseconds until a consumer notices partitions that were added to the topic. A relay that has started since writes to them at once. */
const NEW_PARTITIONS_WITHIN = 10_000

/** Partitions handed over concurrently. */
const SIDE_BY_SIDE = 4

/** Milliseconds the group waits for its other consumers when it rebalances. */
const REBALANCE_TIMEOUT = 30_000

/**
 * Milliseconds without any response after which a consumer is given up. Longer than anything it may legitimately wait for.
 */
const SILENCE = 60_000
const LOOK_EVERY = 5_000

/** Milliseconds. A consumer that takes longer to leave is left to end by itself; the group detects that it is gone. */
const JOIN_WITHIN = 1_000
const LEAVE_WITHIN = 1_000

export interface SessionOptions {
  kafka: Kafka
  topic: string
  groupId: string
  /** Milliseconds after which the group gives up a silent consumer. */
  sessionTimeout: number
  /** Hands a batch over and commits it. The signal aborts when this session is over. */
  takeBatch: (payload: EachBatchPayload, isOver: AbortSignal) => Promise<void>
  /** Called once, when the consumer reads the topic: each broker has answered, and the client understood it. */
  onWorking: () => void
  /** Called with the reason if a session ends after it had started to work. */
  report: (error: unknown) => void
}

/**
 * Resolves when the signal aborts, or when the consumer ended after it had started to work.
 * @throws the reason if it never started to work
 */
export const consumerSession = async (options: SessionOptions, signal: AbortSignal): Promise<void> => {
  const { kafka, topic, groupId, sessionTimeout, takeBatch, report } = options
  const over = new AbortController()
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout,
    rebalanceTimeout: REBALANCE_TIMEOUT,
    heartbeatInterval: Math.floor(sessionTimeout / 6),
    maxWaitTimeInMs: FETCH_WAIT,
    metadataMaxAge: NEW_PARTITIONS_WITHIN,
    allowAutoTopicCreation: false,
    // The consumer must not restart by itself, because nothing could stop it then.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: () => Promise.resolve(false) },
  })

  let isWorking = false
  onceReading(consumer, () => {
    isWorking = true
    options.onWorking()
  })
  const silence = watchSilence(consumer)
  const eachBatch = (payload: EachBatchPayload) => silence.whileBusy(() => takeBatch(payload, over.signal))

  const starting = async (): Promise<void> => {
    if (!(await withAdmin(kafka, (admin) => topicExists(admin, topic, 'Read'))))
      throw new Error(`the topic ${topic} does not exist yet: the relay creates it`)
    if (over.signal.aborted) return
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: true,
      partitionsConsumedConcurrently: SIDE_BY_SIDE,
      eachBatch,
    })
  }

  const ending = new Promise<Error | null>((resolve) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error))
    const watch = setInterval(() => {
      if (silence.isTooLong()) resolve(new Error('no response for a minute'))
    }, LOOK_EVERY)
    const stop = (): void => resolve(null)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    over.signal.addEventListener('abort', () => {
      clearInterval(watch)
      signal.removeEventListener('abort', stop)
    })
  })

  const started = starting()
  const failed = started.then(() => ending).catch((error: Error) => error)
  const error = await Promise.race([ending, failed])
  over.abort()
  await leave(consumer, started)
  if (error === null || signal.aborted) return
  const reason = await consumerFailure(error, { kafka, topic, groupId })
  if (!isWorking) throw reason
  report(reason)
}

/** Notices that the broker has not responded for long, except while a batch is being handed over. */
const watchSilence = (consumer: Consumer) => {
  let answeredAt = performance.now()
  let busy = 0
  const { GROUP_JOIN, FETCH, HEARTBEAT } = consumer.events
  for (const event of [GROUP_JOIN, FETCH, HEARTBEAT] as const)
    consumer.on(event as typeof FETCH, () => void (answeredAt = performance.now()))
  return {
    whileBusy: async (work: () => Promise<void>): Promise<void> => {
      busy++
      await work().finally(() => {
        busy--
        answeredAt = performance.now()
      })
    },
    isTooLong: (): boolean => busy === 0 && performance.now() - answeredAt > SILENCE,
  }
}

/**
 * A consumer that leaves while it is joining stays an unreachable member, and the whole group waits for it. So it joins
 * first. If joining takes too long, its connection is cut, and cut again if it joins later.
 */
const leave = async (consumer: Consumer, started: Promise<unknown>): Promise<void> => {
  await endedWithin(JOIN_WITHIN, started)
  const left = consumer.disconnect().finally(() =>
    started.then(
      () => consumer.disconnect(),
      () => {},
    ),
  )
  await endedWithin(LEAVE_WITHIN, left)
}
