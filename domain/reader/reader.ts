/**
 * Turns a notification into a reading. It chooses the bank (by app, sender or mail domain, else by the text) and tries its layouts
 * in order. A text that no layout matches is read by its labels, or gets the reason why it is not a transaction. Nothing is guessed:
 * a text without a certain direction, amount and currency is `unparsed`, which is far better than wrong.
 */
import type { Bank, Layout } from '../banks/bank.ts'
import { banks } from '../banks/index.ts'
import { DOUBT } from './any-bank.ts'
import { ANY_BANK_MAILS, NOT_DONE } from './any-bank-mails.ts'
import {
  announcesWords,
  beginsLikeCode,
  beginsWithName,
  beginsWithPersonsWords,
  isBanksHeader,
  isPrograms,
} from './chat-shape.ts'
import { atLeast } from '../money.ts'
import { shadowOf } from '../text.ts'
import { bankNamedBy, bankSpokenOf, isStranger, senderOf, smsApps } from '../banks/directory.ts'
import { withoutEntities } from './html-entities.ts'
import { isJoined } from './joined.ts'
import { beforeMemo, readByLabels, startOfLabels, withoutBlanksOfBank } from './label-reader.ts'
import { readByLayout, type Found } from './layout-reader.ts'
import { UNSIGNED } from './label-values.ts'
import { mailPageOf } from './mail-page.ts'
import { aboveTable, openingOf, openingUpTo, readByTable } from './mail-table.ts'
import { beginningOf, pageOf, withTitle, withoutForwardersLines, type Page } from './page.ts'
import { CURRENCY_CODE, CURRENCY_SIGN } from './printed-money.ts'
import type { Incoming, NoTransaction, Reading, ReadResult } from './reading.ts'
import {
  asksToFetch,
  namesAddress,
  repeatsOthers,
  saysAskedFor,
  saysFailed,
  saysNotMoved,
  tellsOneTimePassword,
  whyNoTransaction,
} from './rejection.ts'

/** Used if no bank is named. All such notifications share one deduplication window under this code. */
const UNNAMED = { code: 'OTHER', name: 'Other bank' }

interface Candidate {
  bank: Bank
  layout: Layout
}

const inText = (bank: Bank): Layout[] => bank.layouts.filter(({ channel }) => channel !== 'email')
const textLayouts = new Map(banks.map((bank) => [bank.code, inText(bank)]))
const standingAlone: readonly Candidate[] = banks.flatMap((bank) =>
  inText(bank)
    .filter(({ standsAlone }) => standsAlone)
    .map((layout) => ({ bank, layout })),
)

/** The first reading that one of the bank's own layouts gives. */
const readAs = (bank: Bank, page: Page, arrivedAt: Date): Found | null => {
  const printed = bank.spacedThousands ? withoutBlanksOfBank(page) : page
  for (const layout of textLayouts.get(bank.code) ?? []) {
    const found = readByLayout(layout, bank, printed, arrivedAt)
    if (found) return found
  }
  return null
}

/** Tries the layouts of all banks. Returns the only reading, or `several` if the layouts of two banks match. */
const readAsAny = (page: Page, arrivedAt: Date): Found | 'several' | null => {
  let only: Found | null = null
  for (const { bank, layout } of standingAlone) {
    if (only?.reading.bank_code === bank.code) continue
    const found = readByLayout(layout, bank, page, arrivedAt)
    if (found && only) return 'several'
    only ??= found
  }
  return only
}

const no = (reason: NoTransaction): ReadResult => ({ reading: null, reason })
const yes = (reading: Reading): ReadResult => ({ reading, reason: null })

/**
 * Whether the text before a sentence is not part of a memo, and does not put the movement in doubt: no sum precedes it,
 * and its own line has neither a number, a label's colon nor words such as `hạn mức`.
 */
const isBeforeSentence = (header: string): boolean => {
  const line = header.slice(header.lastIndexOf('\n') + 1)
  return !/[\d:]/.test(line) && !DOUBT.test(line) && !UNSIGNED.test(header)
}

/**
 * The first sentence of a mail that a layout matches. A payer may write such a sentence in the memo, also of a mail that has another form or
 * language.
 */
const readSentence = (bank: Bank, page: Page, arrivedAt: Date): Reading | null => {
  const [first] = bank.layouts
    .filter(({ channel }) => channel === 'email')
    .map((layout) => readByLayout(layout, bank, page, arrivedAt))
    .filter((found) => found !== null)
    .sort((a, b) => a.header.length - b.header.length)
  return first && isBeforeSentence(first.header) && !repeatsOthers('', first.header) ? first.reading : null
}

