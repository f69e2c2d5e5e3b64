/**
 * Finds the reason why a text that no layout reads is not a transaction. Works on the shadow. A text that looks like moved money stays
 * `unparsed`, whatever words its memo contains, so that it is kept and read again when its layout is known.
 */
import { NOTIFICATION_AT_MOST, pageOf } from './page.ts'
import type { NoTransaction } from './reading.ts'

const PLACEHOLDER = /\{[a-z_][a-z0-9_]*\}|%[a-z][a-z0-9_]*%?|\[[a-z_]+\]/g

const ACCOUNT = /\bs?tk\b|\btk ?[:0-9x*]|tai khoan|\bacc(?:oun)?t?\b|\ba\/c\b/
const MOVED =
  /(?:[+-]|\btang|\bgiam|ghi co|ghi no|rut ra|credit|debit)(?:ed)?(?: with| by| for)? ?:? ?\(?[+-]?\)? ?(?:vnd ?)?\d{1,3}(?:[., ]\d{3})+|\d[.,]\d{3}(?: ?vnd)? (?:was |is |has been )?(?:credit|debit)/
const BALANCE = /\bsd|so ?du|\bbal(?:ance)?\b/

/** A text states a one-time password only if it contains the code itself, so a memo with the word is not dropped. */
const OTP_TOLD =
  /\bma otp:? ?\d{4,8}\b|\botp\b[^.\n]{0,60}?(?:la|is|:) ?\d{4,8}\b|\b\d{4,8} (?:la|is) (?:ma|your|otp)|ma xac (?:thuc|nhan|minh)[^.\n]{0,40}?(?:la|:) ?\d{4,8}\b/

type Rule = readonly [NoTransaction, RegExp]

/** These texts are unmistakable. A stated one-time password is never stored, wherever in a text it stands. */
const plain: readonly Rule[] = [
  ['ping', /^(?:ping|heartbeat|gateway\.heartbeat)$/],
  ['test_message', /^test$|^gateway\.test$/],
  ['otp', OTP_TOLD],
]

/** These apply unless account, amount and balance are all present. */
const explicit: readonly Rule[] = [
  ['test_message', /\btest message\b|\bthis is a test\b|\btin (?:nhan )?thu\b/],
  ['otp', /\botp\b|ma xac (?:thuc|nhan|minh)|mat khau (?:mot|1|dung mot) lan|verification code/],
  [
    'failed',
    /(?:khong|chua) thanh cong|that bai|bi tu choi|khong thuc hien duoc|giao dich loi|\bfailed\b|\bdeclined\b|unsuccessful/,
  ],
  ['statement', /\bsao ke\b|\bdu no (?:cuoi|hien|tin dung|the)|\bstatement\b/],
  ['reminder', /khong du so du|nhac (?:han|no|thanh toan|lich)|den han|qua han|thanh toan toi thieu|reminder|due date/],
]

/** These do not apply if an account stands next to a moved amount or a balance. */
const likely: readonly Rule[] = [
  ['login', /dang nhap|thiet bi (?:moi|la)|\blog(?:ged)? ?in\b|new device|(?:doi|khoa|quen) mat khau/],
  [
    'promotion',
    /uu dai|khuyen mai|giam gia|qua tang|tang qua|trung thuong|nhan ngay|voucher|\bsale\b|dang ky ngay|mo tai khoan tiet kiem/,
  ],
  ['bill', /\btien (?:dien|nuoc|mang)\b|\bhoa don\b|\bcuoc (?:phi|thue bao|internet|vien thong)|\bdon hang\b|\bbill\b/],
  ['promotion', /co hoi|cam on quy|chuc mung|lai suat|mien phi|nhan dip|hoan tien|tri an/],
]

const PRINTED_BALANCE =
  /\b(?:so du|sd)\b[^\n+]{0,80}?\b(?:la|hien tai|kha dung)\b ?:? ?(?:vnd ?)?-?\d[\d.,]*(?: \d{3})*/
const SUM = /\d ?(?:vnd|d\b|dong\b|usd)|(?:vnd|usd) ?\d/g

