// Tests: tests/integration/mail-out/serve.test.ts
/** Sends mails to the mail server that the settings name. Without one they stay in the outbox, where the operator reads them. */
import type { LogLines } from '../../adapters/telemetry/log-lines.ts'
import type { Outbox } from '../../adapters/mail-out/outbox.ts'
import { postMails } from '../../adapters/mail-out/post-mails.ts'
import { openMailServer } from '../../adapters/mail-out/smtp.ts'
import type { Settings } from '../settings/settings.ts'

interface Parts {
  settings: Pick<Settings, 'smtpUrl' | 'adminEmail' | 'baseUrl'>
  outbox: Outbox
  log: LogLines
}

/** Runs until the signal aborts. Returns immediately if no mail server is set. */
export const sendMails = async (
  { settings: { smtpUrl, adminEmail, baseUrl }, outbox, log }: Parts,
  signal: AbortSignal,
): Promise<void> => {
  if (smtpUrl === undefined) return
  const server = await openMailServer(smtpUrl, adminEmail)
  await postMails({ outbox, server, host: new URL(baseUrl).hostname, log }, signal)
}
