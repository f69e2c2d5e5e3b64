// Tests: tests/unit/domain/reader/corpus.test.ts
/** Extracts the values at a text's labels. `label-reader.ts` decides whether they are sufficient. */
import { contradicts } from './amount.ts'
import type { Labelled } from './labels.ts'
import { CUT, type Page } from './page.ts'
import { ACCOUNT_NUMBER } from './printed-account.ts'
import { CURRENCY_CODE, CURRENCY_SIGN, MORE_DIGITS, NUMBER, TWO_CURRENCIES } from './printed-money.ts'
import { matchesIn } from '../text.ts'

/** Contains no bare `cong` or `nhan`, because `thanh cong` means success and `xac nhan` means to confirm. */
const COME =
  'tang|duoc cong|cong tien|ghi co|nop(?: vao)?|gui vao|tien vao|(?:da|vua|duoc) nhan|nhan duoc|credit(?:ed)?'
const GONE = 'giam|bi tru|tru tien|ghi no|rut(?: ra)?|tien ra|debit(?:ed)?|chuyen di'
const SIGN = `(?:(?<plus>\\(?\\+\\)?|(?<![a-z])(?:${COME})(?![a-z])(?: with| by| for)? ?:? ?\\(?\\+?\\)?)|(?<minus>\\(?-\\)?|(?<![a-z])(?:${GONE})(?![a-z])(?: with| by| for)? ?:? ?\\(?-?\\)?))`
/** After the beginning of a number: thousands after an unknown separator, a unit that is not a currency, or the mark of a time or a fraction. */
const MORE_OF_IT = `['’‘\u00b4\`_·\u066c-]\\d{3}(?!\\d)|[:/\u2044\u2013]\\d|(?:k|tr)(?:${CURRENCY_CODE}|${CURRENCY_SIGN}|(?![a-z]))| ?(?:nghin|ngan|trieu|diem|points?|xu)(?![a-z])`
const sumOf = (noMore: string, notBehind = '') =>
  `(?:(?<before>${CURRENCY_CODE})(?![a-z]) ?)?(?<number>${NUMBER})${notBehind}` +
  `(?:\\.? ?(?<behind>${CURRENCY_CODE}|${CURRENCY_SIGN})|${noMore})(?![0-9*]|[.,]\\d|[a-z]\\d|${MORE_OF_IT})`
const SUM = sumOf('')
/** The number of an amount must be whole beyond doubt, and three letters attached to it may be another currency: `+150,000XAF`. */
const WHOLE_SUM = sumOf(`(?!${MORE_DIGITS}|(?!luc|vao)[a-z]{3}(?![a-z]))`, `(?!${TWO_CURRENCIES})`)

/** An amount: a sign or direction word, and a sum. A currency may precede them. */
export const SIGNED = new RegExp(
  `(?<![a-z0-9*/+-])(?:(?<ahead>${CURRENCY_CODE})(?![a-z])\\)? ?)?${SIGN} ?${WHOLE_SUM}`,
  'g',
)
/** An amount whose direction word follows it: `VND 20,000 was credited`. */
const SIGNED_BEHIND = new RegExp(
  `(?<![a-z0-9*.,/+-])${SUM} (?:(?:was|is|has been|da duoc) )?` +
    '(?:(?<plus>credit(?:ed)?|ghi co)|(?<minus>debit(?:ed)?|ghi no))(?![a-z])(?! (?:card|limit|note))',
  'g',
)
/** A value that begins with a sum, signed or not. */
const BEGINS_SIGNED = new RegExp(`^(?:(?<ahead>${CURRENCY_CODE})(?![a-z])\\)? ?)?${SIGN} ?${WHOLE_SUM}`)
const STANDING = '(?:(?:moi|con|hien tai|la|con lai)(?: |(?=:)))*'
// `cua` is allowed once. If it could repeat, a row of them could be matched in too many ways to finish in time.
const beginsWith = (sum: string) =>
  new RegExp(`^${STANDING}(?:cua [^\\d\\n]{0,40}(?: |(?=:))${STANDING})?[:=]? ?(?<sign>[+-])? ?${sum}`)
