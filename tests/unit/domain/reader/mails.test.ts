import { expect } from 'chai'
import { plainOf } from '../../../../domain/reader/mail-page.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { arrival, html, mail, reading, row } from './read-mails.ts'

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

describe('the plain text of a mail', () => {
  it('contains the visible text of its HTML, with separated cells', () => {
    expect(
      plainOf(html(row('A &amp; B', '1&nbsp;2'), row('C', '&#x111;')))
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ).to.deep.equal(['A & B | 1\u00a02 |'.replace('\u00a0', ' '), 'C | đ |'])
  })

  it('contains no hidden text, for tags in any case and after any letter', () => {
    for (const before of ['', 'İİİİ', 'ẞ', '𝟙', 'Đ'])
      for (const hidden of ['<STYLE>x</STYLE>', '<Script>x</sCRIPT >', '<!-- x -->', '<head>x</HEAD>'])
        expect(plainOf(`<p>${before}</p>${hidden}<TD>a</Td ><BR/>b`).replace(/\s+/g, ' ').trim()).to.equal(
          `${before} a | b`.trim(),
        )
  })

  it('is not HTML, so that what a payer wrote like a tag stays text', () => {
    const plain = plainOf(html(row('A', '&lt;/td&gt;&lt;/tr&gt;&lt;br&gt;&lt;!-- x &#60;td&#62;B')))
    expect(plainOf(plain)).to.equal(plain)
    expect(plain.replaceAll('\u2060', '')).to.contain('A | </td></tr><br><!-- x <td>B |')
  })

  it('is unchanged if it is not HTML', () => {
    const text = 'a < b & c > d &amp; <x@example.com>'
    expect(plainOf(text)).to.equal(text)
  })

  it('is extracted within 5 ms for any number of tags', () => {
    for (const shape of ['<td>', '<', '<p ', '<!--', '&', '<style>', '</td '])
      for (const head of ['', '<table>']) {
        const text = head + shape.repeat(32_000 / shape.length)
        let best = Infinity
        // It takes at most 2 ms. The repetitions give a busy machine time to recover.
        for (let run = 0; run < 2_000 && best >= 5; run += 1) {
          const start = performance.now()
          plainOf(text)
          best = Math.min(best, performance.now() - start)
        }
        expect(best, shape).to.be.below(5)
      }
  })
})

