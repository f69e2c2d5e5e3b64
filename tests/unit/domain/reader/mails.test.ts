import { expect } from 'chai'
import { plainOf } from '../../../../domain/reader/mail-page.ts'
import { read } from '../../../../domain/reader/reader.ts'
import type { Reading } from '../../../../domain/reader/reading.ts'

const arrival = new Date('2026-11-20T03:00:00Z')
const mail = (from: string, text: string) => read({ text, from }, arrival)
const reading = (from: string, text: string): Reading => {
  const result = mail(from, text)
  if (!result.reading) throw new Error(`${result.reason}: ${text}`)
  return result.reading
}

const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td style="x">${cell}</td>`).join('')}</tr>\n`
const html = (...rows: string[]) =>
  `<html><head><title>t</title><style>td{color:red}</style></head><body><!-- +9,000,000 VND --><table>${rows.join('')}</table></body></html>`

const MB = 'MB eBanking <mbebanking@mbbank.com.vn>'
const receipt = (status: string, memo = 'DH1042 thanh to&aacute;n'): string =>
  html(
    row('Ng&agrave;y, giờ giao dịch', '26-08-2026 02:59:25'),
    row('Số tham&nbsp;chiếu', '26202602591303646'),
    row('T&#224;i khoản tr&iacute;ch nợ', 'NGUYEN THU TRA - 3510187650000 (VND)'),
    row('Người thụ hưởng', 'NGUYEN B - 0944999000'),
    row('Số tiền<br>giao dịch', '(VND) <b>20,000.00</b>'),
    row('Phí giao dịch', '(VND) 1,100.00'),
    row('Nội dung chuyển tiền', memo),
    row('Tình trạng', status),
  )

describe('a mail’s page', () => {
  it('is what one sees of its HTML: cells apart, nothing hidden', () => {
    expect(plainOf(html(row('A &amp; B', '1&nbsp;2'), row('C', '&#x111;'))).split('\n').map((line) => line.trim()).filter(Boolean)).to.deep.equal([ 'A & B | 1\u00a02 |'.replace('\u00a0', ' '), 'C | đ |', ]) // prettier-ignore
  })

  it('shows nothing of what is hidden, in whatever case and behind whatever letter it stands', () => {
    for (const before of ['', 'İİİİ', 'ẞ', '𝟙', 'Đ'])
      for (const hidden of ['<STYLE>x</STYLE>', '<Script>x</sCRIPT >', '<!-- x -->', '<head>x</HEAD>'])
        expect(plainOf(`<p>${before}</p>${hidden}<TD>a</Td ><BR/>b`).replace(/\s+/g, ' ').trim()).to.equal(`${before} a | b`.trim()) // prettier-ignore
  })

  it('stays as it is where it is no HTML', () => {
    const text = 'a < b & c > d &amp; <x@example.com>'
    expect(plainOf(text)).to.equal(text)
  })

  it('takes tags apart in time, however many there are', () => {
    for (const shape of ['<td>', '<', '<p ', '<!--', '&', '<style>', '</td '])
      for (const head of ['', '<table>']) {
        const text = head + shape.repeat(32_000 / shape.length)
        let best = Infinity
        // At most two milliseconds; a machine that has its hands full is given time to come to itself.
        for (let run = 0; run < 2_000 && best >= 5; run += 1) {
          const start = performance.now()
          plainOf(text)
          best = Math.min(best, performance.now() - start)
        }
        expect(best, shape).to.be.below(5)
      }
  })
})

describe('a mail that is a table', () => {
  it('is read from HTML', () => {
    expect(reading(MB, receipt('Giao dịch thành công'))).to.include({
      bank_code: 'MB',
      layout: 'email',
      transaction_type: 'debit',
      amount: '20000.00',
      currency: 'VND',
      account_number: '3510187650000',
      balance_after: null,
      transaction_ref: '26202602591303646',
      counterpart_name: 'NGUYEN B',
      counterpart_account: '0944999000',
      content: 'DH1042 thanh toán',
    })
  })

  it('is no transaction where its status says so', () => {
    expect(mail(MB, receipt('Giao dịch không thành công')).reason).to.equal('failed')
    expect(mail(MB, receipt('Giao dịch thất bại')).reason).to.equal('failed')
  })

  it('takes nothing from the memo: the first of a label counts', () => {
    const { amount, content } = reading(MB, receipt('Thành công', 'So tien giao dich (VND) 9,000,000.00'))
    expect(amount).to.equal('20000.00')
    expect(content).to.equal(null)
  })

  it('is read from text in which labels and values stand on lines, labels on two', () => {
    const text =
      'Số tham\nchiếu\n26202\nTài khoản\ntrích nợ\nNGUYEN A - 3510187650000 (VND)\nSố tiền giao\ndịch\n(VND) 20,000.00\n' +
      'Nội dung\nchuyển tiền\nabc DH1\nTình trạng\nGiao dịch thành công\nTrân trọng'
    expect(reading(MB, text)).to.include({ amount: '20000.00', account_number: '3510187650000', content: 'abc DH1' })
  })

  it('keeps a memo whole that holds the word of a label', () => {
    expect(reading(MB, receipt('Thành công', 'tra so tien con lai, phi 0 DH1042')).content).to.equal('tra so tien con lai, phi 0 DH1042') // prettier-ignore
  })

  const CAKE = 'no-reply@cake.vn'
  const cake = (amount: string, kind: string) =>
    `Thông tin tài khoản\nTài khoản chuyển\t0011223344\nTên người chuyển\tA\nTài khoản nhận\t0099887766 - Tài khoản thanh toán\n` +
    `Thông tin giao dịch\nLoại giao dịch\t${kind}\nNgày giờ giao dịch\t26/09/2026, 08:00:00\nSố tiền\t${amount}\nPhí giao dịch\t1.100 đ\nNội dung giao dịch\tDH7`

  it('has its own account on the side that the direction tells', () => {
    expect(reading(CAKE, cake('+2.000.000 đ', 'Nhận tiền'))).to.include({
      transaction_type: 'credit',
      amount: '2000000.00',
      account_number: '0099887766',
      counterpart_account: '0011223344',
      content: 'DH7',
    })
    expect(reading(CAKE, cake('-2.000.000 đ', 'Chuyển tiền'))).to.include({
      transaction_type: 'debit',
      account_number: '0011223344',
      counterpart_account: '0099887766',
    })
  })

  it('is unread where it does not say the direction, the currency or the whole amount', () => {
    for (const amount of ['2.000.000 đ', '+2.000.000', '+2.000.0', '+2.000.000...', 'đ'])
      expect(mail(CAKE, cake(amount, 'Khác')).reason, amount).to.equal('unparsed')
  })
})

