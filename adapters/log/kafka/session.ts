/** One life of a Kafka consumer: from its connection to its end, by whatever cause. */
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { ensureTopic } from './topic.ts'
import { endedWithin } from './within.ts'

/** Milliseconds a fetch waits at the broker for something new: also how long a stop may take. */
const FETCH_WAIT = 100

/** Partitions handed over at a time. */
const SIDE_BY_SIDE = 4

/** Milliseconds the others of a group are waited for when it shares out its partitions anew. */
const REBALANCE_TIMEOUT = 30_000

/** Milliseconds without any sign of life after which a consumer is given up: above all that it may rightly wait for. */
const SILENCE = 60_000
const LOOK_EVERY = 5_000

/** Milliseconds. What takes longer to leave is left to end by itself; the group finds out. */
const JOIN_WITHIN = 1_000
const LEAVE_WITHIN = 1_000

export interface SessionOptions {
  kafka: Kafka
  topic: string
  groupId: string
  /** Milliseconds after which the group gives a silent consumer up. */
  sessionTimeout: number
  /** Hands a batch over and commits it; the signal aborts when this session is over. */
  takeBatch: (payload: EachBatchPayload, isOver: AbortSignal) => Promise<void>
  /** Told whenever it has a part of the topic to read. */
  onWorking: () => void
  /** Told why a session ended that had come to work. */
  tell: (error: unknown) => void
}

/**
 * Resolves when the signal aborts, or when the consumer ended after it had come to work.
 * @throws why it never came to work
 */
export const consumerSession = async (options: SessionOptions, signal: AbortSignal): Promise<void> => {
  const { kafka, topic, groupId, sessionTimeout, takeBatch, tell } = options
  const over = new AbortController()
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout,
    rebalanceTimeout: REBALANCE_TIMEOUT,
    heartbeatInterval: Math.floor(sessionTimeout / 6),
    maxWaitTimeInMs: FETCH_WAIT,
    allowAutoTopicCreation: false,
    // It must not restart by itself: nothing could stop it then.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: () => Promise.resolve(false) },
  })

  let isWorking = false
  let heardAt = performance.now()
  let busy = 0
  const { GROUP_JOIN, FETCH, HEARTBEAT, CRASH } = consumer.events
  for (const event of [GROUP_JOIN, FETCH, HEARTBEAT] as const)
    consumer.on(event as typeof FETCH, () => void (heardAt = performance.now()))
  consumer.on(GROUP_JOIN, () => {
    isWorking = true
    options.onWorking()
  })

  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    busy++
    await takeBatch(payload, over.signal).finally(() => {
      busy--
      heardAt = performance.now()
    })
  }

  const starting = async (): Promise<void> => {
    await ensureTopic(kafka, topic)
    if (over.signal.aborted) return
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: true, partitionsConsumedConcurrently: SIDE_BY_SIDE, eachBatch }) // prettier-ignore
  }

  const ending = new Promise<Error | null>((resolve) => {
    consumer.on(CRASH, ({ payload }) => resolve(payload.error))
    const watch = setInterval(() => {
      if (busy === 0 && performance.now() - heardAt > SILENCE) resolve(new Error('no response for a minute'))
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
  const failed = started.then(() => ending, (error: Error) => error) // prettier-ignore
  const error = await Promise.race([ending, failed])
  over.abort()
  await leave(consumer, started)
  if (error === null || signal.aborted) return
  if (!isWorking) throw error
  tell(error)
}

/**
 * A consumer that goes while it is joining stays a member that nobody hears of, for whom the whole group waits: so it comes in
 * first. Where that takes too long its connection is cut, and once more when it has come in all the same.
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
