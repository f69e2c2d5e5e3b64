/**
 * Why a mailbox cannot be read, in Vietnamese. Events and the API contain the reason as an English sentence (`adapters/mail/failure.ts`). Mails
 * and the dashboard (`web/texts/vi/problems.ts`) take the texts from here.
 */

/** The first pattern that fits counts, and `$1` is what its first group found. */
export const mailboxReasons: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^The server refuses the connection\.$/, 'Máy chủ từ chối kết nối.'],
  [/^The server does not respond(?: in time)?\.$/, 'Máy chủ không trả lời.'],
  [/^The name (.*) could not be resolved\.$/s, 'Không tìm thấy máy chủ $1.'],
  [/^(.*) is not a public address\.$/s, '$1 không phải là địa chỉ công khai trên Internet.'],
  [/^The server cannot be reached\.$/, 'Không kết nối được tới máy chủ.'],
  [/^The server closed the connection\.$/, 'Máy chủ đã ngắt kết nối.'],
  [/^The server's certificate is not valid for its name\.$/, 'Chứng chỉ của máy chủ không đúng với tên của nó.'],
  [/^The server does not support encryption \(STARTTLS\)\.$/, 'Máy chủ không hỗ trợ mã hóa (STARTTLS).'],
  [/^The server does not speak TLS on this port\.$/, 'Máy chủ không dùng TLS ở cổng này.'],
  [/^The server rejected the user name or the password\.$/, 'Máy chủ không nhận tên đăng nhập hoặc mật khẩu.'],
  [/^The server accepts no login at the moment\.$/, 'Máy chủ hiện không cho đăng nhập.'],
  [/^The mailbox could not be read\.$/, 'Không đọc được hộp thư.'],
  [/^The mailbox has no folder (.*)\.$/s, 'Hộp thư không có thư mục $1.'],
  // The second sentence is that of an earlier version, which the event of a paused mailbox contains.
  [
    /^The server does not (?:follow the IMAP protocol|keep to the protocol \(IMAP\))\.$/,
    'Máy chủ trả lời không đúng giao thức IMAP.',
  ],
  [/^The server does not (?:report UIDVALIDITY|list its mails)\.$/, 'Máy chủ trả lời không đúng giao thức IMAP.'],
  [/^The server lists a mail but does not return it\.$/, 'Máy chủ có một thư nhưng không cho tải thư đó về.'],
  [/^The server sends its answers too slowly\.$/, 'Máy chủ trả lời quá chậm.'],
  [
    /^The server (?:sent (?:more than|a line|data|mails)|lists mails|reports new mails) .*\.$/,
    'Máy chủ gửi những gì không được hỏi, nên Baoco đã ngắt kết nối.',
  ],
  [
    /^Somebody else had access to the account, .*$/,
    'Người khác từng vào tài khoản, nên hãy kiểm tra xem hộp thư này có phải của bạn không.',
  ],
]

/** Before the words of the server itself, which are in any language. */
const IT_SAYS = ' It says: '

/** @returns the reason in Vietnamese. A sentence that is not known stays as it is. */
export const mailboxReason = (reason: string): string => {
  const [own, ...said] = reason.split(IT_SAYS)
  const found = mailboxReasons.find(([pattern]) => pattern.test(own!))
  const text = found ? own!.replace(...found) : own!
  return said.length === 0 ? text : `${text} Máy chủ báo: ${said.join(IT_SAYS)}`
}
