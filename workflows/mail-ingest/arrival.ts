// Tests: tests/integration/mail-ingest/collect.test.ts
/** Turns a mail into a notification for the receive path. */
import type { Arrival } from '../../domain/arrival/arrival.ts'
import { hasQuote, plainOf } from '../../domain/reader/mail-page.ts'
import { read } from '../../domain/reader/reader.ts'
import { cutToBytes, TEXT_BYTES } from '../../domain/arrival/sizes.ts'
import { NO_HEADERS } from '../../domain/mail-trust/mail-trust.ts'
import type { FetchedMail, Mailbox, MailFacts } from './mailbox.ts'

/** Longer than any header that is shown. Bytes. */
const LONGEST_LINE = 1_000

const EARLIEST = Date.UTC(2000, 0)
const LATEST = Date.UTC(2100, 0)

const plausible = (date: Date | null): Date | null =>
  date && date.getTime() >= EARLIEST && date.getTime() < LATEST ? date : null

/** The first text of a mail that a reader understands; otherwise the first that is not empty. Texts after one with a quote do not count. */
const textOf = ({ texts: given, from, subject }: FetchedMail, at: Date): string => {
  const quoting = given.findIndex(hasQuote)
  const texts = quoting < 0 ? given : given.slice(0, quoting + 1)
  const plain = texts.map((text) => cutToBytes(plainOf(text), TEXT_BYTES).trim())
  const isRead = (text: string) => read({ text, from, subject }, at).reading !== null
  return plain.find(isRead) ?? plain.find((text) => text !== '') ?? ''
}

export const arrivalOfMail = (
  { user_id, mail_account_id }: Pick<Mailbox, 'user_id' | 'mail_account_id'>,
  mail: FetchedMail,
  arrived_at: Date,
): Arrival => {
  const [from, subject] = [cutToBytes(mail.from, LONGEST_LINE), cutToBytes(mail.subject, LONGEST_LINE)]
  const text = textOf(mail, arrived_at)
  const { message_id } = mail
  const date = plausible(mail.date)
  return {
    credential: { kind: 'mailbox', user_id, mail_account_id },
    incoming: { text, from, subject },
    posted_as: null,
    stamp: date ?? plausible(mail.received_at),
    arrived_at,
    mail: { headers: mail.headers, message_id },
    raw: JSON.stringify({
      from,
      to: cutToBytes(mail.to, LONGEST_LINE),
      subject,
      date: date?.toISOString() ?? null,
      message_id,
      text,
    }),
  }
}

interface SkippedMail {
  uid: number
  uid_validity: string
  tries: number
  facts: MailFacts | null
}

/** The record of a mail that its server never returned. Its owner finds the mail by its number and its date. */
export const arrivalOfSkipped = (
  { user_id, mail_account_id }: Pick<Mailbox, 'user_id' | 'mail_account_id'>,
  { uid, uid_validity, tries, facts }: SkippedMail,
  arrived_at: Date,
): Arrival => {
  const stamp = plausible(facts?.received_at ?? null)
  const bytes = facts?.bytes ?? null
  const known = [`UID ${uid}`, stamp?.toISOString() ?? null, bytes === null ? null : `${bytes} bytes`]
  return {
    credential: { kind: 'mailbox', user_id, mail_account_id },
    incoming: { text: known.filter((fact) => fact !== null).join(', '), from: '' },
    posted_as: null,
    stamp,
    arrived_at,
    mail: { headers: NO_HEADERS, message_id: null },
    ignored_as: 'unreadable_mail',
    raw: JSON.stringify({ uid, uid_validity, received_at: stamp?.toISOString() ?? null, bytes, tries }),
  }
}
