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
  address: 'địa chỉ',
  email: 'email',
  password: 'mật khẩu',
  link: 'liên kết đăng nhập',
  key: 'khóa API',
  url: 'đường dẫn riêng',
  once: 'Liên kết đăng nhập dùng được một lần, trong một giờ.',
  tryOut: 'Gửi một tin báo có kèm tên người gửi tới đường dẫn riêng để tạo giao dịch. Thử ngay:',
}
const EN: typeof VI = {
  first: 'This is the first start. Save the following: it is shown only once.',
  address: 'address',
  email: 'e-mail',
  password: 'password',
  link: 'sign-in link',
  key: 'API key',
  url: 'personal URL',
  once: 'The sign-in link works once, for an hour.',
  tryOut: "Post a bank's text and its sender to the personal URL to create a transaction. Try it:",
}

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
  const width = Math.max(t.link.length, t.url.length) + 2
  const line = (label: string, value: string): string => `  ${label.padEnd(width)}${value}`
  const address = line(t.address, baseUrl)
  if (!fresh) return address
  const url = personalUrl(baseUrl, fresh.receive_token)
  return [
    t.first,
    '',
    address,
    line(t.email, fresh.email),
    ...(fresh.password === null ? [] : [line(t.password, fresh.password)]),
    ...(signInToken === null ? [] : [line(t.link, `${baseUrl}/login#${signInToken}`)]),
    line(t.key, fresh.api_key),
    line(t.url, url),
    '',
    ...(signInToken === null ? [] : [t.once]),
    t.tryOut,
    '',
    `curl --header 'Content-Type: text/plain' --data '${tryOut(now)}' '${url}?sender=BIDV'`,
    '',
  ].join('\n')
}