/** Whether the only sum of a text is its balance. Any other sum may have moved. */
const hasBalanceOnly = (text: string): boolean => {
  const balance = PRINTED_BALANCE.exec(text)
  const [sum, ...others] = balance === null ? [] : text.matchAll(SUM)
  if (!balance || !sum || others.length > 0) return false
  return sum.index >= balance.index && sum.index < balance.index + balance[0].length
}

const PHONE_NUMBER = /^(?:\+?84|0)\d{8,10}$/

/**
 * @param shadow  title, subject and text in shadow form
 * @param sender  SMS sender, if known
 */
export const whyNoTransaction = (shadow: string, sender: string | undefined): NoTransaction => {
  if (shadow === '') return 'empty'
  if (shadow.includes('{') || shadow.includes('%') || shadow.includes('[')) {
    if (shadow.replace(PLACEHOLDER, '').trim() === '') return 'placeholder'
  }
  const first = (rules: readonly Rule[], text: string) => rules.find(([, expression]) => expression.test(text))?.[0]
  const plainReason = first(plain, shadow)
  if (plainReason) return plainReason
  const beginning = shadow.slice(0, NOTIFICATION_AT_MOST)
  const account = ACCOUNT.test(beginning)
  const moved = MOVED.test(beginning)
  const balance = BALANCE.test(beginning)
  if (account && moved && balance) return 'unparsed'
  const reason = first(explicit, beginning)
  if (reason) return reason
  if (!moved && hasBalanceOnly(beginning)) return 'balance_only'
  if (account && (moved || balance)) return 'unparsed'
  return first(likely, beginning) ?? (sender && PHONE_NUMBER.test(sender.replace(/[ .-]/g, '')) ? 'chat' : 'unparsed')
}

/**
 * Whether a raw body contains a one-time password, in any field.
 * @param raw  JSON, or any text
 */
export const tellsOneTimePassword = (raw: string): boolean => {
  const letters = raw.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return OTP_TOLD.test(pageOf(letters).shadow)
}

/** Whether the bank's own words around a layout (title, header) say that nothing happened. */
export const saysFailed = (shadow: string): boolean =>
  /(?:khong|chua) thanh cong|that bai|bi tu choi|giao dich loi\b|khong thuc hien duoc|unsuccessful|\bfailed\b|\bdeclined\b/.test(
    shadow,
  )

const NOT_DONE =
  '(?:khong|chua) thanh cong|that bai|tu choi|\\b(?:bi|da) huy\\b|dang (?:duoc )?(?:xu ly|cho)|cho (?:xu ly|duyet|xac nhan)|\\b(?:bi|duoc|da) (?:hoan (?:tra|tien|lai)|thu hoi|dao)\\b|bi (?:loi|treo|tra lai)\\b|\\bfail(?:ed|ure)?|unsuccessful|declined|reject(?:ed)?|cancel(?:l?ed)?|pending|processing|being processed|revers(?:ed|al)|refund(?:ed)?|on hold|voided'
/** A row of the status, also of a table, or a short sentence that is a line of its own. */
const NOT_DONE_LINE = new RegExp(
  `\\n(?:(?:tt|trang thai|tinh trang|ket qua|status|result)[^:|\\n]{0,20}[:|][^\\n]{0,30}?(?:${NOT_DONE})|(?:giao dich|gd|lenh|(?:your )?(?:transaction|payment|transfer))(?![a-z])[^:\\n]{0,30}?(?:${NOT_DONE})[ .!]*(?=\\n|$))`,
)

/**
 * Whether a line after the first one of a memo says that nothing happened: `Trạng thái: Thất bại`. It is the bank's, because a payer cannot
 * write a line end.
 * @param shadow  the text from the beginning of the memo
 */
export const saysFailedBehind = (shadow: string): boolean => NOT_DONE_LINE.test(shadow)

