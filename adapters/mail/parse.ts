// Tests: tests/unit/adapters/mail/head.test.ts
/** Turns a fetched mail, which may be cut off or broken, into its headers and texts. */
import type { ParsedMail } from 'mailparser'
import { addressesIn } from '../../domain/mail-trust/mail-address.ts'
import { joinedResults } from '../../domain/mail-trust/mail-providers.ts'
import type { MailHeaders } from '../../domain/mail-trust/mail-trust.ts'
import type { FetchedMail } from '../../workflows/mail-ingest/mailbox.ts'
import { headOf, type HeaderLine } from './head.ts'

/** The most headers of one name that are parsed, and the most characters of each. */
const MOST_HEADERS = 50
const LONGEST_HEADER = 66 * 1024

/**
 * Bytes of the head of a part; a line counts as 64 at least. The parser also reads addresses there, up to 2 ms per kilobyte. A mail with a
 * longer one is kept without its texts. It is an object because the package's types lack the option.
 */
const LIMITS_OF_PARTS = { maxHeadSize: 16 * 1024 }

/** A copy, because a slice would keep the whole mail in memory. */
const copied = (text: string): string => Buffer.from(text).toString()

/** Values in their original order, folded as received. */
const valuesOf = (lines: readonly HeaderLine[], name: string): string[] =>
  lines
    .filter((line) => line.name === name)
    .slice(0, MOST_HEADERS)
    .map(({ value }) => copied(value.slice(0, LONGEST_HEADER)))

const AUTHENTICATION_RESULTS = 'authentication-results'

/** The lines, in which results that the provider divided among several headers stand in one. */
const withJoinedResults = (lines: readonly HeaderLine[]): HeaderLine[] => {
  const joined: HeaderLine[] = []
  for (const line of lines) {
    const above = joined.at(-1)
    const isPair = line.name === AUTHENTICATION_RESULTS && above?.name === line.name
    const value = isPair ? joinedResults(above.value, line.value) : null
    if (value === null) joined.push(line)
    else joined.splice(-1, 1, { ...line, value })
  }
  return joined
}

const headersOf = (lines: readonly HeaderLine[]): MailHeaders => ({
  from: valuesOf(lines, 'from'),
  to: valuesOf(lines, 'to'),
  cc: valuesOf(lines, 'cc'),
  authentication_results: valuesOf(withJoinedResults(lines), AUTHENTICATION_RESULTS),
  dkim_signature: valuesOf(lines, 'dkim-signature'),
  in_reply_to: valuesOf(lines, 'in-reply-to'),
  references: valuesOf(lines, 'references'),
  auto_submitted: valuesOf(lines, 'auto-submitted'),
})

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim()

/** The bare address if there is one, because names may contain anything. */
const fromOf = ({ from }: MailHeaders): string => from.flatMap(addressesIn)[0] ?? oneLine(from[0] ?? '')

/** Null without a readable date. The mail parser would use the current time instead. Signatures cover the lowest header first. */
const dateOf = (lines: readonly HeaderLine[]): Date | null => {
  const date = new Date(oneLine(valuesOf(lines, 'date').at(-1) ?? ''))
  return Number.isNaN(date.getTime()) ? null : date
}

const isText = (text: string | false | undefined): text is string => typeof text === 'string' && text.trim() !== ''

export const parseMail = async (
  source: Buffer,
  { uid, received_at }: Pick<FetchedMail, 'uid' | 'received_at'>,
): Promise<FetchedMail> => {
  // Loaded with the first mail, because many installations never have one.
  const { simpleParser } = await import('mailparser')
  const { lines, rest } = headOf(source)
  const parsed: Partial<ParsedMail> = await simpleParser(rest, {
    skipImageLinks: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    // A mail inside the mail, and a report on one, were not written by its sender.
    ignoreEmbedded: true,
    keepDeliveryStatus: true,
    ...LIMITS_OF_PARTS,
  }).catch(() => ({}))
  const headers = headersOf(lines)
  return {
    uid,
    received_at,
    headers,
    from: fromOf(headers),
    to: oneLine(headers.to.join(', ')),
    subject: oneLine(parsed.subject ?? ''),
    message_id: parsed.messageId?.trim().slice(0, 1_000) || null,
    date: dateOf(lines),
    texts: [parsed.html, parsed.text].filter(isText),
  }
}
