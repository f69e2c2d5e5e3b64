/** Made-up mails of banks: each is read as it was printed, whatever the payer writes. */
import { expect } from 'chai'
import fc from 'fast-check'
import { grouped, moneyOf, oneOf, resultOf, RUNS, sum } from './made-up.ts'

type Row = readonly [string, string, string]
/** How the rows of a table arrive: label, label in another language and value. */
const FORMS: Readonly<Record<string, (row: Row) => string>> = {
  'each on its own line': ([one, other, value]) => `${one}\n${other}\n${value}`,
  'both languages on one line': ([one, other, value]) => `${one} / ${other}\n${value}`,
  'the second in brackets': ([one, other, value]) => `${one} (${other}): ${value}`,
  'in one language': ([one, , value]) => `${one}\n${value}`,
  'in the other language': ([, other, value]) => `${other}: ${value}`,
  'in cells': ([one, other, value]) => `${one} / ${other} | ${value}`,
}

const shuffled = (rows: readonly Row[]) => fc.shuffledSubarray([...rows], { minLength: rows.length })
const domain = oneOf('msb.com.vn', 'techcombank.com.vn', 'bidv.com.vn', 'vib.com.vn', 'tpb.com.vn')
const valueFirst = ([one, other, value]: Row): string => `${value}\n${one}\n${other}`

const mailOf = (head: string, rows: readonly Row[], form: (row: Row) => string) =>
  [head, ...rows.map(form), 'Trân trọng cảm ơn Quý khách', 'Số tiền 9,999,999 VND'].join('\n')

