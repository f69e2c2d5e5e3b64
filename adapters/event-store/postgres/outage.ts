// Tests: tests/unit/adapters/event-store/outage.test.ts
/** Decides which errors of the driver mean that the server did not answer. */
import { StoreWentBack } from '../../../domain/errors.ts'
import { isDiskFull } from '../../system/disk.ts'

/**
 * Classes of SQLSTATE that do not concern the statement itself: connection lost (08), not writable at the moment (25: a
 * standby), login refused (28: the password is being changed), no such database or schema (3D, 3F: it is being restored or renamed),
 * deadlock and similar (40), out of space or connections (53), locks (55), stopped, starting, cancelled (57), disk errors (58).
 */
const PASSING = new Set(['08', '25', '28', '3D', '3F', '40', '53', '55', '57', '58'])

/** Whether an error means that the server did not answer, and not that it refused. */
export const isOutage = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false
  if (error instanceof StoreWentBack) return false
  // The server's own errors have a severity. All other errors come from the connection.
  if (!('severity' in error)) return true
  return isDiskFull(error) || ('code' in error && typeof error.code === 'string' && PASSING.has(error.code.slice(0, 2)))
}

/**
 * Whether the server refused the login, as it does with a wrong password, has no such database, or has a setting that is too low for
 * Baoco's statements (`temp_file_limit`); or a file that the URL names cannot be read. A start ends then, because it has never been right.
 */
export const isRefusedAtStart = (error: unknown): boolean => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === 'open' || (typeof code === 'string' && /^(28|3D|53400)/.test(code))
}

/** Whether a statement did not end within the driver's time limit. The server may be unavailable, or the statement is too large. */
export const isTooLong = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'
