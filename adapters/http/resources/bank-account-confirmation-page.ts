// Tests: tests/attack/new-bank-accounts.test.ts
/** The page of the link in the alert mail about a new bank account. A GET changes nothing; the page has one button to confirm. */

export const CONFIRMATION_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const page = (heading: string, content: string): string => `<!doctype html>
<html lang="en">
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

const nameOf = ({ bank_code, ending }: ShownNumber): string =>
  `<b>${escaped(bank_code)}, ending in ${escaped(ending)}</b>`

export const askPage = (number: ShownNumber): string =>
  page(
    'Confirm a bank account',
    `<p>${nameOf(number)}</p>
<p>Confirm only if this account is yours. The payments to it that waited are then sent to your shop.</p>
<form method="post"><button type="submit">This account is mine</button></form>`,
  )

export const donePage = (number: ShownNumber): string =>
  page(
    'Bank account confirmed',
    `<p>${nameOf(number)}</p>
<p>Payments to it count from now on. The payments that waited are being sent.</p>`,
  )

export const goneLinkPage = (): string =>
  page(
    'This link is not valid',
    '<p>It may be too old. Log in and confirm the number in the list of bank accounts.</p>',
  )
