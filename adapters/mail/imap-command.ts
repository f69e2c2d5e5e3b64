// Tests: tests/attack/hostile-mail-server.test.ts
/** Runs a command of an IMAP client within limits on the server's data and on time. */
import type { ImapFlow } from 'imapflow'
import type { MailFailure } from '../../workflows/mail-ingest/mailbox.ts'
import { mailFailure } from './failure.ts'
import { IDLE, type Allowance, type ServerLimits } from './server-limits.ts'

/** A client, and the limits of its connection. */
export interface Limited {
  client: ImapFlow
  limits: ServerLimits
  /** Ends the connection. Calls that wait for it fail. */
  end(failure: MailFailure): void
}

/** The library's error code if a server takes too long. */
const TIMEOUT = /TIMEOUT$/

/** @throws {MailFailure} for the owner; if a limit was exceeded, the failure of that limit */
export const within = async <Result>(
  { client, limits, end }: Limited,
  allowance: Allowance,
  work: () => Promise<Result>,
): Promise<Result> => {
  const milliseconds = limits.allow(allowance)
  let onLate = (_: MailFailure): void => {}
  const late = new Promise<never>((_, reject) => (onLate = reject))
  const timer = setTimeout(() => {
    const failure = limits.expire()
    end(failure)
    client.close()
    onLate(failure)
  }, milliseconds)
  const working = work()
  try {
    return await Promise.race([working, late])
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code === 'string' && TIMEOUT.test(code)) limits.expire()
    const failure = limits.failure ?? mailFailure(error)
    // Nothing more is read from this server, not even its answer to a logout.
    if (failure.isViolation) {
      end(failure)
      client.close()
    }
    throw failure
  } finally {
    clearTimeout(timer)
    working.catch(() => {})
    limits.allow(IDLE)
  }
}
