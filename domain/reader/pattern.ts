/**
 * The small language of bank layouts. Each layout is compiled to a regular expression when a text may have it for the first time.
 *
 *     SD TK {account} {amount} luc {date:dd-MM-yyyy HH:mm:ss}. SD {balance}[. Ref {content}]
 *
 * - Words are written without diacritics. The expression runs on the text's shadow (lower case, no diacritics, runs of blanks
 *   squeezed), so case, diacritics and doubled blanks do not matter. A blank also matches a line break.
 * - `{account}` `{currency}` `{counterpart}` `{ref}` `{content}` are fields. `{amount}` requires a sign or a direction word, and
 *   accepts a currency before or after it. With `:in` or `:out`, the words around it define the direction. With `:signed`, for
 *   layouts where the memo precedes it, only a sign that is attached to the number does. `{balance}` may be signed. `{available}`
 *   is used if there is no balance. With `:bare`, a currency counts only before the number, for layouts
 *   where the memo follows it. `{date:…}` supports dd MM yyyy yy HH mm ss. Seconds are optional, and so is a year after a mark.
 *   These match without a value: an `{opening}` balance, an `{aside}` in brackets, `{words}`, a `{phone}` number, a `{clock}`.
 * - `[…]` is optional. `<a/b>` matches either. `.` is an end of sentence, which may be missing or another mark. `|` is a bar,
 *   which may be missing. `~` is an end of line, which may also be a blank, a dot or a bar.
 *
 * A layout must match the whole text. Only a header without digits may precede it, because otherwise a memo that imitates a
 * layout could pass for the bank's own words. `{content}` is the only unbounded field and occurs once, so matching is linear.
 */
import { lazy } from '../lazy.ts'
import { ACCOUNT_NUMBER } from './printed-account.ts'
import { CURRENCY_CODE, CURRENCY_SIGN, EITHER_CURRENCY, MORE_DIGITS, NUMBER } from './printed-money.ts'

const BLANK = '[ \\n]'
const LINE_END = '[ \\n|]{1,2}'

/** `MB Bank • 5 phút`, `Thông báo biến động số dư:`. Its only digits are an age or a time of day. */
const HEADER = `(?<header>(?:[^\\d+\\n]{0,60}•${BLANK}?\\d{1,2}(?::\\d\\d|${BLANK}?[a-z]{1,6}))?[^\\d+]{0,160}?)`

const COME = 'tang|cong|ghi co|nop(?: vao)?|gui(?: vao)?|credit(?:ed)?'
const GONE = 'giam|tru|ghi no|rut(?: ra)?|debit(?:ed)?'
const PLUS = `\\+|\\(\\+\\)|(?:${COME})(?:${BLANK}?:)?(?:${BLANK}?\\(?\\+\\)?)?`
const MINUS = `-|\\(-\\)|(?:${GONE})(?:${BLANK}?:)?(?:${BLANK}?\\(?-\\)?)?`

const moneyOf = (group: 'amount' | 'balance' | 'available', bare: boolean): string => {
  // A balance may have its sign behind the currency. An amount has its sign or word of direction before this.
  const inner = group === 'amount' ? '' : `(?:(?<${group}_inner_sign>[+-])${BLANK}?)?`
  const before = `(?:(?<${group}_currency>${CURRENCY_CODE})${BLANK}?${inner})?`
  // After a balance, a lone `d` is the currency only at the end of its sentence, because a memo may start with that letter.
  const sign = group === 'amount' ? CURRENCY_SIGN : `${CURRENCY_SIGN}(?=${BLANK}?(?:[.,;|\\n]|$))`
  const unit = `\\.?${BLANK}?(?<${group}_unit>${CURRENCY_CODE}|${sign})`
  // A number that ends the text where its currency should stand may be incomplete. A memo may follow an amount, so the amount must be whole.
  const whole = group === 'amount' ? `(?![^ \\n.;,|()]|[.,]\\d|${MORE_DIGITS})` : ''
  // A mark of a cut ends its line. After a blank or a line end it may also begin the memo: `~DH1042`.
  const behind = bare
    ? `(?![.,]?(?:\\.\\.|…|~)| [.,]?(?:\\.{2,}|…|~) ?(?:\\n|$)|[.,]\\d{1,3}(?!\\d))`
    : `(?:${unit}|(?=[ \\n.;,|]{0,3}[^ \\n.;,|])${whole})`
  const single = group === 'amount' ? `(?!${EITHER_CURRENCY})` : ''
  return `${before}(?<${group}>${NUMBER})${single}${behind}`
}