/** Words that mean that the money is requested, waits, was taken back, is planned, or that the text is an example. */
const NOT_MOVED = new RegExp(
  [
    'dang (?:duoc )?(?:xu ly|cho)|dang bi (?:tam|treo|giu|dung)\\b|cho (?:xu ly|duyet|xac nhan|thanh toan|hach toan)|xac nhan trong|tam (?:giu|khoa)\\b|phong toa\\b|tra soat|chua (?:hoan (?:tat|thanh)|thanh (?:cong|toan)|duoc|ghi co|hach toan)\\b|tien (?:sap|dang|chua) (?:ve|den)\\b',
    '(?:huy|thu hoi|dao) (?:giao dich|gd|lenh)|(?:giao dich|gd|lenh)(?: da| bi| duoc){0,2} (?:huy|thu hoi|hoan(?! (?:tat|thanh)))\\b|bi (?:huy|loi|dao|treo|tra lai)\\b|khong (?:du|hop le)\\b|(?:qua|het) han',
    'du (?:kien|bao)\\b|tuong lai|hen gio|(?:dat|len) lich|lich chuyen|(?:lenh|gd|giao dich|chuyen tien) dinh ky|nhac (?:no|han)|vi du\\b|mau tin\\b|(?:lua dao|gia mao) ?: ?$',
    '(?<!(?:theo|thuc hien) )(?:yeu cau|de nghi) (?:chuyen tien|thanh toan) ?(?:[:\\n]|$)',
    '\\bhoan (?:tra|tien|lai) (?:giao dich|gd|lenh)\\b|\\brevers(?:al|ed)\\b|\\brefund',
    '\\bpending\\b|being processed|\\bnot (?:yet )?(?:been )?credited|\\bchargeback\\b|\\bcancel|\\bvoid(?:ed)?\\b|\\bon hold\\b|\\bscheduled\\b|\\bdraft\\b',
  ].join('|'),
)

/**
 * Whether the bank's own words around a text (title, header) say that its money is requested, waits or came back. They contain no word that is a name without
 * its diacritics, such as `huy`.
 */
export const saysNotMoved = (shadow: string): boolean => NOT_MOVED.test(shadow)

/** The lines that Outlook puts above a quoted mail, instead of a mark before each of its lines. A receipt of a bank names no subject. */
const QUOTED_HEAD = /(?:^|\n)(?:from|tu|nguoi gui) ?:[^\n]*\n(?:[^\n]*\n){0,8}?(?:subject|chu de|tieu de) ?:/

/**
 * Whether a mail answers or forwards another one, and so repeats a stranger's words. Programs for support may not say so in its headers.
 * @param subject  in shadow form · @param opening  the text before a reading, in shadow form
 */
export const repeatsOthers = (subject: string, opening: string): boolean =>
  /^(?:re|fwd?|tl|trl|tra loi|chuyen tiep)(?:\[\d+\])? ?:/.test(subject) ||
  /(?:^|\n)>|\bwrote ?:|\bda viet ?:|(?:original|forwarded) message/.test(opening) ||
  QUOTED_HEAD.test(opening)

/**
 * Whether a title says that money is only asked for or offered. A header may say that about something else: `Theo yeu cau cua quy khach`.
 */
export const saysAskedFor = (title: string): boolean =>
  /\byeu cau\b|nhac (?:no|han|thanh toan|chuyen tien|tra tien)|uu dai|khuyen mai|voucher|nhan ngay\b|ngay hom nay|\bde (?:nhan|duoc|tiep tuc)\b|\b(?:neu|khi) (?:ban|dong y|lien ket|gioi thieu|dang ky)\b|\brequest|\bremind/.test(
    title,
  )

const ADDRESS = /https?:\/\/|\bwww\./
const FETCH = /\bnhan tien\b[^\n]{0,60}?(?:website|https?:|www\.)|\bde nhan tien\b/

/**
 * Whether a text about money names an address, as swindlers do: `Vui long dang nhap https://…`. Banks must not send links
 * (circular 50/2024/TT-NHNN, in force since 2025).
 */
export const namesAddress = (shadow: string): boolean => ADDRESS.test(shadow)

/** Whether a text asks to fetch money, wherever this stands: `Quý khách nhận tiền VND vào TK tại website: …`. */
export const asksToFetch = (shadow: string): boolean => FETCH.test(shadow)
