// Tests: tests/unit/web/app/problem-text.test.ts
import { mailboxReasons } from '../../../workflows/texts/mailbox-reasons.ts'

type Problem = readonly [pattern: RegExp, text: string]

/** Behind its sentence about a mailbox, the API may quote the mail server. */
const withAnswer = ([pattern, text]: Problem): Problem => [
  new RegExp(pattern.source.replace(/\$$/, '(?: It says: (?<answer>.*))?$'), 's'),
  `${text} $<answer>`,
]

/**
 * The API's messages about an input or a mailbox, in Vietnamese. The API's sentences are English. The first pattern that fits
 * counts, and `$1` is what its first group found.
 */
export const problems: readonly Problem[] = [
  [/^The link is invalid or has expired\..*$/, 'Liên kết không đúng hoặc đã hết hạn. Hãy yêu cầu liên kết mới.'],
  [/^The time must be in the future\.$/, 'Hãy chọn một ngày trong tương lai.'],
  [/^This is not a time in ISO 8601 format\.$/, 'Ngày giờ này không hợp lệ.'],
  [/^(?:This is not a valid email address\.|Invalid email address)$/, 'Đây không phải là một địa chỉ email.'],
  [/^The password must have (\d+) to (\d+) characters\.$/, 'Mật khẩu phải có từ $1 đến $2 ký tự.'],
  [/^The custom format requires a template\.$/, 'Nội dung theo mẫu riêng cần có mẫu.'],
  [/^The template cannot be used: not valid JSON\.$/, 'Mẫu chưa dùng được: không phải JSON hợp lệ.'],
  [
    /^The template cannot be used: neither a JSON object nor an array\.$/,
    'Mẫu chưa dùng được: phải là một đối tượng hoặc một mảng JSON.',
  ],
  [
    /^The template cannot be used: nested more than (\d+) levels deep\.$/,
    'Mẫu chưa dùng được: có quá $1 cấp lồng nhau.',
  ],
  [
    /^The template cannot be used: unknown placeholder (\{\{.*?\}\}); these are known: (.*)\.$/,
    'Mẫu chưa dùng được: không có tên $1. Các tên dùng được: $2.',
  ],
  [
    /^The template cannot be used: a placeholder whose braces do not close\.$/,
    'Mẫu chưa dùng được: có cặp ngoặc {{ }} chưa đóng.',
  ],
  [
    /^The template cannot be used: a placeholder in a key\.$/,
    'Mẫu chưa dùng được: {{ }} không được nằm trong tên trường.',
  ],
  [
    /^The template cannot be used: the number (.*) would be rounded; put it in quotes\.$/,
    'Mẫu chưa dùng được: số $1 sẽ bị làm tròn. Hãy đặt nó trong dấu ngoặc kép.',
  ],
  [
    /^The template cannot be used: over 4 KB with the sample transaction\.$/,
    'Mẫu chưa dùng được: với giao dịch mẫu, nội dung dài hơn 4 KB.',
  ],
  [/^The account does not exist\.$/, 'Không tìm thấy tài khoản này.'],
  [/^The connected system does not exist\.$/, 'Không tìm thấy cửa hàng này.'],
  [/^A payment prefix is 2 to 10 letters or digits\.$/, 'Tiền tố mã đơn gồm 2 đến 10 chữ cái không dấu hoặc chữ số.'],
  [
    /^Banks print this word themselves, so it cannot be a payment prefix\.$/,
    'Chính ngân hàng cũng in chữ này trong tin báo, nên nó không làm tiền tố được. Hãy chọn tiền tố khác.',
  ],
  [/^This prefix is reserved for plan orders\.$/, 'Tiền tố này dành cho việc mua gói. Hãy chọn tiền tố khác.'],
  [
    /^Plans cannot be ordered here, .*$/,
    'Ở đây chưa mua gói được, vì người vận hành chưa đặt tài khoản nhận tiền. Hãy liên hệ người vận hành.',
  ],
  [/^Another connected system has this payment prefix\.$/, 'Một cửa hàng khác đã dùng tiền tố này.'],
  [/^Webhook rules use this system\..*$/, 'Còn webhook dùng cửa hàng này. Hãy sửa hoặc xóa chúng trước.'],
  [/^The URL is not valid\.$/, 'Đây không phải là một địa chỉ. Địa chỉ bắt đầu bằng https://.'],
  [/^The URL must begin with https:\/\/\.$/, 'Địa chỉ phải bắt đầu bằng https://.'],
  [/^The URL must not contain a user name or password\.$/, 'Địa chỉ không được chứa tên đăng nhập hoặc mật khẩu.'],
  [
    /^The URL must not be an address of this service itself\.$/,
    'Đây là địa chỉ của chính Baoco. Hãy nhập địa chỉ của cửa hàng.',
  ],
  [
    /^The (?:URL|host) must not have several dots after the host name\.$/,
    'Sau tên máy chủ không được có nhiều dấu chấm.',
  ],
  [/^The URL has no host\.$/, 'Địa chỉ thiếu tên máy chủ.'],
  [/^The (?:URL|host) must be a public address\.$/, 'Baoco chỉ gọi được địa chỉ công khai trên Internet.'],
  [/^Invalid URL$/, 'Đây không phải là một địa chỉ.'],
  [
    /^Enter the mailbox's password again: .*$/,
    'Hãy nhập lại mật khẩu của hộp thư, vì bạn đã đổi máy chủ hoặc tên đăng nhập. Mật khẩu đã lưu chỉ được gửi tới máy chủ mà nó được nhập cho.',
  ],
  [/^Another mail account reads this mailbox\.$/, 'Hộp thư này đã được thêm rồi.'],
  [
    /^A confirmation is final\..*$/,
    'Đã xác nhận thì không rút lại được. Hãy tắt tài khoản này nếu không muốn gửi webhook.',
  ],
  [/^A rotation is in progress until .*$/, 'Khóa đang được thay. Hãy ngừng khóa cũ trước khi thay lần nữa.'],
  [/^No rotation is in progress\..*$/, 'Không có khóa cũ nào để ngừng.'],
  [
    /^An account can have at most (\d+) running bulk retries\..*$/,
    'Mỗi tài khoản chỉ chạy cùng lúc nhiều nhất $1 lượt gửi lại hàng loạt. Hãy đợi một lượt xong hoặc hủy bớt.',
  ],
  [/^An account can have at most (\d+) inboxes\..*$/, 'Mỗi tài khoản có nhiều nhất $1 hộp thử. Hãy xóa bớt một hộp.'],
  [
    /^A transaction can be retried (\d+) times within a day\.$/,
    'Mỗi giao dịch chỉ gửi lại được $1 lần trong một ngày. Hãy gửi lại sau.',
  ],
  [/^A transaction with status .* cannot be retried\.$/, 'Ở trạng thái này, giao dịch không gửi lại được.'],
  [/^The rules that this transaction was sent to were deleted\.$/, 'Các webhook của giao dịch này đã bị xóa.'],
  [/^Only an unparsed notification can be parsed again\.$/, 'Chỉ đọc lại được những tin chưa đọc được.'],
  [/^Other requests changed the same thing.*$/, 'Có thay đổi khác vừa được ghi cùng lúc. Hãy thử lại.'],
  [/^The pairing code is invalid or has expired\.$/, 'Mã ghép không đúng hoặc đã hết hạn.'],
  [/^The range must not exceed (\d+) days\.$/, 'Khoảng ngày không được dài hơn $1 ngày.'],
  [/^The job has already ended\.$/, 'Lượt gửi này đã kết thúc.'],
  [
    /^This contains (?:a NUL character|characters that (?:cannot be stored|no mail server accepts))\.$/,
    'Có ký tự không dùng được.',
  ],
  [/^This must not be empty\.$/, 'Hãy điền ô này.'],
  [/^This must have at most (\d+) characters?\.$/, 'Không được dài hơn $1 ký tự.'],
  [/^A bank code is 2 to 20 letters or digits\.$/, 'Mã ngân hàng gồm 2 đến 20 chữ cái hoặc chữ số.'],
  [/^An amount must not be negative\.$/, 'Số tiền không được âm.'],
  [/^This must be at least one call per minute\.$/, 'Ít nhất một lần gọi mỗi phút.'],
  [/^This is not a valid day\. .*$|^There is no year 0\.$/, 'Ngày này không hợp lệ.'],
  [/^This is not a valid month\. .*$/, 'Tháng này không hợp lệ.'],
  [/^An id is a positive whole number\.$/, 'Mã số này không hợp lệ.'],
  [/^A key needs at least one scope\.$/, 'Hãy chọn ít nhất một quyền cho khóa.'],
  [/^This is not a valid host name\.$/, 'Đây không phải là tên máy chủ.'],
  [/^This is not a valid host name\. The port has its own field\.$/, 'Đây không phải là tên máy chủ. Cổng có ô riêng.'],
  [/^The cursor does not belong to this list\.$/, 'Danh sách đã thay đổi. Hãy tải lại trang.'],
  [/^The body must not exceed .*|^The body of this request must not exceed .*/, 'Nội dung gửi đi quá dài.'],
  [/^The query string must not .*/, 'Bộ lọc quá dài.'],
  [/^A column does not exist, or .*/, 'Có cột không tồn tại.'],
  [/^This must have at least (\d+) characters?\.$/, 'Cần ít nhất $1 ký tự.'],
  [/^This must have at most (\d+) items?\.$/, 'Nhiều nhất $1 mục.'],
  [/^This must be at least (\d+)\.$/, 'Số nhỏ nhất là $1.'],
  [/^This must be more than (\d+)\.$/, 'Số này phải lớn hơn $1.'],
  [/^This must be at most (\d+)\.$/, 'Số lớn nhất là $1.'],
  [/^This field is required\.$|^This must be .*, not null\.$/, 'Hãy điền ô này.'],
  [/^This must be a (?:whole )?number\.$/, 'Hãy nhập một số nguyên.'],
  [/^This must be (?:text|a list|an object)\.$|^This value is not valid\.$/, 'Giá trị này không hợp lệ.'],
  [/^This must be (.*)\.$/, 'Hãy chọn một trong các mục có sẵn.'],
  // Calls of webhooks.
  [/^The endpoint refused the connection\.$/, 'Máy chủ từ chối kết nối.'],
  [/^No answer within (\d+) seconds\.$/, 'Máy chủ không trả lời trong $1 giây.'],
  [/^The endpoint did not answer in time\.$/, 'Máy chủ không trả lời.'],
  [/^The endpoint cannot be reached\.$/, 'Không kết nối được tới máy chủ.'],
  [/^The connection was closed before an answer came\.$/, 'Máy chủ ngắt kết nối mà chưa trả lời.'],
  [/^The answer was not valid HTTP\.$/, 'Máy chủ trả lời không đúng giao thức HTTP.'],
  [/^The answer's status line and headers are longer than (\d+) KB\.$/, 'Phần đầu của câu trả lời dài hơn $1 KB.'],
  [
    /^The secure connection failed: the server does not speak TLS on this port\.$/,
    'Máy chủ không dùng HTTPS (TLS) ở cổng này.',
  ],
  [/^The secure connection failed: (.*)$/s, 'Kết nối bảo mật (HTTPS) không thành công: $1'],
  [/^The call could not be formed: (.*)$/s, 'Không tạo được nội dung gửi: $1'],
  [/^The call failed: (.*)$/s, 'Không gửi được: $1'],
  [/^The call was (?:stopped|given up).*\.$/, 'Baoco đang khởi động lại. Hãy gửi lại.'],
  // Mailboxes.
  ...mailboxReasons.map(withAnswer),
  [/^The mailbox is paused\. .*$/, 'Hộp thư đã bị tạm dừng. Hãy kiểm tra máy chủ, rồi bấm Sửa và lưu lại hộp thư.'],
]
