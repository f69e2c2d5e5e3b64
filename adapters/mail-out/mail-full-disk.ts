// Tests: tests/integration/full-disk.test.ts
/**
 * Mails the operator that a disk is full. The outbox and the list of alerts are on that disk, so this mail goes to the mail server directly. Each process
 * that sends mails sends one, and another one every hour until the disk has space.
 */
import type { Letter } from '../../workflows/texts/types.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import type { LogLines } from '../telemetry/log-lines.ts'
import type { MailServer } from './smtp.ts'

const LOOK_EVERY_MS = 1_000
const AGAIN_AFTER_MS = 3_600_000
/** After a failure. */
const TRIED_AGAIN_AFTER_MS = 60_000

export interface FullDiskParts {
  /** Nothing is accepted; read models and deliveries wait. */
  disk: { isFull(): boolean; isDatabaseFull(): boolean }
  server: Pick<MailServer, 'deliver'>
  to: string
  letters: { refusing: Letter; waiting: Letter }
  /** After the `@` of every Message-ID. */
  host: string
  log: Pick<LogLines, 'info' | 'warn'>
}

/** Runs until the signal aborts. */
export const mailFullDisk = async (parts: FullDiskParts, signal: AbortSignal): Promise<void> => {
  const { disk, server, to, letters, host, log } = parts
  let dueAt = -Infinity
  for (; !signal.aborted; await waitUnlessAborted(LOOK_EVERY_MS, signal)) {
    const letter = disk.isFull() ? letters.refusing : disk.isDatabaseFull() ? letters.waiting : null
    if (letter === null || performance.now() < dueAt) continue
    try {
      await server.deliver({ to, ...letter }, `<baoco-disk-${process.pid}-${Date.now()}@${host}>`)
      dueAt = performance.now() + AGAIN_AFTER_MS
      log.info({ about: 'disk' }, 'mail.sent')
    } catch (error) {
      dueAt = performance.now() + TRIED_AGAIN_AFTER_MS
      const { code, responseCode } = error as { code?: string; responseCode?: number }
      log.warn({ about: 'disk', code, response_code: responseCode }, 'mail.failed')
    }
  }
}
