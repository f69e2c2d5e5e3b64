/** A mail as fetched, cut off or broken as it may be, made into its headers and texts. */
import type { HeaderLines, ParsedMail } from 'mailparser'
import { addressesIn } from '../../domain/notification/mail-address.ts'
import type { MailHeaders } from '../../domain/notification/mail-trust.ts'
import type { FetchedMail } from '../../workflows/collect/mailbox.ts'

/** Headers of one name that are looked at; more are nobody's. */
const MOST_HEADERS = 50

/** Values in the order in which they stand, folded as they came. */
const valuesOf = (lines: HeaderLines, name: string): string[] =>
  lines
    .filter(({ key }) => key === name)
    .slice(0, MOST_HEADERS)
    .map(({ line }) => line.slice(line.indexOf(':') + 1))

const headersOf = (lines: HeaderLines): MailHeaders => ({
  from: valuesOf(lines, 'from'),
  to: valuesOf(lines, 'to'),
  cc: valuesOf(lines, 'cc'),
  authentication_results: valuesOf(lines, 'authentication-results'),
  dkim_signature: valuesOf(lines, 'dkim-signature'),
})

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim()

/** The bare address where there is one: names may be anything. */
const fromOf = ({ from }: MailHeaders): string => from.flatMap(addressesIn)[0] ?? oneLine(from[0] ?? '')

const isText = (text: string | false | undefined): text is string => typeof text === 'string' && text.trim() !== ''

export const parseMail = async (
  source: Buffer,
  { uid, received_at }: Pick<FetchedMail, 'uid' | 'received_at'>,
): Promise<FetchedMail> => {
  // Loaded with the first mail: many installations never have one.
  const { simpleParser } = await import('mailparser')
  const parsed: Partial<ParsedMail> = await simpleParser(source, {
    skipImageLinks: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
  }).catch(() => ({}))
  const headers = headersOf(parsed.headerLines ?? [])
  const date = parsed.date
  return {
    uid,
    received_at,
    headers,
    from: fromOf(headers),
    to: oneLine(headers.to.join(', ')),
    subject: oneLine(parsed.subject ?? ''),
    message_id: parsed.messageId?.trim().slice(0, 1_000) || null,
    date: date && !Number.isNaN(date.getTime()) && valuesOf(parsed.headerLines ?? [], 'date').length > 0 ? date : null,
    texts: [parsed.html, parsed.text].filter(isText),
  }
}