describe('a mail with a table', () => {
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

  it('is not a transaction if its status states a failure', () => {
    expect(mail(MB, receipt('Giao dịch không thành công')).reason).to.equal('failed')
    expect(mail(MB, receipt('Chưa thành công')).reason).to.equal('failed')
    expect(mail(MB, receipt('Giao dịch thất bại')).reason).to.equal('failed')
    for (const status of ['Giao dịch đang được xử lý', 'Đã hủy', 'Đã hoàn tiền', 'Bị hoàn trả', 'Reversed', 'Refunded'])
      expect(mail(MB, receipt(status)).reason, status).to.equal('failed')
    for (const status of ['Đã hoàn tất', 'Hoàn thành', 'Đã xử lý', 'Processed'])
      expect(mail(MB, receipt(status)).reading, status).to.include({ amount: '20000.00' })
  })

  it('is read by the first occurrence of each label, so the memo adds nothing', () => {
    const memo = 'So tien giao dich (VND) 9,000,000.00'
    expect(reading(MB, receipt('Thành công', memo))).to.include({ amount: '20000.00', content: memo })
  })

  it('is read from text with labels and values on separate lines, and labels on two lines', () => {
    const text =
      'Số tham\nchiếu\n26202\nTài khoản\ntrích nợ\nNGUYEN A - 3510187650000 (VND)\nSố tiền giao\ndịch\n(VND) 20,000.00\n' +
      'Nội dung\nchuyển tiền\nabc DH1\nTình trạng\nGiao dịch thành công\nTrân trọng'
    expect(reading(MB, text)).to.include({ amount: '20000.00', account_number: '3510187650000', content: 'abc DH1' })
  })

  it('keeps a whole memo that contains the word of a label', () => {
    expect(reading(MB, receipt('Thành công', 'tra so tien con lai, phi 0 DH1042')).content).to.equal(
      'tra so tien con lai, phi 0 DH1042',
    )
  })

  const CAKE = 'no-reply@cake.vn'
  const cake = (amount: string, kind: string) =>
    `Thông tin tài khoản\nTài khoản chuyển\t0011223344\nTên người chuyển\tA\nTài khoản nhận\t0099887766 - Tài khoản thanh toán\n` +
    `Thông tin giao dịch\nLoại giao dịch\t${kind}\nNgày giờ giao dịch\t26/09/2026, 08:00:00\nSố tiền\t${amount}\nPhí giao dịch\t1.100 đ\nNội dung giao dịch\tDH7`

  it('has its own account on the side that the direction gives', () => {
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

  it('is not read if the subject or the words above it say that it failed or waits', () => {
    const text = cake('-2.000.000 đ', 'Chuyển tiền')
    const reasonUnder = (subject: string, above = '') =>
      read({ from: CAKE, subject, text: `${above}\n${text}` }, arrival).reason
    expect(reasonUnder('[CAKE] Thông báo giao dịch thành công')).to.equal(null)
    expect(reasonUnder('[CAKE] Giao dịch không thành công')).to.equal('failed')
    expect(reasonUnder('[CAKE] Giao dịch đang xử lý')).to.equal('unparsed')
    expect(reasonUnder('[CAKE] Thông báo', 'Giao dịch sau của bạn đã thất bại.')).to.equal('failed')
  })

  it('is not read if the direction, the currency or part of the amount is missing, or two directions are named', () => {
    for (const amount of ['2.000.000 đ', '+2.000.000', '+2.000.0', '+2.000.000...', 'đ'])
      expect(mail(CAKE, cake(amount, 'Khác')).reason, amount).to.equal('unparsed')
    expect(mail(CAKE, cake('+2.000.000 đ', 'Ghi nợ')).reason).to.equal('unparsed')
    expect(mail(CAKE, cake('-2.000.000 đ', 'Ghi có')).reason).to.equal('unparsed')
  })

  it('may have the label in another language in a cell of its own', () => {
    const threeColumns = (memo: string): string =>
      html(
        row('Biên lai chuyển tiền'),
        row('Ngày, giờ giao dịch', 'Trans. Date, Time', '10:12 Thứ Sáu 02/10/2026'),
        row('Tài khoản nguồn', 'Debit Account', '0071001234567'),
        row('Tên người hưởng', 'Beneficiary Name', 'NGUYEN VAN B'),
        row('Số tiền', 'Amount', '2,400,000 VND'),
        row('Nội dung chuyển tiền', 'Details of Payment', memo),
      )
    for (const memo of ['tien nha', 'Số tiền 9,000,000 VND', 'Amount'])
      expect(reading('VCBDigibank@info.vietcombank.com.vn', threeColumns(memo)), memo).to.include({
        transaction_type: 'debit',
        amount: '2400000.00',
        account_number: '0071001234567',
        counterpart_name: 'NGUYEN VAN B',
        content: memo,
      })
  })
})

describe('a mail that answers or forwards another one', () => {
  const sentence =
    'Tài khoản Spend Account vừa tăng 150.000 VND vào 20/11/2026 10:00. Số dư hiện tại: 1.150.000 VND. Mô tả: DH1042.'
  const labels =
    'Số tài khoản: 1903xxxx5847\nLoại giao dịch: Ghi có\nSố tiền: 1.234.567,00 VND\nSố dư khả dụng: 8.765.433,00 VND\nNội dung: DH1042'
  const quoted = (text: string) => text.replace(/^/gm, '> ')
  const valuesFirst =
    'Số dư thẻ của Quý khách đã thay đổi như sau:\n+ 50,000 VND\nSố tiền thay đổi\nDH1042\nNội dung\n20/11/2026 09:04:24\nThời gian\n' +
    '6,414,845 VND\nHạn mức còn lại\nVISA 8506\nThẻ\n623613257271\nMã giao dịch'
  const mails: readonly (readonly [from: string, text: string])[] = [
    ['support@timo.vn', sentence],
    ['no-reply@techcombank.com.vn', labels],
    ['customercare@care.vpb.com.vn', valuesFirst],
    [MB, receipt('Thành công')],
  ]

  it('repeats the words of others, so it is not read', () => {
    for (const [from, text] of mails) {
      expect(read({ text, from, subject: 'Thông báo: giao dịch' }, arrival).reading, text).to.not.equal(null)
      for (const subject of ['Re: Hỗ trợ', 'FWD: Thông báo', 'RE[2]: x', 'Trả lời: x', 'TL: x'])
        expect(read({ text, from, subject }, arrival).reason, `${subject} ${text}`).to.equal('unparsed')
    }
    for (const [from, text] of mails.slice(0, 3))
      for (const repeated of [
        `Xin chào\n${quoted(text)}`,
        `On 20/11/2026, A wrote:\n${text}`,
        `Vào Th 6, 20 thg 11, 2026 lúc 10:00 A <a@b.example>\nđã viết:\n${text}`,
        `Bạn đã viết:\n\n${text}`,
        `-----Original Message-----\n${text}`,
        `---------- Forwarded message ---------\n${text}`,
        `<p>Xin chào</p><blockquote class="gmail_quote">${text.replaceAll('\n', '<br>')}</blockquote>`,
        `<BLOCKQUOTE>${text.replaceAll('\n', '<br>')}</BLOCKQUOTE>`,
        `Hello\n\nFrom: A <a@b.example>\nSent: Friday, November 20, 2026 9:00 AM\nTo: B\nSubject: x\n\n${text}`,
        `*Từ:* A <a@b.example>\n*Ngày gửi:* Thứ Sáu, 20 Tháng Mười Một 2026 9:00 SA\n*Đến:* B\n*Chủ đề:* x\n\n${text}`,
        `Từ: A\nĐến: B;\n C;\n D;\n E\nChủ đề: x\n\n${text}`,
      ])
        expect(read({ text: repeated, from, subject: 'Hỗ trợ' }, arrival).reason, repeated).to.equal('unparsed')
  })

  it('is not confused with a bank’s own lines about both parties', () => {
    const own = 'Từ: NGUYEN VAN A\nĐến: TRAN B\n'
    expect(reading('no-reply@techcombank.com.vn', own + labels)).to.include({ amount: '1234567.00', content: 'DH1042' })
    expect(reading('support@timo.vn', `<p>Xin chào</p>${sentence}<blockquote>Hotline</blockquote>`).amount).to.equal(
      '150000.00',
    )
  })

  it('is still recognised as a one-time password, whose text is never stored', () => {
    const text = 'Ma OTP cua Quy khach la 482913. Vui long khong cung cap cho bat ky ai.'
    for (const subject of ['Ma xac thuc', 'Fwd: Ma xac thuc'])
      expect(read({ text, from: MB, subject }, arrival).reason, subject).to.equal('otp')
  })
})

describe('an advertisement', () => {
  it('of MB or Timo is not a movement, although it states a sum that rises', () => {
    for (const text of [
      'Số tiền tặng 100.000 VND khi đến điểm giao dịch MB',
      'Số tiền\n+100.000 VND\nTại điểm giao dịch',
    ])
      expect(mail('mbebanking@mbbank.com.vn', text).reading, text).to.equal(null)
    for (const what of ['Hạn mức thẻ của bạn', 'Lãi suất'])
      expect(mail('support@timo.vn', `${what} vừa tăng 10.000.000 VND vào 20/11/2026 10:00`).reading, what).to.equal(
        null,
      )
  })

  it('of Cake is not a payment by card, although it states a value', () => {
    const from = 'no-reply@cake.vn'
    expect(mail(from, 'Voucher giá trị 100.000 đ cho thẻ Cake. Ưu đãi tháng 11').reason).to.equal('promotion')
    expect(mail(from, 'Giá trị 100.000 đ\nThời gian: 20/11/2026\nƯu đãi cho thẻ Cake').reason).to.equal('promotion')
    expect(reading(from, 'Thẻ\n4101xxxx1234\nGiá trị\n29.000 đ\nVào lúc\n20/11/2026 10:00\nTại\nSHOP A')).to.include({
      transaction_type: 'debit',
      amount: '29000.00',
    })
  })
})

describe('a receipt that cannot be read', () => {
  const vcb = (rows: string) =>
    `Biên lai chuyển tiền\nNgày, giờ giao dịch\n10:00 20/11/2026\nTài khoản nguồn\n0011000415567\n${rows}\nNội dung chuyển tiền\ntiền điện\nCảm ơn Quý khách`

  it('is kept as unparsed, although its last words could be those of an advertisement', () => {
    expect(reading('VCBDigibank@info.vietcombank.com.vn', vcb('Số tiền\n20,000 VND'))).to.include({
      amount: '20000.00',
    })
    for (const rows of ['Khoản tiền\n20,000 VND', 'Số tiền\n20,000'])
      expect(mail('VCBDigibank@info.vietcombank.com.vn', vcb(rows)).reason, rows).to.equal('unparsed')
  })
})

describe('a mail of ACB', () => {
  const acb = (memo: string) =>
    `ACB trân trọng thông báo tài khoản *24690000* của Quý khách đã thay đổi số\ndư như sau:\n` +
    `Số dư mới của tài khoản trên là: *92,551.00 VND* tính đến *15/01/2024*.\nGiao dịch mới nhất:Ghi nợ *-10,000.00 VND*.\n` +
    `Nội dung giao dịch: *${memo}*.\n\nCảm ơn Quý khách hàng.\nDear Customer, your account has changed: +99,000.00 VND`

  it('is read with the amount after the balance, and the time in the memo in two orders', () => {
    const { transaction_type, amount, balance_after, account_number, printed_time } = reading(
      'mailalert@acb.com.vn',
      acb('A GD 929275-011524 15:08:43'),
    )
    expect([transaction_type, amount, balance_after, account_number]).to.deep.equal([
      'debit',
      '10000.00',
      '92551.00',
      '24690000',
    ])
    expect(printed_time).to.include({ at: '2024-01-15T08:08:43.000Z', precision: 'second' })
    expect(reading('mailalert@acb.com.vn', acb('A GD AB12 150124-15:08:43')).printed_time?.at).to.equal(
      '2024-01-15T08:08:43.000Z',
    )
    expect(reading('mailalert@acb.com.vn', acb('A')).printed_time).to.include({ precision: 'day' })
  })
})

describe('a mail with a sentence', () => {
  it('is read in both languages, with any text around it', () => {
    const timo = 'Timo <support@timo.vn>'
    expect(reading(timo, 'Chào A,\nTài khoản của bạn vừa tăng 37.000 VND vào 09/06/2026 08:39. Số dư hiện tại: 1.234.567 VND. Mô tả: Chuyen tien FT26160123456\nTrân trọng')).to.include({ transaction_type: 'credit', amount: '37000.00', balance_after: '1234567.00', transaction_ref: 'FT26160123456' }) // prettier-ignore
    expect(reading(timo, 'Hi,\nYour Spend Account has been credited 37,000 VND on 09/06/2026 08:39.\nBye')).to.include({
      transaction_type: 'credit',
      amount: '37000.00',
    })
  })

  it('of Timo in English has its balance and memo, which stand in lines of their own', () => {
    const text = (balance: string) =>
      `Hi A,\n\nYour Spend Account has been credited 165,000 VND on 31/05/2026 13:25.\n${balance}: 610,000 VND.\n\n` +
      'Transaction Description: DH1042 sent by B from my Timo.\n\nThank you for using Timo.'
    for (const balance of ['Your current balance is', 'Your Current Balance is'])
      for (const mailed of [text(balance), `<p>${text(balance).replaceAll('\n', '</p><p>')}</p>`])
        expect(reading('support@timo.vn', mailed), mailed).to.include({
          transaction_type: 'credit',
          amount: '165000.00',
          balance_after: '610000.00',
          content: 'DH1042 sent by B from my Timo',
        })
  })

  it('is read whole or marked as cut, at any position in the longest mail', () => {
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

  it('has its memo up to the end of the line, with commas and sentences', () => {
    for (const memo of ['NGUYEN VAN A chuyen tien, DH1042', 'tra tien. DH1042', 'ao; quan; DH1042...', 'DH1042'])
      for (const behind of ['', '\nTrân trọng', '.\nTrân trọng']) {
        const text = `Chào A,\nTài khoản của bạn vừa tăng 37.000 VND vào 09/06/2026 08:39. Mô tả: ${memo}${behind}`
        if (!memo.endsWith('...') || !behind.startsWith('.'))
          expect(reading('support@timo.vn', text).content, text).to.equal(memo)
      }
  })

  it('is not read from a memo that imitates one, in either language', () => {
    const forged = [
      'vua tang 9,000,000 VND vao 26/11/2026 11:58. So du hien tai: 9,000,000 VND. Mo ta: DH1042',
      'Account has been credited 9,000,000 VND on 26/11/2026 11:58. Description: DH1042',
    ]
    for (const memo of forged)
      for (const blank of [' ', '\n']) {
        for (const [text, transaction_type] of [
          ['Your Spend Account has been credited 1,000 VND on 26/11/2026 11:59. Description:', 'credit'],
          ['Your Spend Account has been debited 1,000 VND on 26/11/2026 11:59. Description:', 'debit'],
          ['Tài khoản của bạn vừa giảm 1.000 VND vào 26/11/2026 11:59. Số dư hiện tại: 5.000 VND. Mô tả:', 'debit'],
        ] as const)
          expect(reading('support@timo.vn', `Hi,\n${text}${blank}${memo}\nBye`), text).to.include({
            transaction_type,
            amount: '1000.00',
          })
        for (const text of ['Bạn đã nhận 1.000 VND từ A. Lời nhắn:', 'Chúng tôi có lời nhắn cho bạn:'])
          expect(mail('support@timo.vn', `Hi,\n${text} ${memo}\nBye`).reading, text).to.equal(null)
      }
  })

  it('is read only from the own domain of the bank', () => {
    const text = 'Your Spend Account has been debited 37,000 VND on 09/06/2026 08:39.'
    expect(reading('support@timo.vn', text).bank_code).to.equal('TIMO')
    for (const from of [
      'support@timo.vn.example.com',
      'x@nottimo.vn',
      '"support@timo.vn" <a@example.com>',
      'support@timo.vn, a@example.com',
      '',
    ])
      expect(mail(from, text).reading, from).to.equal(null)
  })
})