const YEAR = '(?:[-/.](?<year>\\d{4}|\\d{2})(?!\\d))?'
const DATE_PARTS: Record<string, string> = {
  Y: YEAR,
  p: 'p?',
  dd: '(?<day>\\d{1,2})',
  MM: '(?<month>\\d{1,2})',
  yyyy: '(?<year>\\d{4}|\\d{2})(?!\\d)',
  yy: '(?<year>\\d{4}|\\d{2})(?!\\d)',
  HH: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})(?::(?<second>\\d{2}))?',
  ':ss': '',
  '/': '[-/.]',
  '-': '[-/.]',
  ';': `${BLANK}?;?${BLANK}?`,
  ' ': BLANK,
}

/** A year is optional wherever it follows a mark. */
const dateOf = (format: string): string =>
  format
    .replace(/MM[-/]yy(?:yy)?|MM(?! yy)/, 'MMY')
    .replace(/Y|yyyy|:ss|dd|MM|yy|HH|mm|p|[-/; ]/g, (part) => DATE_PARTS[part] ?? part)

/** Money whose direction the layout itself defines: `Ban da nhan {amount:in}`. */
const signOf = (option: string): string => {
  if (option === 'in') return '(?<plus>)'
  if (option === 'out') return '(?<minus>)-?'
  if (option === 'signed') return '(?<=[ \\n])(?:(?<plus>\\+)|(?<minus>-))(?=\\d)'
  return `(?:(?<amount_before>${CURRENCY_CODE})${BLANK}?)?(?:(?<plus>${PLUS})|(?<minus>${MINUS}))`
}

/** The dot that ends a sentence. A dot after another one belongs to a cut (`DH10...`), and the memo keeps it. */
const SINGLE_DOT = '(?<!\\.)\\.'

const fieldOf = (name: string): string => {
  const [field = '', option = ''] = name.split(/:(.*)/)
  switch (field) {
    case 'account':
      return `[.]{0,6}(?<account>${ACCOUNT_NUMBER})`
    case 'amount':
      return `${signOf(option)}${BLANK}?${moneyOf('amount', option === 'bare')}`
    case 'balance':
    case 'available':
      return `(?<${field}_sign>[+-])?${BLANK}?${moneyOf(field, option === 'bare')}`
    case 'opening':
      return `[+-]?${NUMBER}(?:${BLANK}?vnd)?`
    case 'currency':
      return `(?<currency>${CURRENCY_CODE})`
    case 'date':
      return dateOf(option)
    case 'counterpart':
      return '(?<counterpart>[^|\\n]{1,120}?)'
    case 'ref':
      return option === 'plain' ? '(?<ref>[0-9a-z]{4,40})' : '(?<ref>[0-9a-z][0-9a-z./-]{3,40})'
    case 'aside':
      return '\\([^()\\n]{0,80}\\)'
    case 'words':
      return '[^\\n|]{1,60}?'
    case 'phone':
      return '[\\d. ]{6,14}'
    case 'clock':
      return '\\d{1,2}:\\d{2}(?: [\\d/]{1,10})?'
    case 'content':
      if (option === 'line') return `(?<content>[^\\n]{1,400}?(?=(?:${SINGLE_DOT})?(?:\\n|$))|[^\\n]{1,400}?)`
      return `(?<content>[^]*${option === 'last' ? '' : '?'})`
    default:
      throw new Error(`unknown field in a layout: {${name}}`)
  }
}

/** Whether a mark follows a memo at once, whose dots may be those of a cut. */
const followsMemo = (pattern: string, at: number): boolean => /\{content[^}]*\}[[\]]*$/.test(pattern.slice(0, at))

const isWord = (character: string | undefined): boolean => /^[a-z0-9]$/i.test(character ?? '')

const markOf = (pattern: string, at: number): string => {
  const mark = pattern[at] ?? ''
  switch (mark) {
    case ' ':
      return isWord(pattern[at - 1]) && isWord(pattern[at + 1]) ? BLANK : `${BLANK}?`
    case '.':
      return followsMemo(pattern, at) ? `${BLANK}?(?:[;,]|${SINGLE_DOT})?` : `${BLANK}?[.;,]?`
    case ':':
      return `${BLANK}?:${BLANK}?`
    case '|':
      return `${BLANK}?\\|?${BLANK}?`
    case '~': // after a memo no dot, never several (a cut), none before possible cents
      return followsMemo(pattern, at)
        ? LINE_END
        : `(?:${BLANK}?${SINGLE_DOT}(?!\\.|\\d{1,2}(?![0-9a-z]))${BLANK}?|${LINE_END})`
    case '(':
      return `${BLANK}?\\(`
    case ')':
    case ',':
      return `${BLANK}?\\${mark}`
    default:
      return isWord(mark) ? mark.toLowerCase() : `\\${mark}`
  }
}

const translate = (pattern: string): string => {
  let source = ''
  let choosing = false
  for (let at = 0; at < pattern.length; at += 1) {
    switch (pattern.charAt(at)) {
      case '[':
        source += '(?:'
        break
      case ']':
        source += ')?'
        break
      case '<':
        source += '(?:'
        choosing = true
        break
      case '/': // a choice only within <…>
        source += choosing ? '|' : '/'
        break
      case '>':
        source += ')'
        choosing = false
        break
      case '{': {
        const end = pattern.indexOf('}', at)
        source += fieldOf(pattern.slice(at + 1, end))
        at = end
        break
      }
      default:
        source += markOf(pattern, at)
    }
  }
  return source
}

