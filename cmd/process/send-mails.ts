// Tests: tests/integration/mail-out/serve.test.ts
/** Sends mails to the mail server that the settings name. Without one they stay in the outbox, where the operator reads them. */
import { mailFullDisk } from '../../adapters/mail-out/mail-full-disk.ts'
import { postMails } from '../../adapters/mail-out/post-mails.ts'
import { openMailServer } from '../../adapters/mail-out/smtp.ts'
import { TEXTS } from '../../workflows/texts/texts.ts'
import type { Installation } from './installation.ts'

/** Runs until the signal aborts. Returns immediately if no mail server is set. */
export const sendMails = async ({ settings, disk, outbox, log }: Installation, signal: AbortSignal): Promise<void> => {
  const { smtpUrl, adminEmail, adminLanguage, baseUrl } = settings
  if (smtpUrl === undefined) return
  const server = await openMailServer(smtpUrl, adminEmail)
  const host = new URL(baseUrl).hostname
  const letters = TEXTS[adminLanguage].letters.diskFull
  await Promise.all([
    postMails({ outbox, server, host, log }, signal),
    mailFullDisk({ disk, server, to: adminEmail, letters, host, log }, signal),
  ])
}
