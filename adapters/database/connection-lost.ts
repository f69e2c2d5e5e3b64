// Tests: tests/unit/adapters/database/connection-lost.test.ts
/**
 * Recognises that the server, or something between, has ended a connection or accepts none. It examines every error of a command, and most of
 * them have other causes. `isOutage` examines only errors of the event store's driver, where an error without SQLSTATE is always an outage.
 */

/** SQLSTATE of a lost connection, and of a server that stops, crashes or starts. */
const ENDED = /^(?:08...|57P0[1235])$/
const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
/** The driver's own errors have no code. */
const DRIVER =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded when trying to connect)/

/** @param port  of the server, which tells a refused connection from one to another server */
export const isConnectionLost = (error: unknown, port: number): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every((each) => isConnectionLost(each, port))
  const { code, message, syscall, ...its } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === undefined) return DRIVER.test(message)
  if (syscall !== 'connect') return ENDED.test(code) || SYSTEM.has(code)
  // A server that stops removes its socket.
  const isAway = SYSTEM.has(code) || code === 'ENOENT'
  return isAway && (its.port === port || its.address?.endsWith(`/.s.PGSQL.${port}`) === true)
}

/** The port in the URL of a database, or in its option `port`. The URL may name a socket. */
export const portIn = (url: string): number => {
  if (!URL.canParse(url)) return 5432
  const { port, searchParams } = new URL(url)
  return Number(searchParams.get('port') || port || 5432)
}
