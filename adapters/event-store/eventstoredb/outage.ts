/**
 * Which errors of the client mean "no answer" rather than "no". The same failure comes as a class of the client, as a plain
 * error with a gRPC code or as one with neither, depending on where it is met; so what the server is known to refuse by is
 * listed, and everything else leaves the outcome unknown.
 */
import { ErrorType, NotLeaderError, isCommandError } from '@eventstore/db-client'

/** A call of ours that was given up. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

const REFUSALS: ReadonlySet<string> = new Set([
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.NO_STREAM,
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.INVALID_TRANSACTION,
  ErrorType.STREAM_DELETED,
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.MISSING_REQUIRED_METADATA_PROPERTY,
  ErrorType.UNSUPPORTED,
])

/** gRPC: invalid argument, permission denied, unimplemented, unauthenticated. */
const REFUSING_CODES: ReadonlySet<unknown> = new Set([3, 7, 12, 16])

export const isOutage = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false
  if (isCommandError(error) && REFUSALS.has(error.type)) return false
  return !('code' in error && REFUSING_CODES.has(error.code))
}

/**
 * Whether the connection is to be given up for a new one. Who is sent to the leader stays: the client goes there by itself;
 * and a server that says it was too slow is there.
 */
export const breaksConnection = (error: unknown): boolean =>
  error instanceof Error &&
  isOutage(error) &&
  !(error instanceof NoAnswer) &&
  !(error instanceof NotLeaderError) &&
  !(isCommandError(error) && error.type === ErrorType.DEADLINE_EXCEEDED)
