// Tests: tests/e2e/browser/dashboard.test.ts
export const counter = {
  title: 'Tiền vào',
  state: {
    connecting: 'Đang kết nối…',
    live: 'Trực tiếp',
    away: 'Mất kết nối, đang thử lại…',
    over: 'Liên kết này không còn dùng được.',
  },
  overText: 'Chủ tài khoản tạo được liên kết mới ở trang Cài đặt.',
  latest: 'Khoản mới nhất',
  earlier: 'Trước đó',
  empty: 'Chưa có khoản tiền nào. Khi có tiền vào, số tiền hiện ở đây.',
  order: (id: string) => `Đơn ${id}`,
  sound: 'Âm thanh và giọng nói',
  received: (amount: string) => `Nhận được ${amount}`,
  dong: (amount: string) => `${amount} đồng`,
}
