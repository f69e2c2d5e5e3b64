/** Mails as banks send them and mailbox providers deliver them, each of a different transaction. */

export interface MailOptions {
  to?: string
  from?: string
  messageId?: string
  /** Authentication-Results as the provider wrote it; '' for none. */
  results?: string
  /** DKIM-Signature; '' for none. */
  signature?: string
  amount?: number
  at?: Date
  /** Headers above all others. */
  above?: string[]
}

/** The id with which the tests' mailbox provider signs its results. */
export const AUTHSERV_ID = 'mx.mailbox.example'

const two = (value: number): string => String(value).padStart(2, '0')

/** Formats a time as `20/11/2026 10:00` in Vietnam's time zone. */
const printed = (at: Date): string => {
  const local = new Date(at.getTime() + 7 * 3_600_000)
  const day = `${two(local.getUTCDate())}/${two(local.getUTCMonth() + 1)}/${local.getUTCFullYear()}`
  return `${day} ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`
}

/** Timo's mail about an incoming payment. @param number  makes it unique, through its balance */
const timoText = (number: number, memo: string, { amount = 150_000, at = new Date() }: MailOptions = {}): string =>
  `Tài khoản Spend Account vừa tăng ${amount.toLocaleString('vi-VN')} VND vào ${printed(at)}. ` +
  `Số dư hiện tại: ${(1_000_000 + number).toLocaleString('vi-VN')} VND. Mô tả: ${memo}.`

export const timoMail = (number: number, memo: string, options: MailOptions = {}): string => {
  const {
    to = 'shop@mailbox.example',
    from = 'Timo Support <support@timo.vn>',
    messageId = `<${number}@timo.vn>`,
    results = `${AUTHSERV_ID}; dkim=pass header.d=timo.vn header.s=s1; spf=pass smtp.mailfrom=timo.vn`,
    signature = 'v=1; a=rsa-sha256; d=timo.vn; s=s1; h=from:to:subject:date:message-id; bh=x; b=y',
    at = new Date(),
    above = [],
  } = options
  return [
    ...above,
    ...(results === '' ? [] : [`Authentication-Results: ${results}`]),
    ...(signature === '' ? [] : [`DKIM-Signature: ${signature}`]),
    `From: ${from}`,
    `To: ${to}`,
    'Subject: =?utf-8?B?VGjDtG5nIGLDoW8gdGhheSDEkeG7lWkgc+G7kSBkxrA=?=',
    `Date: ${at.toUTCString()}`,
    ...(messageId === '' ? [] : [`Message-ID: ${messageId}`]),
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(`<html><body><p>${timoText(number, memo, options)}</p></body></html>`).toString('base64'),
    '',
  ].join('\r\n')
}
