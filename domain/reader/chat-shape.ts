// Tests: tests/attack/chat-texts.test.ts
/**
 * Detects texts that look like a chat message (decisions, "Trust", T3): a person's name before a bank's sentence. Apps that show
 * chats, and forwarders that name no app, forward such texts in the same way as a bank's. Works on the shadow.
 */
import { ANY_BANK } from './any-bank.ts'
import { bankSpokenOf } from '../banks/directory.ts'
import { labelsIn } from './labels.ts'
import type { Page } from './page.ts'

/** A time may precede the name, as in a copied chat. */
const NAMED = /^[^a-z0-9]{0,3}(?:\d{1,2}[:h]\d\d[^a-z0-9]{0,3})?(?<name>[a-z][^:\n]{0,60}?) ?:/

/** Words at the beginning of bank texts, which are no names of persons. */
const HEADLINE =
  /^(?:thong bao|bien dong|thay doi|so du|tin nhan|giao dich|bao co|bao no|smartbanking|internet banking|mobile banking)\b/

/** In characters. */
const LONGEST_LABEL = 60

/** A line in which a template names the sender: `From: Vietcombank`, `Tin nhắn mới từ Vietcombank`. */
const SENT_BY =
  /^(?:(?:new )?(?:sms|message|tin nhan)(?: moi)? )?(?:from|tu(?! dong\b)|cua|sender|nguoi gui)(?: ?:)? (?<sender>.+)/

/** A line without an app's time, and without the marks around it. */
const wordsOf = (line: string): string =>
  line
    .replace(/ ?•.*$/, '')
    .replace(/[^a-z0-9]+$/, '')
    .replace(/^[^a-z0-9]+/, '')

const isBanks = (line: string): boolean => {
  const { sender } = SENT_BY.exec(line)?.groups ?? {}
  if (sender !== undefined) return bankSpokenOf(`${sender}:`) !== null || sender.startsWith('ngan hang')
  return HEADLINE.test(line) || bankSpokenOf(`${line}:`) !== null
}

/** The label of the text below a line that names its sender. */
const TEXTS_LABEL = /^(?:noi dung|message|content|text|body|sms)$/

/** Whether a text begins with a person's `name:`. A bank's own name, a headline and a field's label do not count as such a name. */
export const beginsWithName = (page: Page): boolean => {
  const found = NAMED.exec(page.shadow)
  const name = found?.groups?.name
  if (!found || name === undefined || isBanks(name)) return false
  const line = wordsOf(page.shadow.slice(0, found[0].length + LONGEST_LABEL).split('\n', 1)[0]!)
  if (SENT_BY.test(line) && isBanks(line)) return false
  const beginning = { text: '', shadow: page.shadow.slice(0, found[0].length + LONGEST_LABEL) }
  return !labelsIn(beginning, ANY_BANK).some(({ at }) => at < found[0].length)
}

/** Words of a bank's own opening, which ends in a colon like a person's name: `Quý khách có giao dịch mới:`. */
const OPENING =
  /\b(?:quy khach|khach hang|kinh|thong (?:bao|tin)|bien dong|giao dich|gd|so du|tai khoan|tk|ngan hang|[a-z]*bank(?:ing)?|dich vu|chi tiet|bao (?:co|no))\b/

/** A time, a day or a number before a colon is not part of a name. */
const NO_NAME = /[/+]|\d{3}|\d$/

/** Words that announce what a person wrote, gave or asks for. */
const ANNOUNCED =
  /\bloi (?:nhan|chuc)\b|\bnhan (?:tin|gui|cho)\b|\bli xi\b|mung tuoi|\bqua (?:tang|mung)\b|\btang (?:qua|ban)\b|chuc mung|\bchat\b|tro chuyen|binh luan|(?<!theo )\b(?:yeu cau|de nghi|nhac) (?:ban )?(?:chuyen|thanh toan|tra|no)\b|\bchia (?:tien|hoa don|bill)\b|\bgui (?:den |toi |cho )?ban\b(?! thong)|\bgui (?:mot |1 )?(?:loi|tin nhan|anh|hinh|sticker)\b|\bda (?:gui|viet)(?: [a-z ]{1,20})? ?:|\bmessage|\bwrote\b|\bsays\b|(?:^|\n) ?[>"“”«»]/
const MESSAGE_FROM = /\btin nhan(?: moi)? (?:tu|cua) (?<sender>[^:\n]+)/

/** Whether words of an app, before a text or in its title, announce what a person wrote, gave or asks for. */
export const announcesWords = ({ text, shadow }: Page): boolean => {
  const { sender } = MESSAGE_FROM.exec(shadow)?.groups ?? {}
  const isPersons = sender !== undefined && bankSpokenOf(`${sender}:`) === null && !sender.startsWith('ngan hang')
  return isPersons || ANNOUNCED.test(shadow) || /(?<!tin )nhắn|tặng/i.test(text)
}

/**
 * Whether a push of a bank's app begins with a person's `name:` or announces a person's words, as in a gift or a message. Not every app
 * that shows such words is known.
 * @param end  where the bank's own words may begin
 */
export const beginsWithPersonsWords = (page: Page, end: number): boolean => {
  const before = { text: page.text.slice(0, end), shadow: page.shadow.slice(0, end) }
  const { name } = NAMED.exec(before.shadow)?.groups ?? {}
  const isName = name !== undefined && !OPENING.test(name) && !NO_NAME.test(name) && beginsWithName(page)
  return isName || announcesWords(before)
}

/** Marks of a quoted or forwarded text. */
const QUOTED = /[>"'“”«»‘’]/

/** Whether the text before a bank's layout is the bank's too: its name, a headline, an app's name with `• now`. */
export const isBanksHeader = (header: string): boolean =>
  !QUOTED.test(header) &&
  header
    .split('\n')
    .map(wordsOf)
    .every(
      (line, at, lines) => line === '' || isBanks(line) || (TEXTS_LABEL.test(line) && lines.slice(0, at).some(isBanks)),
    )

/** Whether a text begins like JSON or XML. It may be a broken part of them, so what is the bank's text and what another field is uncertain. */
export const beginsLikeCode = (shadow: string): boolean => /^(?:[{[] ?["'“{]|<[a-z]+> ?<)/.test(shadow.trimStart())

/** Whether the text before a bank's layout is a program's and no person's: the beginning of JSON, XML or a multipart body. */
export const isPrograms = (header: string): boolean => /^(?:[{[] ?["'“{]|<[a-z]+> ?<|--)/.test(header.trimStart())