describe('a made-up mail', () => {
  const card = (amount: number, number: string, merchant: string): Row[] => [
    ['Số thẻ', 'Card number', number],
    ['Số tiền giao dịch', 'Transaction amount', `${grouped(amount, ',')} VND`],
    ['Thời gian giao dịch', 'Transaction time', '09:46 20/11/2026'],
    ['Địa điểm giao dịch', 'Merchant', merchant],
    ['Hạn mức còn lại', 'Available limit', '35,000,000 VND'],
  ]
  const receipt = (amount: number, own: string, content: string): Row[] => [
    ['Mã giao dịch', 'Transaction ID', 'FT26324123456789'],
    ['Ngày giao dịch', 'Transaction date', '20/11/2026 09:46:12'],
    ['Tài khoản nguồn', 'Debit account', own],
    ['Tài khoản thụ hưởng', 'Beneficiary account', '0011000415567'],
    ['Tên người thụ hưởng', 'Beneficiary name', 'TRAN THI B'],
    ['Ngân hàng thụ hưởng', 'Beneficiary bank', 'Vietcombank'],
    ['Số tiền', 'Amount', `${grouped(amount, ',')} VND`],
    ['Phí', 'Fee', '1,100 VND'],
    ['Nội dung', 'Description', content],
    ['Kênh giao dịch', 'Channel', 'Mobile'],
    ['Trạng thái', 'Status', 'Thành công'],
  ]
  const CARD_HEAD =
    'Kính gửi Quý khách,\nThẻ tín dụng của Quý khách vừa phát sinh giao dịch\nYour credit card has a new transaction'
  const RECEIPT_HEAD =
    'BIÊN LAI CHUYỂN TIỀN\nFund transfer receipt\nQuý khách đã thực hiện thành công giao dịch chuyển khoản'
  const cards = fc
    .tuple(sum, oneOf('4283 10xx xxxx 1234', '428310******1234', '4283-10xx-xxxx-1234'), oneOf('SHOPEE VN', 'GRAB'))
    .chain(([amount, number, merchant]) =>
      shuffled(card(amount, number, merchant)).map((rows) => ({ amount, own: number, content: merchant, rows })),
    )
  const receipts = fc
    .tuple(sum, oneOf('19031234567890', '0123456789'), oneOf('DH1042 mua hang, so tien 5,000 VND', 'tien hang'))
    .chain(([amount, own, content]) =>
      shuffled(receipt(amount, own, content)).map((rows) => ({ amount, own, content, rows })),
    )

  it('that names the account from which the money went reports no credit, even if its only sum is that which was credited', () => {
    for (const rows of [
      ['Tài khoản nguồn: 12345678', 'Tài khoản thụ hưởng: 87654321', 'Số tiền ghi có: 150,000 VND', 'Nội dung: DH1042'],
      ['Debit account: 12345678', 'Beneficiary account: 87654321', 'Credit amount: 150,000 VND', 'Details: DH1042'],
    ]) {
      const text = ['Biên lai chuyển tiền', ...rows].join('\n')
      for (const from of ['a@bidv.com.vn', 'a@msb.com.vn', 'a@tpb.com.vn'])
        expect(resultOf({ text, from }).reading?.transaction_type, `${from} ${text}`).to.not.equal('credit')
    }
  })

  it('of a credit card has the account that was charged, if it names one, and not the card', () => {
    for (const label of ['Từ tài khoản', 'Tài khoản trích nợ', 'Debit account'])
      for (const rows of [
        ['Số giao dịch | 2609024028332979', `${label} | 609704060065141`, 'Số thẻ | NGUYEN VAN A - ●●●● 4752'],
        ['Số giao dịch | 2609024028332979', 'Số thẻ | NGUYEN VAN A - ●●●● 4752', `${label} | 609704060065141`],
      ]) {
        const behind = ['Ngày giao dịch | 11:57 02/09/2026', 'Số tiền | 136,670 ₫', 'Diễn giải | Thanh toan sao ke the']
        const text = ['Thanh toán thẻ tín dụng thành công', ...rows, ...behind].join('\n')
        expect(resultOf({ text, from: 'a@vib.com.vn' }).reading, text).to.include({
          transaction_type: 'debit',
          amount: '136670.00',
          account_number: '609704060065141',
          content: 'Thanh toan sao ke the',
        })
      }
  })

  it('of a credit card is not read if the bank calls the transaction a refund, in whatever row', () => {
    for (const label of ['Giao dịch: ', 'Loại giao dịch\n', 'Transaction type: ']) {
      const text = (kind: string) =>
        mailOf(`${CARD_HEAD}\n${label}${kind}`, card(50_000, '4283 10xx xxxx 1234', 'x'), FORMS['in one language']!)
      expect(resultOf({ text: text('Thanh toán'), from: 'a@msb.com.vn' }).reading?.amount, label).to.equal('50000.00')
      expect(resultOf({ text: text('Hoàn tiền'), from: 'a@msb.com.vn' }).reading, label).to.equal(null)
    }
  })

  it('that is a receipt has no label of another field in the other party’s name', () => {
    const rows: Row[] = [
      ['Tài khoản nguồn', 'Debit account', '0123456789'],
      ['Thời gian giao dịch', 'Transaction time', '20/11/2026 09:46:12'],
      ['Số tiền giao dịch', 'Transaction amount', '150,000 VND'],
      ['Phí giao dịch', 'Fee', '1,100 VND'],
      ['Tên người thụ hưởng', 'Beneficiary name', 'TRAN THI B'],
      ['Số tài khoản/Số thẻ thụ hưởng', 'Beneficiary account', '0011000415567'],
      ['Số tiền ghi có', 'Credit amount', '150,000 VND'],
    ]
    const text = mailOf(RECEIPT_HEAD, rows, FORMS['each on its own line']!)
    expect(resultOf({ text, from: 'a@bidv.com.vn' }).reading).to.include({
      amount: '150000.00',
      counterpart_name: 'TRAN THI B',
      counterpart_account: '0011000415567',
    })
  })

  for (const [kind, head, mails] of [
    ['of a credit card', CARD_HEAD, cards],
    ['that is the receipt of the payer', RECEIPT_HEAD, receipts],
  ] as const) {
    for (const [name, form] of Object.entries(FORMS))
      it(`${kind}, with labels and values ${name}, is read as a debit`, () => {
        fc.assert(
          fc.property(mails, domain, ({ amount, own, content, rows }, of) => {
            const text = mailOf(head, rows, form)
            const { reading, reason } = resultOf({ text, from: `Bank <no-reply@${of}>` })
            expect(reading ? moneyOf(reading) : reason, text).to.deep.equal({
              transaction_type: 'debit',
              amount: `${amount}.00`,
              currency: 'VND',
              account_number: own,
              balance_after: null,
              content,
            })
            expect(reading!.printed_time?.at.slice(0, 16)).to.equal('2026-11-20T02:46')
          }),
          RUNS,
        )
      })

    it(`${kind}, with values above their labels, is not read wrongly`, () => {
      fc.assert(
        fc.property(mails, domain, ({ amount, rows }, of) => {
          const { reading } = resultOf({ text: mailOf(head, rows, valueFirst), from: `no-reply@${of}` })
          if (reading) expect(reading.amount).to.equal(`${amount}.00`)
        }),
        RUNS,
      )
    })

    it(`${kind}, is not read if the bank says above it that nothing was paid`, () => {
      const rows =
        kind === 'of a credit card' ? card(50_000, '4283 10xx xxxx 1234', 'x') : receipt(50_000, '0123456789', 'x')
      const resultUnder = (subject: string, ...lines: string[]) =>
        resultOf({
          text: mailOf([...lines, head].join('\n'), rows, FORMS['in one language']!),
          from: 'a@msb.com.vn',
          subject,
        })
      for (const words of ['Kính gửi NGUYEN VAN HUY', 'Giao dịch đã được hoàn tất', 'Theo yêu cầu của Quý khách'])
        expect(resultUnder('Thông báo giao dịch', words).reading?.amount, words).to.equal('50000.00')
      for (const words of [
        'Giao dịch không thành công',
        'Giao dịch bị từ chối',
        'Lệnh đã bị hủy',
        'Giao dịch đang chờ duyệt',
        'Đặt lịch chuyển tiền thành công',
        'Lệnh định kỳ đã được thiết lập',
        'Your scheduled transfer',
        'Your payment was declined',
        'Giao dịch đã được hoàn trả',
        'Mã xác thực cho giao dịch',
        'Nhắc thanh toán thẻ',
      ]) {
        expect(resultUnder(words).reading, `subject ${words}`).to.equal(null)
        expect(resultUnder('Thông báo', words).reading, `above ${words}`).to.equal(null)
      }
    })

    it(`${kind}, of a payment that failed, waits or came back, is not read`, () => {
      for (const row of [
        ['Trạng thái', 'Status', 'Không thành công'],
        ['Trạng thái', 'Status', 'Pending'],
        ['Trạng thái', 'Status', 'Hẹn giờ'],
        ['Loại giao dịch', 'Transaction type', 'Hoàn tiền / Refund'],
        ['Loại giao dịch', 'Transaction type', 'Chuyển tiền tương lai'],
      ] as const) {
        const rows = [...(kind === 'of a credit card' ? card : receipt)(50_000, '0123456789', 'x'), row]
        const without = rows.filter(([label], index) => label !== row[0] || index === rows.length - 1)
        const { reading } = resultOf({
          text: mailOf(head, without, FORMS['each on its own line']!),
          from: 'a@msb.com.vn',
        })
        expect(reading, row[2]).to.equal(null)
      }
    })
  }
})