/** @param title · @param header  the bank's own words around the reading, in shadow form */
const unlessDoubted = (reading: Reading, title: string, header = ''): ReadResult => {
  if (title === '' && header === '') return yes(reading)
  const around = `${title}\n${header}`
  if (saysFailed(around)) return no('failed')
  return saysNotMoved(around) || saysAskedFor(title) ? no('unparsed') : yes(reading)
}

/** Guesses from words that a receipt may contain too: `Cảm ơn Quý khách`, `tiền điện`. */
const GUESSES: ReadonlySet<NoTransaction> = new Set(['promotion', 'bill', 'login'])

/** In a mail without a known table, the label of the payer's account. Such a mail goes to the payer, or repeats a receipt of the payer's. */
const PAYERS_ACCOUNT = /(?:^|[\n|] ?)(?:(?:so )?tai khoan (?:nguon|trich no)|(?:debit|source) account)(?![a-z])/

/** Before the memo of a mail, words for money that came back. Such a mail repeats the memo of the first transfer, and with it an order id. */
const CAME_BACK = /\bhoan (?:tra|tien|lai)\b|\bthu hoi\b|\brefund|\brevers|\bchargeback\b/

/** A mail is read only if its domain belongs to a bank. The caller checks whether that domain is proved. */
const readMail = (incoming: Incoming, arrivedAt: Date): ReadResult => {
  const page = mailPageOf(incoming.text)
  if (page.text === '') return no('empty')
  const bank = bankNamedBy(incoming)
  const subject = incoming.subject ? pageOf(incoming.subject).shadow : ''
  const why = (): NoTransaction => whyNoTransaction([subject, page.shadow].filter(Boolean).join('\n'), undefined)
  // The text of a one-time password must not be stored.
  if (repeatsOthers(subject, '')) return no(why() === 'otp' ? 'otp' : 'unparsed')
  if (!bank) return no(why())
  // What a table of the bank's own leaves uncertain is not clearer in any other table, or by labels alone.
  const hasTable = bank.tables.some(({ phrase }) => phrase.test(page.shadow))
  const tables = hasTable ? bank.tables.map((table) => ({ table, needs: undefined })) : ANY_BANK_MAILS
  for (const { table, needs } of tables) {
    const reading = readByTable(table, bank, page, arrivedAt, needs)
    if (reading === 'failed') return no('failed')
    if (!reading) continue
    const opening = openingOf(page, table)
    const isDoubted = needs !== undefined && NOT_DONE.test(`${subject}\n${opening}`)
    return isDoubted || repeatsOthers('', aboveTable(page, table))
      ? no('unparsed')
      : unlessDoubted(reading, subject, opening)
  }
  const sentence = readSentence(bank, beginningOf(page), arrivedAt)
  if (sentence) return unlessDoubted(sentence, subject)
  const guess = why()
  // A receipt whose form has changed is kept, so that it can be read again.
  const isReceipt = bank.tables.some(({ phrase, isDistinctive }) => isDistinctive && phrase.test(page.shadow))
  const reason = isReceipt && GUESSES.has(guess) ? 'unparsed' : guess
  const mayHaveLabels = !hasTable && reason === 'unparsed' && !repeatsOthers('', (beforeMemo(page) ?? page).shadow)
  const reading = mayHaveLabels ? readByLabels(page, bank, arrivedAt) : null
  if (!reading) return no(reason)
  const head = beforeMemo(page)?.shadow
  if (DOUBT.test(subject)) return no('unparsed')
  if (reading.transaction_type === 'credit' && (PAYERS_ACCOUNT.test(head ?? page.shadow) || CAME_BACK.test(head ?? '')))
    return no('unparsed')
  return unlessDoubted({ ...reading, layout: 'email' }, subject, openingUpTo(page, startOfLabels(page)))
}

/** The opening of a text, up to its first digit, that names a bank whose memo stands where others print the amount. */
const OPENS_ONLY_LAYOUTS = new RegExp(
  `^\\D*?(?<![a-z])(?:${banks
    .filter(({ onlyLayouts }) => onlyLayouts)
    .flatMap(({ name, senders, names }) => [name, ...senders, ...names])
    .map(shadowOf)
    .join('|')})(?![a-z])`,
)

/** Reads by labels, unless app, sender and text name different banks. */
const readLoosely = (page: Page, named: Bank | null, arrivedAt: Date): Reading | null => {
  const spoken = bankSpokenOf(page.shadow)
  if (named && spoken && spoken.code !== named.code) return null
  const bank = named ?? spoken
  if (bank?.onlyLayouts || (!bank && OPENS_ONLY_LAYOUTS.test(page.shadow))) return null
  // A payer may write an address.
  if (namesAddress(page.shadow) && namesAddress((beforeMemo(page) ?? page).shadow)) return null
  if (asksToFetch(page.shadow)) return null
  const reading = readByLabels(page, bank ?? UNNAMED, arrivedAt)
  if (!reading) return null
  // A text with another bank's layout must not count as this bank's.
  const other = readAsAny(page, arrivedAt)
  return other && (other === 'several' || other.reading.bank_code !== bank?.code) ? null : reading
}

