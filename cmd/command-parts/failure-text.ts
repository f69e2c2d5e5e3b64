/** The line that a failed command prints. */

/** SQLSTATE of Postgres: the server, the database or the role may have no more connections. */
const TOO_MANY_CONNECTIONS = '53300'

/** @param error  if a host has several addresses and none answers, it has no message */
export const failureText = (error: unknown): string => {
  const { message, code, cause, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path !== undefined) return `${path} does not exist`
  if (code === 'EISDIR')
    return path === undefined ? 'a folder was named instead of a file' : `${path} is a folder, not a file`
  const text = message || code || String(error)
  const isTooMany = [code, (cause as NodeJS.ErrnoException | undefined)?.code].includes(TOO_MANY_CONNECTIONS)
  return isTooMany ? `${text}: each process of Baoco needs up to 22 (docs/postgres.md)` : text
}
