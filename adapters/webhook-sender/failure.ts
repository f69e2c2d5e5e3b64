// Tests: tests/integration/webhook-sender/sender.test.ts
/** The reason why a call got no answer: a class for programs and a sentence for people. */

export type FailureClass =
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'response_too_large'
  | 'private_address'
  | 'invalid_url'
  | 'stopped'

export class Failure extends Error {
  override name = 'Failure'
  readonly kind: FailureClass
  constructor(kind: FailureClass, words: string) {
    super(words)
    this.kind = kind
  }
}

const KINDS: readonly (readonly [RegExp, FailureClass, string])[] = [
  [/^ECONNREFUSED$/, 'refused', 'The endpoint refused the connection.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)$/, 'unreachable', 'The endpoint cannot be reached.'],
  [/^(ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timeout', 'The endpoint did not answer in time.'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'response_too_large', "The answer's status line and headers are longer than 64 KB."],
  // undici's error of its parser has no code, but a name.
  [/^(HTTPParserError$|HPE_|UND_ERR_RES)/, 'protocol', 'The answer was not valid HTTP.'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/, 'tls', 'The secure connection failed: the server does not speak TLS on this port.'], // prettier-ignore
  [/^(EPROTO|ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERROR_IN_CERT|INVALID_CA|HOSTNAME_MISMATCH)/, 'tls', 'The secure connection failed: '], // prettier-ignore
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'reset', 'The connection was closed before an answer came.'], // prettier-ignore
]

/**
 * A message may quote text from the endpoint, such as names in its certificate. Reduces it to one line without control
 * characters.
 */
const shortened = (message: string): string => message.slice(0, 200).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')

/** OpenSSL's reason is the fifth of the fields of its message; the others are for its developers. */
const withoutFields = (message: string): string => /:error:\w+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1] ?? message

/** Converts any error of the network layers to a failure. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  const {
    name = '',
    code = name,
    message = String(error),
  } = error as { name?: string; code?: string; message?: string }
  // undici's "socket error" for an endpoint that wants to switch to another protocol.
  if (message === 'bad upgrade') return new Failure('protocol', 'The answer was not valid HTTP.')
  const [, kind, words] = KINDS.find(([pattern]) => pattern.test(code)) ?? []
  if (kind && words?.endsWith(': ')) return new Failure(kind, words + shortened(withoutFields(message)))
  return kind && words ? new Failure(kind, words) : new Failure('protocol', `The call failed: ${shortened(message)}`)
}