/** The banks whose apps also show chats, by package. */
const wallets = new Map(
  banks.filter(({ chats }) => chats).flatMap((bank) => bank.packages.map((name) => [name, bank] as const)),
)

/**
 * Reads a push of an app that also shows chats (decisions, "Trust", T3). Its title may be a person's name, and its text a person's
 * words. So the app's sentence counts only from the first character of the text, and under a title that the app uses for money.
 * It must also print the balance, as these apps always do, if there is no such title or if the money came in.
 */
const readWallet = (bank: Bank, { title, subject, text }: Incoming, body: Page, arrivedAt: Date): ReadResult => {
  const heading = title === undefined ? null : pageOf(title).shadow
  const reason = whyNoTransaction([subject ?? '', heading ?? '', body.shadow].filter(Boolean).join('\n'), undefined)
  const isOfMoney = heading !== null && bank.chats!.titles.test(heading)
  const found = startsAtOnce(text) ? readAs(bank, body, arrivedAt) : null
  const isWhole = found?.header === ''
  if (heading !== null && !isOfMoney) {
    const isKept = (isWhole && isOwn(bank)) || bank.chats!.withName?.test(heading)
    return no(reason === 'unparsed' && !isKept ? 'chat' : reason)
  }
  if (!found || !isWhole) return no(reason === 'unparsed' && beginsWithName(body) ? 'chat' : reason)
  const { reading } = found
  if (isTwo(body, bank, arrivedAt)) return no('unparsed')
  if (reading.balance_after === null && (reading.transaction_type === 'credit' || !isOfMoney)) return no('unparsed')
  if (isOwn(bank)) return unlessDoubted(reading, heading ?? '')
  return unlessOffered(reading, heading ?? '')
}

/** A sentence that wallets share. It may be an offer, or end in words that say that nothing happened. */
const unlessOffered = (reading: Reading, title: string, header = ''): ReadResult =>
  isMoreThanAll(reading) || namesSum(reading)
    ? no('unparsed')
    : unlessDoubted(reading, `${title}\n${shadowOf(endOfSentence(reading))}`, header)

/**
 * The end of a sentence that was read as the other party: `từ ngân hàng thất bại`, `vào ví để nhận ưu đãi`. The words of a name begin with capital
 * letters, and may be any words without their diacritics: `NGUYEN TAM KHOA`, `VI DU`.
 */
const endOfSentence = ({ counterpart_name: name }: Reading): string => /(?<!\p{L})\p{Ll}.*/u.exec(name ?? '')?.[0] ?? ''

/** Whether more came in than is there now. Nobody owes a wallet money, so it is an offer: `Nạp 500.000đ vào ví. Số dư ví: 5.000đ`. */
const isMoreThanAll = ({ transaction_type, amount, balance_after }: Reading): boolean =>
  transaction_type === 'credit' && balance_after !== null && !atLeast(balance_after, amount)

/** A sum beyond doubt. A name may be `In 3D` or `Phở 79 Đồng Khởi`. */
const CERTAIN_SUM = new RegExp(
  `\\d[.,]\\d{3} ?${CURRENCY_SIGN}|\\d ?(?:${CURRENCY_CODE})(?![a-z])|(?<![a-z])(?:${CURRENCY_CODE}) ?\\d`,
)

/** Whether another sum stands in what was read as the other party: `Bạn đã nhận 150.000đ từ A và 50.000đ từ B`. */
const namesSum = ({ counterpart_name: name }: Reading): boolean =>
  name !== null && (CERTAIN_SUM.test(shadowOf(name)) || /\d[đ₫](?!\p{L})/u.test(name))

/**
 * Whether no other bank prints its layouts, and no person writes like that by chance. Their text is kept under an unknown title, which may be
 * a new one of the bank's.
 */
const isOwn = ({ layouts }: Bank): boolean => layouts.some(({ standsAlone }) => standsAlone)

/**
 * Whether the text begins with a letter, a digit or the bracket around a bank's name, without even invisible characters before
 * it.
 */
