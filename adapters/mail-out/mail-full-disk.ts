// Tests: tests/unit/adapters/mail-out/mail-full-disk.test.ts, tests/integration/full-disk.test.ts
/**
 * Mails the operator that a disk is full. The outbox and the list of alerts are on that disk, so this mail goes to the mail server directly. Each process
 * that sends mails sends one, and another one every hour until the disk has space, or at once when nothing is accepted any more.
 */
import { HOUR_MS } from '../../domain/time.ts'
import type { Letter } from '../../workflows/texts/types.ts'
import { orAborted, waitUnlessAborted } from '../../workflows/support/abort.ts'
import type { LogLines } from '../../domain/ports.ts'
import type { MailServer } from './smtp.ts'

const LOOK_EVERY_MS = 1_000
const AGAIN_AFTER_MS = HOUR_MS
/** After a failure. */
const TRIED_AGAIN_AFTER_MS = 60_000

export interface FullDiskParts {
  /** Whether nothing is accepted, and whether read models and deliveries wait. */
  disk: { isFull(): boolean; isDatabaseFull(): boolean }
  server: Pick<MailServer, 'deliver'>
  to: string
  letters: { refusing: Letter; waiting: Letter }
  /** After the `@` of every Message-ID. */
  host: string
  log: Pick<LogLines, 'info' | 'warn'>
  /** A monotonic clock: milliseconds. Only tests change it, and the next one. */
  now?: () => number
  lookEveryMs?: number
}

/** Runs until the signal aborts. A mail that is being sent then is not awaited: the server may not answer. */
export const mailFullDisk = async (parts: FullDiskParts, signal: AbortSignal): Promise<void> => {
  const { disk, server, to, letters, host, log, now = () => performance.now(), lookEveryMs = LOOK_EVERY_MS } = parts
  let dueAt = -Infinity
  let newest: Letter | null = null
  for (; !signal.aborted; await waitUnlessAborted(lookEveryMs, signal)) {
    const letter = disk.isFull() ? letters.refusing : disk.isDatabaseFull() ? letters.waiting : null
    const isWorse = letter === letters.refusing && newest === letters.waiting
    if (letter === null || (now() < dueAt && !isWorse)) continue
    newest = letter
    try {
      await orAborted(server.deliver({ to, ...letter }, `<baoco-disk-${process.pid}-${Date.now()}@${host}>`), signal)
      if (signal.aborted) return
      dueAt = now() + AGAIN_AFTER_MS
      log.info({ about: 'disk' }, 'mail.sent')
    } catch (error) {
      dueAt = now() + TRIED_AGAIN_AFTER_MS
      const { code, responseCode } = error as { code?: string; responseCode?: number }
      log.warn({ about: 'disk', code, response_code: responseCode }, 'mail.failed')
    }
  }
}
