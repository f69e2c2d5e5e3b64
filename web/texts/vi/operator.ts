// Tests: tests/e2e/browser/dashboard.test.ts
export const operator = {
  title: 'Vận hành',
  lead: 'Tình trạng của cả máy chủ. Chỉ người vận hành thấy trang này.',
  verdict: {
    good: 'Mọi thứ đang chạy tốt.',
    disk: (disk: string, free: string | null, state: 'low' | 'waits' | 'refuses') => {
      const left = free === null ? '' : ` (còn ${free})`
      if (state === 'low') return `${disk} sắp đầy${left}. Khi đầy, tin mới sẽ bị từ chối.`
      return state === 'waits'
        ? `${disk} đã đầy${left}. Danh sách và webhook phải chờ đến khi có thêm chỗ. Không có gì bị mất.`
        : `${disk} đã đầy${left}. Tin mới bị từ chối đến khi có thêm chỗ, và điện thoại sẽ gửi lại. Những gì đã nhận không mất.`
    },
    disks: {
      data_folder: 'Ổ đĩa của thư mục dữ liệu',
      postgres: 'Ổ đĩa của Postgres',
      event_store: 'Ổ đĩa của EventStoreDB',
    },
    mails: (count: string, _isOne: boolean) => `${count} thư chưa gửi được. Dòng nhật ký mail.failed ghi lý do.`,
    overdue: (count: string, _isOne: boolean) => `${count} lần gửi trễ hơn 30 giây mà không có lý do phải chờ.`,
    behind: (names: string) => `Chưa xử lý hết sự kiện: ${names}.`,
    parked: (count: string, _isOne: boolean) =>
      `${count} luồng có sự kiện không xử lý được, nên đang chờ. Xem bằng lệnh baoco parked list.`,
    faults: (count: string, _isOne: boolean) => `Các lần kiểm tra thấy ${count} lỗi trong kho sự kiện.`,
    breakers: (count: string, _isOne: boolean) => `${count} địa chỉ đang bị ngắt vì lỗi liên tục.`,
  },
  processes: {
    title: 'Tiến trình',
    empty: 'Không có tiến trình nào đang báo hoạt động.',
    since: 'từ',
    from: (address: string) => `kết nối từ ${address}`,
    clock: (process: string, seconds: string, isAhead: boolean) =>
      `Đồng hồ của ${process} ${isAhead ? 'nhanh hơn' : 'chậm hơn'} đồng hồ của cơ sở dữ liệu ${seconds} giây.`,
    leases: 'Việc chỉ một tiến trình làm',
    leaseNames: {
      'planned work': 'Việc theo lịch',
      reactions: 'Lệnh sinh từ sự kiện',
      'bulk retries': 'Gửi lại hàng loạt',
      'projector main': 'Cập nhật danh sách',
      'projector search': 'Cập nhật tìm kiếm',
    } as Record<string, string>,
    holder: (process: string) => process.replace(/, process (\d+) on /, ', tiến trình $1 trên '),
    noLeases: 'Chưa tiến trình nào giữ việc nào.',
    unknown: 'tiến trình không rõ',
    mailboxes: (count: string, _isOne: boolean) => `${count} hộp thư đang được đọc`,
  },
  queues: {
    title: 'Hàng đợi gửi',
    caption: 'Số lần gửi theo làn',
    lane: 'Làn',
    open: 'Đang mở',
    due: 'Đến hạn',
    overdue: 'Trễ',
    lanes: {
      first: 'Lần đầu',
      retry: 'Thử lại',
      manual: 'Gửi lại bằng tay',
      bulk: 'Gửi lại hàng loạt',
    } as Record<string, string>,
    empty: 'Không có lần gửi nào đang chờ.',
  },
  projectors: {
    title: 'Danh sách và thống kê',
    names: { main: 'Danh sách', search: 'Tìm kiếm' } as Record<string, string>,
    behind: 'Đang xử lý tiếp',
    good: 'Đã cập nhật',
    last: 'Sự kiện gần nhất',
    none: 'chưa có sự kiện',
  },
  breakers: {
    title: 'Địa chỉ đang bị ngắt',
    empty: 'Không có địa chỉ nào bị ngắt.',
    of: (user: number) => `Tài khoản ${user}`,
  },
  audit: {
    title: 'Kiểm tra sự kiện',
    good: 'Không có lỗi',
    faults: (count: string, _isOne: boolean) => `${count} lỗi`,
    checked: (events: string, transactions: string) => `${events} sự kiện, ${transactions} giao dịch`,
    whole: 'Lần gần nhất kiểm tra toàn bộ:',
    never: 'Chưa kiểm tra lần nào.',
    how: 'Kiểm tra bằng lệnh baoco audit, nhất là sau khi khôi phục bản sao lưu.',
  },
  server: {
    title: 'Phiên bản và dung lượng',
    baoco: 'Baoco',
    postgres: 'Postgres',
    tables: 'Bảng dữ liệu',
    node: 'Node.js',
    database: 'Cơ sở dữ liệu',
    free: 'Còn trống trên ổ đĩa',
    freeOn: { postgres: 'Còn trống trên ổ đĩa của Postgres', event_store: 'Còn trống trên ổ đĩa của EventStoreDB' },
    schemas: {
      store: 'Kho sự kiện',
      read_model: 'Danh sách',
      search_model: 'Tìm kiếm',
      ops: 'Vận hành',
    } as Record<string, string>,
  },
  accounts: {
    title: 'Tài khoản',
    caption: (count: string, _isOne: boolean) => `${count} tài khoản`,
    email: 'Email',
    plan: 'Gói',
    state: 'Tình trạng',
    locked: 'Bị khóa',
    operator: 'Người vận hành',
    unlocked: 'Không bị khóa',
    number: (id: number) => `số ${id}`,
    until: (day: string) => `đến ${day}`,
    unlock: 'Mở khóa bằng lệnh baoco account unlock EMAIL.',
  },
  outbox: {
    title: 'Thư chưa gửi',
    text: 'Khi chưa cài máy chủ thư, mọi thư nằm lại ở đây. Thư có thể chứa liên kết mở tài khoản: chỉ chuyển cho chủ của địa chỉ đó.',
    empty: 'Không có thư nào chưa gửi.',
    to: (email: string) => `Gửi tới ${email}`,
    tried: (times: string, _isOne: boolean) => `đã thử gửi ${times} lần`,
    more: (count: string) => `Xem thêm ${count} thư`,
  },
}
