// Tests: tests/integration/kafka/acls.test.ts
/** Why a consumer ended: if it lacks an ACL, which one; if it cannot read the messages, what to change. */
import type { Kafka } from 'kafkajs'
import { withConnection } from './connection.ts'
import { hasType, MissingAcl, orMissing, type Acl } from './missing-acl.ts'
import { isUnreadable, unreadable } from './topic.ts'

/** @returns the missing ACL if there is one, or what makes the messages unreadable, otherwise the error itself */
export const consumerFailure = async (
  error: Error,
  { kafka, topic, groupId }: { kafka: Kafka; topic: string; groupId: string },
): Promise<unknown> => {
  if (isUnreadable(error)) return unreadable(error, topic)
  // Here kafkajs hides the answer of the brokers.
  const isHidden = error.name === 'KafkaJSGroupCoordinatorNotFound'
  const answer = isHidden ? await coordinatorAnswer(kafka, topic, groupId) : error
  const acl: Acl = hasType(answer, /^GROUP_/)
    ? { operation: 'Read', resource: 'group', name: groupId }
    : { operation: 'Read', resource: 'topic', name: topic }
  const reason = orMissing(acl, answer)
  return reason instanceof MissingAcl ? reason : error
}

/** Asks a broker for the group's coordinator. @returns its answer, or the error instead of it */
const coordinatorAnswer = (kafka: Kafka, topic: string, groupId: string): Promise<unknown> =>
  withConnection(kafka, async (connection) => {
    await connection.addTargetTopic(topic)
    const [nodeId = ''] = connection.getNodeIds()
    const broker = await connection.findBroker({ nodeId })
    return broker.findGroupCoordinator({ groupId, coordinatorType: 0 })
  }).catch((error: unknown) => error)
