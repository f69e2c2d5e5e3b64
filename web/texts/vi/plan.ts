// Tests: tests/e2e/browser/dashboard.test.ts
export const plan = {
  title: 'Gói dịch vụ',
  present: 'Gói hiện tại',
  all: 'Các gói',
  lead: 'Mỗi lần thanh toán dùng được 365 ngày. Gói bắt đầu ngay khi tiền tới.',
  replaces:
    'Nếu gia hạn, 365 ngày được cộng vào ngày hết hạn. Nếu mua gói khác, gói mới thay gói hiện tại ngay, và những ngày còn lại không được cộng sang.',
  free: 'Miễn phí',
  price: (amount: string) => `${amount} cho 365 ngày`,
  limits: {
    transactions: (count: string | null, _isOne: boolean) =>
      count === null ? 'Giao dịch không giới hạn' : `${count} giao dịch mỗi tháng`,
    devices: (count: string | null, _isOne: boolean) => `${count} điện thoại`,
    mailboxes: (count: string | null, _isOne: boolean) => `${count} hộp thư`,
    webhooks: (count: string | null, _isOne: boolean) =>
      count === null ? 'webhook không giới hạn' : `${count} webhook`,
    shops: (count: string | null, _isOne: boolean) => `${count} cửa hàng`,
  },
  buy: (plan: string) => `Mua gói ${plan}`,
  renew: (plan: string) => `Gia hạn gói ${plan}`,
  later: 'Mua được khi gói hiện tại hết hạn.',
  ordered: 'Đã tạo đơn. Hãy chuyển khoản để thanh toán.',
  pay: (plan: string) => `Thanh toán gói ${plan}`,
  how: (order: string) =>
    `Quét mã QR bằng ứng dụng ngân hàng, hoặc chuyển khoản đúng như dưới đây. Nội dung phải có ${order}, nếu không thì gói không đổi.`,
  qr: (order: string) => `Mã VietQR để thanh toán ${order}`,
  bank: 'Ngân hàng',
  number: 'Số tài khoản',
  holder: 'Chủ tài khoản',
  amount: 'Số tiền',
  memo: 'Nội dung',
  waiting: 'Đang chờ tiền tới. Trang này tự đổi khi nhận được thanh toán.',
  late: 'Đã chuyển tiền thì đừng đặt lại. Nếu lâu mà gói chưa đổi, hãy gửi nội dung chuyển khoản cho người vận hành.',
  other: 'Chọn gói khác',
  paid: 'Đã nhận thanh toán.',
  paidText: (plan: string, until: string | null) =>
    until === null ? `Gói của bạn là ${plan}.` : `Gói của bạn là ${plan}, dùng đến ${until}.`,
}
