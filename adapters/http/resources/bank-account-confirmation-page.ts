// Tests: tests/attack/new-bank-accounts.test.ts
/** The page of the link in the alert mail about a new bank account. A GET changes nothing; the page has one button to confirm. */

import type { Language } from '../../../domain/account/language.ts'

export const CONFIRMATION_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const page = (language: Language, heading: string, content: string): string => `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baoco: ${heading}</title>
<link rel="stylesheet" href="/counter.css">
<main>
<h1>${heading}</h1>
${content}
</main>
</html>
`

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPED[character]!)

/** The parts of an account number by which its owner recognizes it, without the whole number. */
export interface ShownNumber {
  bank_code: string
  /** The last digits. */
  ending: string
}

const TEXTS = {
  en: {
    name: (bank: string, ending: string) => `${bank}, ending in ${ending}`,
    ask: 'Confirm a bank account',
    askText: 'Confirm only if this account is yours. The payments to it that waited are then sent to your shop.',
    button: 'This account is mine',
    done: 'Bank account confirmed',
    doneText: 'Payments to it count from now on. The payments that waited are being sent.',
    gone: 'This link is not valid',
    goneText: 'It may be too old. Log in and confirm the number in the list of bank accounts.',
  },
  vi: {
    name: (bank: string, ending: string) => `${bank}, số cuối ${ending}`,
    ask: 'Xác nhận tài khoản ngân hàng',
    askText:
      'Chỉ xác nhận nếu đây là tài khoản của bạn. Khi đó các khoản tiền đang chờ vào tài khoản này sẽ được báo cho cửa hàng.',
    button: 'Đây là tài khoản của tôi',
    done: 'Đã xác nhận tài khoản ngân hàng',
    doneText: 'Từ nay tiền vào tài khoản này được tính. Các khoản tiền đang chờ đang được báo cho cửa hàng.',
    gone: 'Liên kết này không dùng được',
    goneText: 'Có thể nó đã quá hạn. Hãy đăng nhập và xác nhận số tài khoản ở trang Cài đặt.',
  },
} satisfies Record<Language, object>

const nameOf = ({ bank_code, ending }: ShownNumber, language: Language): string =>
  `<b>${escaped(TEXTS[language].name(bank_code, ending))}</b>`

export const askPage = (number: ShownNumber, language: Language): string => {
  const t = TEXTS[language]
  const form = `<form method="post"><button type="submit">${t.button}</button></form>`
  return page(language, t.ask, `<p>${nameOf(number, language)}</p>\n<p>${t.askText}</p>\n${form}`)
}

export const donePage = (number: ShownNumber, language: Language): string => {
  const t = TEXTS[language]
  return page(language, t.done, `<p>${nameOf(number, language)}</p>\n<p>${t.doneText}</p>`)
}

/** Whose link it was is not known. */
export const goneLinkPage = (): string => {
  const { vi, en } = TEXTS
  return page('vi', vi.gone, `<p>${vi.goneText}</p>\n<p lang="en">${en.gone}. ${en.goneText}</p>`)
}