/** More words exclude few more texts. */
const MOST_WORDS = 3

/**
 * Words that every text of the layout contains before its memo, the longest first. They exclude nearly all other texts without running the
 * expression.
 */
const wordsIn = (pattern: string): string[] => {
  const certain = (pattern.split('{content')[0] ?? '')
    .replace(/\{[^}]*\}|<[^>]*>/g, '~')
    .replace(/\[[^[\]]*\]/g, '~')
    .replace(/\[[^[\]]*\]/g, '~')
    .replace(/\[.*/, '')
  const words = certain.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS)
}

/** The number of each group in an expression. 0: it has no such group. All have one form, so that V8 finds a number quickly. */
const NO_GROUPS = {
  header: 0, account: 0, currency: 0, plus: 0, minus: 0, amount: 0, amount_before: 0, amount_currency: 0, amount_unit: 0,
  balance: 0, balance_sign: 0, balance_inner_sign: 0, balance_currency: 0, balance_unit: 0,
  available: 0, available_sign: 0, available_inner_sign: 0, available_currency: 0, available_unit: 0,
  day: 0, month: 0, year: 0, hour: 0, minute: 0, second: 0, counterpart: 0, ref: 0, content: 0,
} // prettier-ignore
type GroupNumbers = typeof NO_GROUPS
export type GroupName = keyof GroupNumbers
export const GROUP_NAMES = Object.keys(NO_GROUPS) as GroupName[]

const NAME_OF_GROUP = /(?<=\()\?<([a-z_]+)>/g

const numbersIn = (source: string): GroupNumbers => {
  const numbers = { ...NO_GROUPS }
  let count = 0
  for (const [, name] of source.matchAll(NAME_OF_GROUP)) numbers[name as GroupName] = ++count
  return numbers
}

/** What a pattern matched in a text. */
export class PatternMatch {
  readonly #match: RegExpExecArray
  readonly #numbers: GroupNumbers

  constructor(match: RegExpExecArray, numbers: GroupNumbers) {
    this.#match = match
    this.#numbers = numbers
  }

  get index(): number {
    return this.#match.index
  }

  /** Undefined if the group has no value, or if the pattern has no such group. */
  value(name: GroupName): string | undefined {
    const number = this.#numbers[name]
    return number === 0 ? undefined : this.#match[number]
  }

  /** The start and the end of the value. */
  range(name: GroupName): readonly [number, number] | undefined {
    const number = this.#numbers[name]
    return number === 0 ? undefined : this.#match.indices![number]
  }
}

export interface CompiledPattern {
  /** Runs the expression, which is compiled at the first call. @throws on an unknown field */
  match(shadow: string): PatternMatch | null
  /** Words that are in every text of the layout before its memo, in shadow form. */
  words: readonly string[]
}

/** @param fits  `whole`: matches the whole text. `anywhere`: matches a sentence anywhere in it, whose memo ends with its line. */
export const compilePattern = (pattern: string, fits: 'whole' | 'anywhere' = 'whole'): CompiledPattern => {
  const compiled = lazy(() => {
    const source = fits === 'whole' ? sourceOf(pattern) : sourceOfSentence(pattern)
    // With names in the expression, V8 takes twice as long to build a match with its positions.
    return { expression: new RegExp(source.replace(NAME_OF_GROUP, ''), 'd'), numbers: numbersIn(source) }
  })
  return {
    match(shadow) {
      const { expression, numbers } = compiled()
      const match = expression.exec(shadow)
      return match && new PatternMatch(match, numbers)
    },
    words: wordsIn(pattern),
  }
}

const sourceOfSentence = (pattern: string): string => {
  const sentence = translate(pattern.replace('{content}', '{content:line}'))
  return `(?<![a-z0-9])${sentence}(?=${BLANK}?(?:${SINGLE_DOT})?(?:[\\n,;]|$)|${SINGLE_DOT} )`
}

const sourceOf = (pattern: string): string => {
  // A sign must open a line: after a name (`Techcombank - VND 20,000`) it may be a dash.
  const start = pattern.startsWith('{amount') ? '(?<=^|\\n)' : '(?<![a-z0-9])'
  // A memo at the end keeps its dots, because they may mark a cut. Elsewhere dots end the sentence.
  const behindMemo = pattern.split('{content}')[1]
  const body = behindMemo?.replace(/\]/g, '') === '' ? pattern.replace('{content}', '{content:last}') : pattern
  const end = behindMemo?.startsWith('[') ? '$' : `(?:${BLANK}?${SINGLE_DOT})?$`
  return `^${HEADER}${start}${translate(body)}${end}`
}