const startsAtOnce = (text: string): boolean => /^\(?[\p{L}\p{N}]/u.test(text)

/** Whether the text consists of two notifications. */
const isTwo = (body: Page, bank: Bank | null, arrivedAt: Date): boolean =>
  isJoined(body, (part, how) => {
    const found = (bank && readAs(bank, part, arrivedAt)) ?? readAsAny(part, arrivedAt)
    if (found === 'several') return found
    return found?.reading ?? (how === 'any' ? readLoosely(part, bank, arrivedAt) : null)
  })

/** Words that a payer may write, and that otherwise mean that a text is not a transaction. */
const WORDS_OF_MEMOS: ReadonlySet<NoTransaction> = new Set(['test_message', 'otp', 'statement', 'reminder', 'failed'])

/** Whether only the memo contains the words that would keep the text from being a transaction. */
const isSaidByMemo = (reason: NoTransaction, body: Page, around: readonly string[]): boolean => {
  const head = WORDS_OF_MEMOS.has(reason) ? beforeMemo(body) : null
  return (
    head !== null && whyNoTransaction([...around, head.shadow].filter(Boolean).join('\n'), undefined) === 'unparsed'
  )
}

/**
 * Whether such a text is a transaction all the same. A text that asks to confirm a payment prints no balance, and a credit needs no
 * confirmation.
 */
const isCertain = ({ transaction_type, balance_after }: Reading, body: Page): boolean =>
  balance_after !== null || (transaction_type === 'credit' && !tellsOneTimePassword(body.shadow))

const readText = (incoming: Incoming, arrivedAt: Date): ReadResult => {
  const body = withoutForwardersLines(pageOf(incoming.text))
  if (body.text === '') return no('empty')
  if (incoming.package && isStranger(incoming.package)) return no('chat')

  const wallet = incoming.package === undefined ? undefined : wallets.get(incoming.package)
  if (wallet) return readWallet(wallet, incoming, body, arrivedAt)

  const isSmsApp = incoming.package !== undefined && smsApps.has(incoming.package)
  const title = incoming.title && !isSmsApp ? pageOf(incoming.title) : null
  const pages = title ? [body, withTitle(title, body)] : [body]
  const bank = bankNamedBy(incoming)
  const isPush = bank !== null && Boolean(incoming.package) && !isSmsApp
  const areWords = (page: Page, end: number) =>
    isPush && (beginsWithPersonsWords(page, end) || (title !== null && announcesWords(title)))
  const mayBeChat = !bank || (bank.chats !== null && !isOwn(bank))
  for (const page of pages) {
    const found = bank ? readAs(bank, page, arrivedAt) : readAsAny(page, arrivedAt)
    if (!found || found === 'several') continue
    if (mayBeChat && !isBanksHeader(found.header)) return no(isPrograms(found.header) ? 'unparsed' : 'chat')
    if (beginsLikeCode(body.shadow) || areWords(page, found.header.length)) return no('unparsed')
    if (isTwo(body, bank, arrivedAt)) return no('unparsed')
    const unlessWrong = bank?.chats && !isOwn(bank) ? unlessOffered : unlessDoubted
    return unlessWrong(found.reading, title?.shadow ?? '', found.header)
  }
  const subject = incoming.subject ? pageOf(incoming.subject).shadow : ''
  const reason = whyNoTransaction(
    [subject, title?.shadow ?? '', body.shadow].filter(Boolean).join('\n'),
    senderOf(incoming),
  )
  if (reason !== 'unparsed' && !isSaidByMemo(reason, body, [subject, title?.shadow ?? ''])) return no(reason)
  // The bank may have written it after the memo, so such a text is kept.
  if (reason === 'failed') return no('unparsed')
  if ((mayBeChat && beginsWithName(body)) || beginsLikeCode(body.shadow)) return no(reason)
  if (areWords(body, startOfLabels(body))) return no(reason)
  for (const page of pages) {
    const reading = readLoosely(page, bank, arrivedAt)
    if (!reading || (reason !== 'unparsed' && !isCertain(reading, body))) continue
    if (isTwo(body, bank, arrivedAt)) return no('unparsed')
    return unlessDoubted(reading, title?.shadow ?? '')
  }
  return no(reason)
}

/**
 * Reads one notification.
 *
 * The bank is the one that its app, SMS sender or mail domain belongs to, and only that bank's layouts count. If the bank is
 * unknown, the text must be unmistakable. Other modules decide whether the source is trusted (`directory.ts`, `origin.ts`).
 *
 * @param incoming  the notification as it arrived. An SMS app's title counts as the sender. If `from` is given, it is a mail.
 * @param arrivedAt  supplies a year that is not printed
 * @returns the reading, or the reason why there is none. `unparsed`: a later layout may read the text.
 */
export const read = (incoming: Incoming, arrivedAt: Date): ReadResult => {
  if (incoming.from !== undefined) return readMail(incoming, arrivedAt)
  const result = readText(incoming, arrivedAt)
  const isHtml = incoming.text.includes('&') || incoming.title?.includes('&') === true
  if (result.reason !== 'unparsed' || !isHtml) return result
  // Some apps write a text as HTML: `&#43;150,000`. A text that can be read as it is keeps the entities of its memo.
  const text = withoutEntities(incoming.text)
  const title = incoming.title === undefined ? undefined : withoutEntities(incoming.title)
  return text === incoming.text && title === incoming.title ? result : readText({ ...incoming, text, title }, arrivedAt)
}
