// Tests: tests/attack/new-bank-accounts.test.ts
/** The page of the link in the alert mail about a new bank account. A GET changes nothing; the page has one button to confirm. */

import type { Language } from '../../../domain/account/language.ts'

export const CONFIRMATION_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const LOGO =
  '<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="4" fill="#0B5D4E"/><path d="M7 10h18M7 16h12M7 22h18" stroke="#fff" stroke-width="2"/><circle cx="24" cy="16" r="2.5" fill="#6FCF97"/></svg>'

/** The look of the dashboard, without its files: the page also works where the dashboard is not served. */
export const CONFIRMATION_STYLE = `:root { color-scheme: light dark; --ground: #fbfaf7; --ink: #1c1b18; --muted: #5f5b52; --brand: #0b5d4e; --on-brand: #fff }
@media (prefers-color-scheme: dark) { :root { --ground: #14140f; --ink: #edeae0; --muted: #a8a395; --brand: #5cc8ae; --on-brand: #14140f } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/24px 'Source Sans 3', system-ui, sans-serif }
main { max-width: 400px; margin: 0 auto; padding: 64px 16px }
div { display: flex; gap: 8px; align-items: center; font-size: 18px; font-weight: 600 }
h1 { margin: 24px 0 12px; font-size: 20px; line-height: 28px; font-weight: 600 }
p { margin: 0 0 12px }
p[lang] { color: var(--muted) }
button { min-height: 44px; margin-top: 8px; padding: 8px 16px; border: 0; border-radius: 4px; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 600; cursor: pointer }
button:focus-visible { outline: 2px solid var(--brand); outline-offset: 2px }
`

const page = (language: Language, heading: string, content: string): string => `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baoco: ${heading}</title>
<link rel="stylesheet" href="/confirm-bank-account.css">
<main>
<div>${LOGO}Baoco</div>
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

/** It is not known whose link it was. */
export const goneLinkPage = (): string => {
  const { vi, en } = TEXTS
  return page('vi', vi.gone, `<p>${vi.goneText}</p>\n<p lang="en">${en.gone}. ${en.goneText}</p>`)
}