export const BEGINS = beginsWith(SUM)
/** A number with a mark in it, whatever follows. */
const BEGINS_MARKED = beginsWith(`(?:(?:${CURRENCY_CODE}) ?)?\\d{1,15}[.,]\\d`)
/** An amount without a sign. */
const BEGINS_UNSIGNED = beginsWith(sumOf('', `(?!${TWO_CURRENCIES})`))
/** A sum without a sign, with its currency. It might be the amount. */
export const UNSIGNED = new RegExp(
  `(?<![0-9a-z*.,/-])(?:(?:${CURRENCY_CODE}) ?\\d[\\d.,]*|\\d[\\d.,]* ?(?:${CURRENCY_CODE}|${CURRENCY_SIGN}))`,
)
const ACCOUNT_AT_START = new RegExp(
  `^(?:thanh toan |so |no\\.? |cua (?:quy khach|ban) |(?!x+ )[a-z]{2,12} )?[:.]{0,6} ?(?<account>(?=[x*•#. -]*\\d)(?=.{3})${ACCOUNT_NUMBER})(?![.,]\\d)`,
)
const ACCOUNT_CURRENCY = new RegExp(`^ ?[-(]? ?(?<currency>${CURRENCY_CODE})\\b`)
/** The rest of an account that has letters, as accounts for one shop or order do: `96247LAI712004`. A word may also touch a number: `0123luc 10:00`. */
const LETTERS_OF_ACCOUNT = new RegExp(
  `^(?!${CURRENCY_CODE}|x|luc|vao|ngay|tai|tang|giam|gd|ps|sd)[a-z]{1,12}\\d[0-9a-z]{0,12}(?![0-9a-z:/]|[.,]\\d)`,
)
const CURRENCY_FIRST = new RegExp(`^(?<currency>${CURRENCY_CODE}) (?=[0-9x*]{3})`)

export type Groups = Record<string, string | undefined>

/** The values at the labels before the memo. */
export interface LabelValues {
  amounts: Groups[]
  /** Sums without a sign at an amount label. */
  unsigned: Groups[]
  /** `isClosed`: its sentence ends after it. `isAlone`: no words stand between it and the next label. */
  balances: { groups: Groups; available: boolean; at: number; isClosed: boolean; isAlone: boolean }[]
  /** The value at the label of the direction. */
  direction: string
  account: string | null
  /** An account that may be another party's. It counts if there is no other one. */
  partysAccount: string | null
  accountCurrency: string | undefined
  ref: string | null
  firstAmountAt: number
  /** Text that belongs to no label, a line for each piece: the end of one and the beginning of the next do not make a sum. */
  left: string
  /** Where the text was cut. Infinity if no mark shows it. */
  cutAt: number
  /** A sum stands after an unknown label, or not directly after its label. Or the account number was cut. */
  doubtful: boolean
}

const note = (values: LabelValues, groups: Groups, at: number): void => {
  values.amounts.push(groups)
  values.firstAmountAt = Math.min(values.firstAmountAt, at)
}

