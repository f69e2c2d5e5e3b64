// Tests: tests/unit/web/app/failure-class.test.ts
/** The class of error of a test call without an answer, as attempts have it. Of such a call the API gives only the sentence. */

const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/ could not be resolved\.$/, 'dns'],
  [/^The endpoint refused the connection\.$/, 'refused'],
  [/^The endpoint cannot be reached\.$/, 'unreachable'],
  [/^The connection was closed before an answer came\.$/, 'reset'],
  [/^The answer was not valid HTTP\.$/, 'protocol'],
  [/^The answer's status line and headers are longer than /, 'response_too_large'],
  [/ is not a public address\.$|^The URL must be a public address\.$/, 'private_address'],
  [/^The secure connection failed/, 'tls'],
  [/^No answer within \d+ seconds\.$|^The endpoint did not answer in time\.$/, 'timeout'],
]

/** @returns null if nothing more is known than what the sentence says */
export const failureClass = (sentence: string): string | null =>
  CLASSES.find(([pattern]) => pattern.test(sentence))?.[1] ?? null