describe('ACB’s mail', () => {
  const acb = (memo: string) =>
    `ACB trân trọng thông báo tài khoản *24690000* của Quý khách đã thay đổi số\ndư như sau:\n` +
    `Số dư mới của tài khoản trên là: *92,551.00 VND* tính đến *15/01/2024*.\nGiao dịch mới nhất:Ghi nợ *-10,000.00 VND*.\n` +
    `Nội dung giao dịch: *${memo}*.\n\nCảm ơn Quý khách hàng.\nDear Customer, your account has changed: +99,000.00 VND`

  it('puts the amount behind the balance and the time into the memo, in two orders', () => {
    const { transaction_type, amount, balance_after, account_number, printed_time } = reading('mailalert@acb.com.vn', acb('A GD 929275-011524 15:08:43')) // prettier-ignore
    expect([transaction_type, amount, balance_after, account_number]).to.deep.equal(['debit', '10000.00', '92551.00', '24690000']) // prettier-ignore
    expect(printed_time).to.include({ at: '2024-01-15T08:08:43.000Z', precision: 'second' })
    expect(reading('mailalert@acb.com.vn', acb('A GD AB12 150124-15:08:43')).printed_time?.at).to.equal('2024-01-15T08:08:43.000Z') // prettier-ignore
    expect(reading('mailalert@acb.com.vn', acb('A')).printed_time).to.include({ precision: 'day' })
  })
})

describe('a mail that is a sentence', () => {
  it('is read in either language, whatever stands around it', () => {
    const timo = 'Timo <support@timo.vn>'
    expect(reading(timo, 'Chào A,\nTài khoản của bạn vừa tăng 37.000 VND vào 09/06/2026 08:39. Số dư hiện tại: 1.234.567 VND. Mô tả: Chuyen tien FT26160123456\nTrân trọng')).to.include({ transaction_type: 'credit', amount: '37000.00', balance_after: '1234567.00', transaction_ref: 'FT26160123456' }) // prettier-ignore
    expect(reading(timo, 'Hi,\nYour Spend Account has been credited 37,000 VND on 09/06/2026 08:39.\nBye')).to.include({ transaction_type: 'credit', amount: '37000.00' }) // prettier-ignore
  })

  it('is read whole or known as cut, wherever in the longest mail it stands', () => {
    const sentence = 'vừa tăng 37.000 VND vào 09/06/2026 08:39. Mô tả: DH104299'
    const seen = { whole: 0, cut: 0, unread: 0 }
    for (const before of ['\n', ' '])
      for (let at = 7_900; at < 8_010; at += 1) {
        const { reading: found } = mail(
          'support@timo.vn',
          `${'x'.repeat(at)}${before}${sentence}\n${'y '.repeat(4_000)}`,
        )
        seen[found ? (found.cut ? 'cut' : 'whole') : 'unread'] += 1
        if (!found) continue
        expect(found.amount).to.equal('37000.00')
        if (!found.cut) expect(found.content, `${at}`).to.be.oneOf(['DH104299', null])
      }
    for (const count of Object.values(seen)) expect(count).to.be.above(5)
  })

  it('is read only under the bank’s own domain', () => {
    const text = 'Your Spend Account has been debited 37,000 VND on 09/06/2026 08:39.'
    expect(reading('support@timo.vn', text).bank_code).to.equal('TIMO')
    for (const from of [
      'support@timo.vn.example.com',
      'x@nottimo.vn',
      '"support@timo.vn" <a@example.com>',
      'support@timo.vn, a@example.com',
      '',
    ])
      // prettier-ignore
      expect(mail(from, text).reading, from).to.equal(null)
  })
})
