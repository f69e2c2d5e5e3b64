/**
 * When a consumer works. Being assigned a part of the topic is not enough: the client may be unable to read its messages. A consumer asks all
 * brokers at the same time.
 */
import type { Consumer } from 'kafkajs'

/**
 * Milliseconds. A broker is asked again sooner than that, even if it does not answer. So one that was not has left the cluster: it broke down
 * when this consumer began.
 */
const LEFT_AFTER = 30_000

/** Calls `act` once each broker has answered. @param leftAfter  only tests change it */
export const onceReading = (
  consumer: Pick<Consumer, 'on' | 'events'>,
  act: () => void,
  leftAfter = LEFT_AFTER,
): void => {
  /** When each broker was last asked. */
  const asked = new Map<number, number>()
  const answered = new Set<number>()
  const { FETCH_START, FETCH } = consumer.events
  const stopAsked = consumer.on(FETCH_START, ({ payload }) => void asked.set(payload.nodeId, performance.now()))
  const stopAnswered = consumer.on(FETCH, ({ payload }) => {
    answered.add(payload.nodeId)
    const now = performance.now()
    for (const [node, at] of asked) if (!answered.has(node) && now - at < leftAfter) return
    stopAsked()
    stopAnswered()
    act()
  })
}
