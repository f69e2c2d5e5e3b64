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
  const { code, message, syscall, port: its } = error as NodeJS.ErrnoException & { port?: number }
  if (code === undefined) return DRIVER.test(message)
  return ENDED.test(code) || (SYSTEM.has(code) && (syscall !== 'connect' || its === port))
}

/** The port in the URL of a database, which may name a socket. */
export const portIn = (url: string): number => Number((URL.canParse(url) && new URL(url).port) || 5432)