/** Right before a word of direction, such a word means that no money has moved: `can nop`, `chua nhan duoc`, `has not been credited`. */
const NOT_YET =
  /(?<![a-z])(?:(?:can|phai|hay|nen|muon|xin|se|chua|khong|neu|khi|vui long|de nghi|co the)(?: duoc| bi| the)?|(?:not|cannot|[a-z]+n['’]t|please|will|may|can|could|would|should|must|if|to)(?: yet)?(?: have)?(?: be| been)?) $/
const LONGEST_NOT_YET = 30
/** @param before  the text before a word of direction */
export const isNotYet = (before: string): boolean => NOT_YET.test(before.slice(-LONGEST_NOT_YET))

/** Right before `nhan` and a sum, the name of somebody else: `NGUYEN VAN A vua nhan duoc 150,000VND`. */
const OTHERS_NAME = /(?<![a-z])(?!(?:ban|khach|(?<=khach )hang|qk|khoan|tk|vi|da|vua|moi) )[a-z]+ (?:(?:da|vua|moi) )*$/

/** Right before a word or sign of the other direction: `tang giam 150,000VND`, `ghi co/ghi no 150,000VND`, `ghi no +150,000VND`. */
const COMES_BEFORE = new RegExp(`(?<![a-z])(?:${COME}) ?[/,-]? ?$`)
const GOES_BEFORE = new RegExp(`(?<![a-z])(?:${GONE}) ?[/,-]? ?$`)

/** Between a sum and its word of direction. */
const BEHIND_SUM = /^[ (]{0,2}(?:(?:was|is|has been|da duoc) )?/

/** Right before a sum, such a word states how much there is, or is missing: `So du TK 0123 den 20/11/2026 la +500,000VND`. */
const STATED = /(?<![a-z])(?:la|con) ?:? ?$/

/** Extracts signed sums from text that no label took, and appends the rest to `left`. */
const leave = (values: LabelValues, piece: string, at: number): void => {
  let rest = piece
  for (const found of matchesIn(piece, SIGNED))
    if (isSum(found.groups ?? {})) {
      const before = piece.slice(0, found.index)
      // After a word, a dash between blanks may be just a dash.
      if (/[a-z] ?: ?$/.test(before) || (/[a-z] $/.test(before) && /^- /.test(found[0]))) values.doubtful = true
      if (STATED.test(before)) values.doubtful = true
      const words = /^[a-z]/.test(found[0]) ? before.slice(-LONGEST_NOT_YET) : ''
      const isPlus = found.groups?.plus !== undefined
      const [own, other] = isPlus ? [COMES_BEFORE, GOES_BEFORE] : [GOES_BEFORE, COMES_BEFORE]
      const opposite = other.exec(before.slice(-LONGEST_NOT_YET))
      // A sign chooses one of two words: `tang/giam +150,000VND`.
      const isChosen = words === '' && opposite !== null && own.test(opposite.input.slice(0, opposite.index))
      if (isNotYet(words) || (opposite && !isChosen)) values.doubtful = true
      const behind = piece.slice(found.index + found[0].length).replace(BEHIND_SUM, '')
      if (contradicts(isPlus ? 'credit' : 'debit', behind)) values.doubtful = true
      if (found[0].includes('nhan') && OTHERS_NAME.test(words)) values.doubtful = true
      note(values, found.groups ?? {}, at + found.index)
      rest = rest.replace(found[0], ' ')
    }
  for (const found of matchesIn(rest, SIGNED_BEHIND)) {
    const { before, behind } = found.groups ?? {}
    if ((before ?? behind) === undefined) continue
    note(values, found.groups ?? {}, at)
    rest = rest.replace(found[0], ' ')
  }
  values.left += `\n${rest}`
}

/** A sum shows thousands or a currency. Otherwise it may be any number. */
export const isSum = ({ number, before, behind, ahead }: Groups): boolean =>
  (before ?? behind ?? ahead) !== undefined || /[.,]\d{3}/.test(number ?? '')

/** The amount that an account holds is not its number: `Tai khoan con 66.428 d`. */
const HOLDS = new RegExp(`^(?:la|co|con|hien) \\d{1,3}(?:[.,]\\d{3})+ ?(?:${CURRENCY_CODE}|${CURRENCY_SIGN})(?![a-z])`)

/** @param isPartys  whether a person's label precedes it: `Nguoi gui: NGUYEN VAN A TK 0011004177` */
const takeAccount = (values: LabelValues, value: string, at: number, isPartys = false): void => {
  const first = CURRENCY_FIRST.exec(value)
  const rest = first ? value.slice(first[0].length) : value
  const found = ACCOUNT_AT_START.exec(rest)
  const digits = found?.groups?.account
  if (!found || !digits || HOLDS.test(rest)) return leave(values, value, at)
  const letters = LETTERS_OF_ACCOUNT.exec(rest.slice(found[0].length))?.[0] ?? ''
  const account = digits + letters.toUpperCase()
  const behind = rest.slice(found[0].length + letters.length)
  // It may lack its end. Without a number, a credit would not wait until its owner confirms the account.
  const counts = values.account === null && !(isPartys && values.partysAccount !== null)
  if (counts && at + value.length - behind.length >= values.cutAt) values.doubtful = true
  const currency = ACCOUNT_CURRENCY.exec(behind)
  if (isPartys) values.partysAccount ??= account
  else values.account ??= account
  // `(VND)+ 3,000`: the currency before the sign also counts for the sum.
  values.accountCurrency ??= first?.groups?.currency ?? currency?.groups?.currency
  leave(values, behind, at + value.length - behind.length)
}

/** A time alone, or nothing. */
export const TIME_ALONE = /^(?:(?:vao|luc|ngay) ){0,2}[\d:/. h-]*$/

const NAMES_ACCOUNT = /tk|tai khoan|account/
/** After the number of an account, its balance: `So du tai khoan 190.123.456 la 5,150,000 VND`. */
const HAS_BALANCE = /^ ?(?:[:=]|(?:la|con|hien|co)(?![a-z])[ :a-z]{0,20}?) ?[+-]?(?:[a-z]{3} ?)?\d/

/** Before its first digit, a value's currency and the sign behind it: `VND -1,150,000`. */
const SIGN_BEHIND_CURRENCY = new RegExp(`^([^\\d+-]{0,80}(?<![a-z]))((?:${CURRENCY_CODE}) ?)([+-])(?= ?\\d)`)
/** @param value  of a balance @returns the same with its sign before its currency. The length stays the same. */
export const withSignFirst = (value: string): string => value.replace(SIGN_BEHIND_CURRENCY, '$1$3$2')

const takeBalance = (values: LabelValues, label: string, printed: string, at: number): void => {
  const value = withSignFirst(printed)
  const found = BEGINS.exec(value)
  const hasCurrency = (found?.groups?.before ?? found?.groups?.behind) !== undefined
  if (found && !hasCurrency && NAMES_ACCOUNT.test(label) && HAS_BALANCE.test(value.slice(found[0].length)))
    return takeAccount(values, value, at)
  // Many digits without separators or currency are an account: `SD TK 0011000415567 +150,000VND`.
  if (found?.groups && isSum(found.groups) && (found.groups.behind || !/^[ .]*[0-9x*]{6,}(?![.,])/.test(value))) {
    const behind = value.slice(found[0].length)
    values.balances.push({
      groups: found.groups,
      available: /kha dung|kd|available/.test(label),
      at,
      isClosed: /^ ?(?:[.,;|)\n]|$)/.test(behind),
      isAlone: TIME_ALONE.test(behind.replace(/^[ .,;|)\n]+/, '')),
    })
    return
  }
  if (NAMES_ACCOUNT.test(label) || /^[^\d+-]*[0-9x*]{4,}/.test(value))
    return takeAccount(values, value.replace(/^(?:tk|tai khoan) ?/, ''), at)
  // The bank's balance cannot be read, because a memo without a label follows it at once: `So du:222,772,047.0 DH1042`. So another balance, a
  // currency or a label of the memo behind it is the payer's.
  if (BEGINS_MARKED.test(value)) values.doubtful = true
  // A balance that is owed is no amount: `So du: (-) 1,150,000 VND`, `So du: ghi no 1,150,000 VND`.
  if (BEGINS_SIGNED.test(value)) values.doubtful = true
  leave(values, value, at)
}

const takeAmount = (values: LabelValues, value: string, at: number): void => {
  const signed = BEGINS_SIGNED.exec(value)
  if (signed?.groups && isSum(signed.groups)) {
    note(values, signed.groups, at)
    return leave(values, value.slice(signed[0].length), at + signed[0].length)
  }
  const plain = BEGINS_UNSIGNED.exec(value)
  if (plain?.groups && isSum(plain.groups)) {
    values.unsigned.push(plain.groups)
    values.firstAmountAt = Math.min(values.firstAmountAt, at)
    return leave(values, value.slice(plain[0].length), at + plain[0].length)
  }
  const before = values.amounts.length
  leave(values, value, at)
  if (values.amounts.length > before) values.doubtful = true
}

const refIn = (value: string): string | null =>
  /^[0-9a-z][0-9a-z./-]{3,40}/i.exec(value)?.[0].replace(/[./-]+$/, '') ?? null

const noValues = (cutAt: number): LabelValues => ({
  amounts: [], unsigned: [], balances: [], direction: '', account: null, partysAccount: null, accountCurrency: undefined, ref: null, firstAmountAt: Infinity, left: '', cutAt, doubtful: false,
}) // prettier-ignore

/** Stars around a label or its value are marks of bold text. Two or more before a digit, or only behind one, are a mask: `1903325****`. */
const masked = (shadow: string, { at, start, end }: Labelled): string => {
  const value = shadow.slice(start, end)
  const before = /^\d/.test(value) ? (/(?<!\*)\*{2,} ?$/.exec(shadow.slice(at, start))?.[0] ?? '') : ''
  const isBold = before !== '' || shadow[at - 1] === '*'
  const behind = isBold ? undefined : /^[0-9x](\*{2,12})/.exec(shadow.slice(end - 1, end + 12))?.[1]
  return before + value + (behind ?? '')
}

/** Labels of a person's name, which is a stranger's words. */
export const PERSON = /^(?:ten )?nguoi|^(?:payee|payer|sender|beneficiary)|^(?:tu|den) ?:/

/** Whether the label and value before another label of the same line are a person's. */
const isPersons = (before: string): boolean => PERSON.test(before) && !/[\n|]/.test(before)

/** Collects the values at a page's labels, up to its memo at `until`. */
export const listen = ({ text, shadow }: Page, labels: readonly Labelled[], until: number): LabelValues => {
  const values = noValues(CUT.exec(text)?.index ?? Infinity)
  leave(values, shadow.slice(0, labels[0]?.at ?? until), 0)
  for (const [n, labelled] of labels.entries()) {
    const { field, at, start, end } = labelled
    const value = shadow.slice(start, end)
    if (field === 'end') {
      if (values.amounts.length + values.unsigned.length > 0) break
      values.left += `\n${value}`
    }
    const label = shadow.slice(at, start)
    const before = labels[n - 1]
    const isPartys = before?.field === 'other' && isPersons(shadow.slice(before.at, at))
    if (field === 'account') takeAccount(values, masked(shadow, labelled), start, isPartys)
    else if (field === 'balance') takeBalance(values, label, value, start)
    else if (field === 'amount') takeAmount(values, value, start)
    else if (field === 'date') leave(values, value, start)
    else if (field === 'direction' || field === 'status') values.left += `\n${value}`
    else if (field === 'ref') values.ref ??= refIn(text.slice(start, end))
    if (field === 'direction') values.direction ||= value.replace(/^[ :]+/, '')
  }
  values.account ??= values.partysAccount
  return values
}
