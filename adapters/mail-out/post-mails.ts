// Tests: tests/integration/mail-out/mail-out.test.ts
/**
 * Sends mails from the outbox to the mail server. Any number of processes may do this: each takes different mails. A mail is
 * attempted for a day in which something ran, with growing pauses. A mail that was sent just before a crash may be sent twice, with the same
 * Message-ID.
 */
import { orAborted } from '../../workflows/support/abort.ts'
import type { LogLines } from '../../domain/ports.ts'
import type { DueMail, Outbox } from './outbox.ts'
import { Rejected, type MailServer } from './smtp.ts'

/** Other processes also add mails, so the table is checked at this interval (milliseconds). */
const LOOK_EVERY = 1_000
const AT_A_TIME = 10
/** Seconds before the second attempt, doubled for each later one, and the longest pause. */
const FIRST_PAUSE = 2
const LONGEST_PAUSE = 600
/** Milliseconds. */
const GRACE = 3_000

export interface PostOptions {
  outbox: Outbox
  server: MailServer
  /** The host name of this installation, after the `@` of every Message-ID. */
  host: string
  log: LogLines
  /** Milliseconds. Only tests change it. */
  lookEvery?: number
}

const pauseAfter = (tries: number): number => Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))

/** Returns a signal that aborts this many milliseconds after the given one. */
const afterwards = (signal: AbortSignal, graceMs: number): AbortSignal => {
  const over = new AbortController()
  signal.addEventListener('abort', () => void setTimeout(() => over.abort(), graceMs).unref(), { once: true })
  return over.signal
}

/**
 * Runs until the signal aborts. Mails that are being sent then have a short time to finish. Otherwise another process takes
 * them over.
 */
export const postMails = async (options: PostOptions, signal: AbortSignal): Promise<void> => {
  const { outbox, server, host, log, lookEvery = LOOK_EVERY } = options

  const post = async ({ id, tries, ...mail }: DueMail): Promise<void> => {
    try {
      await server.deliver(mail, `<baoco-${id}-${Date.parse(mail.created_at)}@${host}>`)
    } catch (error) {
      const isFinal = error instanceof Rejected
      // Without the server's message, which repeats the address.
      const { code, responseCode } = error as { code?: string; responseCode?: number }
      log.warn({ mail_id: id, tries, is_final: isFinal, code, response_code: responseCode }, 'mail.failed')
      return outbox.failed(id, isFinal ? null : pauseAfter(tries))
    }
    await outbox.sent(id)
    log.info({ mail_id: id, tries }, 'mail.sent')
  }

  const unavailable = (error: Error) => log.warn({ reason: error.message }, 'mail.outbox_unavailable')
  const ending = afterwards(signal, GRACE)

  while (!signal.aborted) {
    const mails = await outbox.take(AT_A_TIME).catch((error: Error) => {
      unavailable(error)
      return []
    })
    await orAborted(Promise.all(mails.map((mail) => post(mail).catch(unavailable))), ending)
    if (mails.length < AT_A_TIME) await outbox.arrival(lookEvery, signal)
  }
  server.close()
}
