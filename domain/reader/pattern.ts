/**
 * The small language in which a bank's layouts are written, and its translation to one regular expression each, made once.
 *
 *     SD TK {account} {amount} luc {date:dd-MM-yyyy HH:mm:ss}. SD {balance}[. Ref {content}]
 *
 * - Words are written without diacritics; the expression runs on the text's shadow (lower case, no diacritics, runs of
 *   blanks squeezed), so case, diacritics and doubled blanks do not matter. A blank fits a line break too.
 * - `{account}` `{currency}` `{counterpart}` `{ref}` `{content}` are fields; `{amount}` needs a sign or a direction word, and takes
 *   a currency before or behind; with `:in` or `:out` the words around it tell the direction. `{balance}` may be signed;
 *   `{available}` stands in for one that is missing. With `:bare` a currency counts only before the number, for layouts where the
 *   memo follows it. `{date:…}` knows dd MM yyyy yy HH mm ss (seconds may be missing or there, a year behind a mark too).
 *   Passed over: an `{opening}` balance, an `{aside}` in brackets, `{words}`, a `{clock}`.
 * - `[…]` may be missing; `<a/b>` is either; `.` is an end of sentence, which may be missing or another mark; `|` a bar, which
 *   may be lost; `~` an end of line, which may be a blank, a dot or a bar.
 *
 * A layout must fit the text from its start to its end. Before it only a header without digits may stand, or a memo that imitates
 * a layout could speak for the bank. `{content}` is the only unbounded field and occurs once, so matching is linear.
 */
import { CURRENCY_CODE, CURRENCY_SIGN, NUMBER } from './printed-money.ts'

const BLANK = '[ \\n]'
const LINE_END = '[ \\n|]{1,2}'

/** `MB Bank • 5 phút`, `Thông báo biến động số dư:`; the only digits are an age or a time of day. */
const HEADER = `(?<header>(?:[^\\d+\\n]{0,60}•${BLANK}?\\d{1,2}(?::\\d\\d|${BLANK}?[a-z]{1,6}))?[^\\d+]{0,160}?)`

const COME = 'tang|cong|ghi co|nop(?: vao)?|gui(?: vao)?|credit(?:ed)?'
const GONE = 'giam|tru|ghi no|rut(?: ra)?|debit(?:ed)?'
const PLUS = `\\+|\\(\\+\\)|(?:${COME})(?:${BLANK}?:)?(?:${BLANK}?\\(?\\+\\)?)?`
const MINUS = `-|\\(-\\)|(?:${GONE})(?:${BLANK}?:)?(?:${BLANK}?\\(?-\\)?)?`

