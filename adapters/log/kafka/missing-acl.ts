// Tests: tests/integration/kafka/acls.test.ts
/**
 * Rights that the Kafka user lacks. A broker only answers that something is not authorized, so each step names the ACL that
 * it needs. docs/kafka.md lists the ACLs of each role.
 */
export interface Acl {
  operation: 'Read' | 'Write' | 'Create' | 'DescribeConfigs'
  resource: 'topic' | 'group'
  name: string
}

export class MissingAcl extends Error {
  override name = 'MissingAcl'
  constructor({ operation, resource, name }: Acl, cause: unknown) {
    super(`the Kafka user needs the ACL ${operation} on the ${resource} ${name}`, { cause })
  }
}

interface KafkaFailure {
  type?: string
  cause?: unknown
  originalError?: unknown
  errors?: readonly unknown[]
}

/** Whether a broker answered with an error of this type. kafkajs wraps that error in others. */
export const hasType = (error: unknown, type: RegExp): boolean => {
  if (typeof error !== 'object' || error === null) return false
  const failure = error as KafkaFailure
  if (type.test(failure.type ?? '')) return true
  return [failure.cause, failure.originalError, ...(failure.errors ?? [])].some((inner) => hasType(inner, type))
}

/** @returns the missing ACL if a broker refused a step for want of it, otherwise the error itself */
export const orMissing = (acl: Acl, error: unknown): unknown =>
  hasType(error, /_AUTHORIZATION_FAILED$/) ? new MissingAcl(acl, error) : error

/** @throws {MissingAcl} if a broker refuses the step · any other error of the step */
export const needing = async <Result>(acl: Acl, step: () => Promise<Result>): Promise<Result> => {
  try {
    return await step()
  } catch (error) {
    throw orMissing(acl, error)
  }
}
