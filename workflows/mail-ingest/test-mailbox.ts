// Tests: tests/integration/mail-ingest/collect.test.ts
/** Tests a mail account at its owner's request: whether it can be read, and under which id its provider writes. */
import { authservIdOf } from '../../domain/mail-trust/authentication-results.ts'
import { DAY_MS } from '../../domain/time.ts'
import { MailFailure, type Connection, type Login, type MailServer } from './mailbox.ts'

export type MailboxTest =
  | { success: true; /** null: no header of a provider was seen */ authserv_id: string | null }
  | { success: false; error: string }

/** Milliseconds for the whole test. */
const WITHIN = 20_000
/** How many of the newest mails are examined, and how old they may be. */
const LOOKED_AT = 10
const LOOKS_BACK_MS = 30 * DAY_MS

/** Takes the topmost header of the newest mail that has one. The headers below it may come from the sender. */
const authservIdSeen = async (connection: Connection, now: Date): Promise<string | null> => {
  const from = await connection.lastUidBefore(new Date(now.getTime() - LOOKS_BACK_MS))
  const uids = (await connection.uidsAfter(from)).slice(-LOOKED_AT)
  let failure: unknown = null
  let isRead = uids.length === 0
  for (const uid of uids.reverse()) {
    try {
      const [topmost] = await connection.fetch([uid], ({ headers }) => headers.authentication_results[0])
      isRead = true
      const id = topmost === undefined ? null : authservIdOf(topmost)
      if (id !== null) return id
    } catch (error) {
      // The server may refuse a single mail. The collector passes over it too.
      if (!(error instanceof MailFailure) || error.isViolation) throw error
      failure = error
    }
  }
  if (!isRead) throw failure
  return null
}

/** Returns an error that is the mailbox's fault, and does not throw it. */
export const testMailbox = async (server: MailServer, login: Login, now: Date): Promise<MailboxTest> => {
  const signal = AbortSignal.timeout(WITHIN)
  const late = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new MailFailure('The server does not respond.')), { once: true }),
  )
  const tried = async (): Promise<MailboxTest> => {
    const connection = await server.connect(login, signal)
    try {
      return { success: true, authserv_id: await authservIdSeen(connection, now) }
    } finally {
      void connection.close()
    }
  }
  try {
    return await Promise.race([tried(), late])
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    return { success: false, error: error.message }
  }
}