const moneyOf = (group: 'amount' | 'balance' | 'available', bare: boolean): string => {
  const before = `(?:(?<${group}_currency>${CURRENCY_CODE})${BLANK}?)?`
  // Behind a balance a lone `d` is the currency only at the end of its sentence: a memo may start with that letter.
  const sign = group === 'amount' ? CURRENCY_SIGN : `${CURRENCY_SIGN}(?=${BLANK}?(?:[.,;|\\n]|$))`
  const unit = `\\.?${BLANK}?(?<${group}_unit>${CURRENCY_CODE}|${sign})`
  // A number that ends the text where its currency should stand may be the half of one.
  const behind = bare
    ? `(?!${BLANK}?[.,]?(?:\\.\\.|…|~)|[.,]\\d{1,3}(?!\\d))`
    : `(?:${unit}|(?=[ \\n.;,|]{0,3}[^ \\n.;,|]))`
  return `${before}(?<${group}>${NUMBER})${behind}`
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

/** A year may be missing wherever it stands behind a mark. */
const dateOf = (format: string): string =>
  format
    .replace(/MM[-/]yy(?:yy)?|MM(?! yy)/, 'MMY')
    .replace(/Y|yyyy|:ss|dd|MM|yy|HH|mm|p|[-/; ]/g, (part) => DATE_PARTS[part] ?? part)

/** Money whose direction the layout knows by itself: `Ban da nhan {amount:in}`. */
const signOf = (option: string): string => {
  if (option === 'in') return '(?<plus>)'
  if (option === 'out') return '(?<minus>)-?'
  return `(?:(?<amount_before>${CURRENCY_CODE})${BLANK}?)?(?:(?<plus>${PLUS})|(?<minus>${MINUS}))`
}

const fieldOf = (name: string): string => {
  const [field = '', option = ''] = name.split(/:(.*)/)
  switch (field) {
    case 'account':
      return '[.]{0,6}(?<account>[0-9x*]{2,24}(?:[.-]{1,3}[0-9x*]{1,24}){0,3})'
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
    case 'clock':
      return '\\d{1,2}:\\d{2}(?: [\\d/]{1,10})?'
    case 'content':
      if (option === 'line') return '(?<content>[^\\n]{1,400}?)'
      return `(?<content>[^]*${option === 'last' ? '' : '?'})`
    default:
      throw new Error(`unknown field in a layout: {${name}}`)
  }
}

const isWord = (character: string | undefined): boolean => /^[a-z0-9]$/i.test(character ?? '')

const markOf = (pattern: string, at: number): string => {
  const mark = pattern[at] ?? ''
  switch (mark) {
    case ' ':
      return isWord(pattern[at - 1]) && isWord(pattern[at + 1]) ? BLANK : `${BLANK}?`
    case '.':
      return `${BLANK}?[.;,]?`
    case ':':
      return `${BLANK}?:${BLANK}?`
    case '|':
      return `${BLANK}?\\|?${BLANK}?`
    case '~': // behind a memo no dot, never several (a cut), none before what may be cents
      return /\{content[^}]*\}\[?$/.test(pattern.slice(0, at))
        ? LINE_END
        : `(?:${BLANK}?\\.(?!\\.|\\d{1,2}(?![0-9a-z]))${BLANK}?|${LINE_END})`
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

/** A word that every text of the layout holds before its memo, so that most other texts are told apart without trying. */
const wordIn = (pattern: string): string => {
  const certain = (pattern.split('{content')[0] ?? '')
    .replace(/\{[^}]*\}|<[^>]*>/g, '~')
    .replace(/\[[^[\]]*\]/g, '~')
    .replace(/\[[^[\]]*\]/g, '~')
    .replace(/\[.*/, '')
  return (certain.match(/[a-z0-9]+/gi) ?? [])
    .reduce((best, word) => (word.length > best.length ? word : best), '')
    .toLowerCase()
}

export interface CompiledPattern {
  expression: RegExp
  word: string
}

/**
 * @param fits  the whole text, or a sentence anywhere in it, whose memo then ends with its line
 * @throws on an unknown field, so that a mistake in a bank's file stops the start
 */
export const compilePattern = (pattern: string, fits: 'whole' | 'anywhere' = 'whole'): CompiledPattern => {
  if (fits === 'anywhere') {
    const sentence = translate(pattern.replace('{content}', '{content:line}'))
    return {
      expression: new RegExp(`(?<![a-z0-9])${sentence}(?=${BLANK}?\\.?(?:[\\n,;]|$)|\\. )`, 'd'),
      word: wordIn(pattern),
    }
  }
  // A sign opens a line of its own: behind a name (`Techcombank - VND 20,000`) it may be a dash.
  const start = pattern.startsWith('{amount') ? '(?<=^|\\n)' : '(?<![a-z0-9])'
  // A memo at the end keeps its dots, as they may say that it was cut; elsewhere they end the sentence.
  const behindMemo = pattern.split('{content}')[1]
  const body = behindMemo?.replace(/\]/g, '') === '' ? pattern.replace('{content}', '{content:last}') : pattern
  const end = behindMemo?.startsWith('[') ? '$' : `${BLANK}?\\.?$`
  return { expression: new RegExp(`^${HEADER}${start}${translate(body)}${end}`, 'd'), word: wordIn(pattern) }
}
