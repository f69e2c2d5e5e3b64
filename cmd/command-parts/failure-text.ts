/** The line that a failed command prints. */

/** SQLSTATE of Postgres: the server, the database or the role may have no more connections. */
const TOO_MANY_CONNECTIONS = '53300'

/** @param error  if a host has several addresses and none answers, it has no message */
export const failureText = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  const text = message || code || String(error)
  return code === TOO_MANY_CONNECTIONS ? `${text}: each process of Baoco needs up to 22 (docs/postgres.md)` : text
}
