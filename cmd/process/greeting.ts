// Tests: tests/e2e/readme.test.ts
/** The text that a start prints to the terminal. The first start also prints the new account and a command to test it with. */
import { inVietnam } from '../../domain/time.ts'
import type { Language } from '../../domain/account/language.ts'
import type { FreshAccount } from '../../workflows/accounts/registration.ts'

export const personalUrl = (baseUrl: string, receiveToken: string): string => `${baseUrl}/api/receive/u/${receiveToken}`

/** A notification text in BIDV's format, with the current time, that pays order 1042. */
const tryOut = (now: Date): string => {
  const { year, month, day, hour, minute } = inVietnam(now)
  const two = (number: number) => String(number).padStart(2, '0')
  const time = `${two(hour)}:${two(minute)} ${two(day)}/${two(month)}/${year}`
  return `TK8832123000 tai BIDV +500,000VND vao ${time}. So du:1,730,000VND. ND: NGUYEN VAN A thanh toan DH1042`
}

const VI = {
  first: 'Đây là lần chạy đầu tiên. Hãy lưu lại các dòng sau: chúng chỉ hiện một lần.',
  link: 'Đường dẫn đăng nhập (sign-in link) chỉ dùng được một lần, trong một giờ.',
  tryOut:
    'Mở địa chỉ trên (address) và đăng nhập. Hoặc gửi một tin báo có kèm tên người gửi tới đường dẫn riêng (personal URL) để tạo giao dịch. Thử ngay:',
}
const EN: typeof VI = {
  first: 'This is the first start. Save the following: it is shown only once.',
  link: 'The sign-in link works once, for an hour.',
  tryOut:
    "Open the address and log in. Or post a bank's text and its sender to the personal URL to create a transaction. Try it:",
}

/** Programs read the labels, so they are the same in every language. */
const line = (label: string, value: string): string => `  ${label.padEnd(14)}${value}`

/**
 * @param fresh  the account that this start created; null at every later start
 * @param signInToken  of a link that signs in once; null: none is printed
 */
export const greeting = (
  baseUrl: string,
  fresh: FreshAccount | null,
  now: Date,
  language: Language,
  signInToken: string | null = null,
): string => {
  const t = language === 'vi' ? VI : EN
  const address = line('address', baseUrl)
  if (!fresh) return address
  const url = personalUrl(baseUrl, fresh.receive_token)
  return [
    t.first,
    '',
    address,
    line('e-mail', fresh.email),
    ...(fresh.password === null ? [] : [line('password', fresh.password)]),
    ...(signInToken === null ? [] : [line('sign-in link', `${baseUrl}/login#${signInToken}`)]),
    line('API key', fresh.api_key),
    line('personal URL', url),
    '',
    ...(signInToken === null ? [] : [t.link]),
    t.tryOut,
    '',
    `curl --header 'Content-Type: text/plain' --data '${tryOut(now)}' '${url}?sender=BIDV'`,
    '',
  ].join('\n')
}
