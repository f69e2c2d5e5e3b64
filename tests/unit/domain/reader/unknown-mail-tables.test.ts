import { expect } from 'chai'
import { read } from '../../../../domain/reader/reader.ts'
import { arrival, row } from './read-mails.ts'

describe('a mail with a table of no known form', () => {
  const from = 'alert@bidv.com.vn'
  interface Given {
    subject?: string
    above?: string
    /** Rows before the amount, and after the memo. */
    rows?: string[][]
    after?: string[][]
    below?: string
  }
  const of = ({ subject = 'Thông báo', above = '', rows = [], after = [], below = '' }: Given) => ({
    from,
    subject,
    text: `<p>Kính gửi Quý khách NGUYỄN TÂM KHOA,</p><p>${above}</p><table>${[
      ['Tài khoản', '0123456789'],
      ...rows,
      ['Số tiền', '+150,000 VND'],
      ['Thời gian', '20/11/2026 10:00:00'],
      ['Số dư', '1,000,000 VND'],
      ['Nội dung', 'DH1042'],
      ...after,
    ]
      .map((cells) => row(...cells))
      .join('')}</table><p>${below}</p><p>Trân trọng</p>`,
  })

  it('is read', () => {
    for (const given of [
      {},
      { rows: [['Trạng thái', 'Thành công']] },
      { after: [['Trạng thái', 'Đã hoàn tất']] },
      { after: [['Status', 'Processed']], above: 'Giao dịch đã được hoàn thành.' },
      { below: 'Nếu giao dịch thất bại, Quý khách gọi hotline.' },
      { subject: 'NGUYEN VAN HUY: biến động số dư' },
      { rows: [['Người chuyển', 'Quỹ trẻ em đang bị bệnh']] },
      { rows: [['Loại giao dịch', 'Ghi có']] },
      { rows: [['Loại giao dịch', 'Chuyển tiền']] },
    ])
      expect(read(of(given), arrival).reading, JSON.stringify(given)).to.include({
        transaction_type: 'credit',
        amount: '150000.00',
      })
  })

  it('is not read if a row or a line says that the money is not there, waits, came back or went out', () => {
    for (const given of [
      ...['Trạng thái', 'Kết quả giao dịch', 'Status'].flatMap((label) =>
        [
          'Thất bại',
          'Giao dịch không thành công',
          'Giao dịch đang được xử lý',
          'Giao dịch bị hoàn trả',
          'Being processed',
          'Reversed',
        ].flatMap((words) => [{ after: [[label, words]] }, { rows: [[label, words]] }]),
      ),
      { rows: [['Loại giao dịch', 'Hoàn tiền giao dịch']] },
      { rows: [['Loại giao dịch', 'Refund']] },
      { rows: [['Loại giao dịch', 'Ghi nợ']] },
      { rows: [['Transaction type', 'Debit']] },
      { above: 'Giao dịch đang được xử lý.' },
      { above: 'Giao dịch của Quý khách đang bị tạm dừng.' },
      { above: 'Ngân hàng hoàn trả lệnh chuyển tiền của Quý khách.' },
      { above: 'Tiền chưa về tài khoản của Quý khách.' },
      { above: 'Your account has not been credited.' },
      { below: 'Giao dịch đang được xử lý.' },
      { below: 'Giao dịch bị hoàn trả.' },
      { below: 'Transaction declined.' },
      { subject: 'Giao dịch đang được xử lý' },
      { subject: 'Transaction is being processed' },
      { subject: 'Sao kê tài khoản tháng 11/2026' },
    ])
      expect(read(of(given), arrival).reading, JSON.stringify(given)).to.equal(null)
  })
})
