// Tests: tests/integration/eventstoredb/wrong-settings.test.ts
/**
 * Decides which errors of the client mean that the server did not answer, and not that it refused. The same failure may
 * arrive as a class of the client, as a plain error with a gRPC code, or as an error with neither, depending on where it is
 * detected. So this file lists the known refusals. After any other error the outcome is unknown.
 */
import { ErrorType, NotLeaderError, isCommandError } from '@eventstore/db-client'
import { StoreWentBack } from '../../../domain/errors.ts'

/** A call that we gave up. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** The server refused the login, and has never accepted it since the connection was opened. */
export class LoginRefused extends Error {
  override name = 'LoginRefused'
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

/** gRPC: invalid argument, permission denied, unimplemented. */
const REFUSING_CODES: ReadonlySet<unknown> = new Set([3, 7, 12])
/** gRPC: unauthenticated. */
const NO_LOGIN = 16

/** Whether the server refused the user or the password. It is asked for them with each call. */
export const isLoginRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === NO_LOGIN

/** A refused login is one: the password is being changed. A start ends then, because it has never been right (`LoginRefused`). */
export const isOutage = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false
  if (error instanceof StoreWentBack || error instanceof LoginRefused) return false
  if (isLoginRefused(error)) return true
  if (isCommandError(error) && REFUSALS.has(error.type)) return false
  return !('code' in error && REFUSING_CODES.has(error.code))
}

/** The client wraps the error of a connection. */
const WRAPPED = /^14 UNAVAILABLE: No connection established\. Last error: (?:Error: )?(.*?)\. Resolution note: /s

/** Causes that a setting corrects, by the client's message. */
const CAUSES: readonly [client: RegExp, reason: string | ((message: string) => string)][] = [
  // A server without TLS answers a TLS client with an ordinary HTTP error.
  [/wrong version number/i, 'the server speaks no TLS: add ?tls=false'],
  [/^Failed to connect \(/, 'the server closed the connection: if it uses TLS, remove tls=false'],
  [
    /self[- ]signed certificate|unable to (?:verify|get)\b.*certificate/i,
    (message) => `the server's certificate is not trusted (${message}): check tlsCAFile`,
  ],
  [/Name resolution failed/, 'the host name was not found: check the hosts in EVENTSTORE_URL'],
  [
    /^Failed to discover/,
    'no node of the cluster can be used: if it is not electing a leader, check hosts, tls and tlsCAFile in EVENTSTORE_URL',
  ],
]

/** Why the server did not answer, in words that help to correct a setting. */
export const reasonOf = (error: unknown): string => {
  if (isLoginRefused(error)) return 'the server refused the user or the password of EVENTSTORE_URL'
  const { message } = error as Error
  const inner = WRAPPED.exec(message)?.[1] ?? message
  const [, reason = inner] = CAUSES.find(([client]) => client.test(inner)) ?? []
  return typeof reason === 'string' ? reason : reason(inner)
}

/**
 * Whether the connection must be replaced. A redirect to the leader keeps it, because the client follows the redirect itself.
 * A server that reports that it was too slow, or refuses the login, is reachable, so its connection is kept too.
 */
export const breaksConnection = (error: unknown): boolean =>
  error instanceof Error &&
  isOutage(error) &&
  !isLoginRefused(error) &&
  !(error instanceof NoAnswer) &&
  !(error instanceof NotLeaderError) &&
  !(isCommandError(error) && error.type === ErrorType.DEADLINE_EXCEEDED)
