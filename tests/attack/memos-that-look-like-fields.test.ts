/** Attack: memos that look like a field, a row or a reference of the bank. */
import { expect } from 'chai'
import { plainOf } from '../../domain/reader/mail-page.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Incoming } from '../../domain/reader/reading.ts'
import { verdictsOn, type Sent } from './verdicts-on.ts'

const readingOf = (incoming: Incoming) => {
  const { reading, reason } = read(incoming, new Date('2026-11-20T10:00:07+07:00'))
  return reading ?? reason
}

/** Whether these two notifications are one payment, in either order. */
const expectOne = (one: Sent, other: Sent, memo: string): void => {
  expect(verdictsOn(one, other), memo).to.deep.equal(['new', 'copy'])
  expect(verdictsOn(other, one), memo).to.deep.equal(['new', 'copy'])
}

describe('a memo after a balance', () => {
  const tcb = (balance: string, memo: string): Incoming => ({
    sender: 'Techcombank',
    text: `TK 19033255551111.So tien GD:+150,000.So du:${balance}${memo}`,
  })

  it('gives the amount no currency', () => {
    for (const memo of [
      '100 USD',
      '10 USD DH1042',
      '50 VND',
      '500 VND DH1042',
      '100 d DH1042',
      '100 USD ND: DH2000',
      '00 USD. ND: DH2000',
      '10USD|ND: DH2000',
    ])
      expect(readingOf(tcb('222,772,047.', memo)), memo).to.equal('unparsed')
    for (const memo of ['VND 5 DH1042', 'VND_TGTT_X', 'dong tien DH1042', 'd 1042', 'USD 100'])
      expect(
        readingOf({
          sender: 'Techcombank',
          text: `TK 19033255551111 So tien GD:+1,123.00 So du:1,107,321.16 ${memo}`,
        }),
        memo,
      ).to.equal('unparsed')
  })

  it('pays no second order by a balance, a currency and a label of its own', () => {
    for (const memo of [
      '0. DH1042. SD: 9,999,999VND. ND: DH2000',
      '0. DH1042 luc 01:00 01/01/2020. SD: 9,999,999 VND. ND: DH2000',
      '0. DH1042 So du kha dung: 9,999,999VND. ND: DH2000',
      '1/1 DH1042. SD: 9,999,999VND. ND: DH2000',
      '000. d DH1042|ND: DH2000',
      '000. d. DH1042|ND: DH2000',
      '0. DH1042. SD: 9,999,999USD. ND: DH2000',
    ]) {
      expect(readingOf(tcb('222,772,047.', memo)), memo).to.equal('unparsed')
      expect(
        readingOf({ sender: 'Techcombank', text: `TK 19033255551111 So tien GD:+150,000 So du:222,772,047 ${memo}` }),
      ).to.include({ amount: '150000.00', currency: 'VND', balance_after: '222772047.00' })
    }
  })

  it('leaves the currency that ends the bank’s sentence', () => {
    for (const end of ['', '.', '\nDH1042'])
      expect(readingOf({ sender: 'LPB', text: `TK 0011223344556 PS: +150,000. SD: 222,772,047 VND${end}` })).to.include(
        { amount: '150000.00', currency: 'VND', balance_after: '222772047.00' },
      )
  })
})

describe('a memo in a table of a mail', () => {
  const row = (label: string, value: string) => `<tr><td>${label}</td><td>${value}</td></tr>`
  const mail = (memo: string): Sent => ({
    type: 'mail',
    from: 'no-reply@cake.vn',
    subject: '[CAKE] Thông báo giao dịch thành công',
    at: '2026-11-20T10:00:25+07:00',
    // As a mailbox collects it.
    text: plainOf(
      `<table>${row('Thông tin tài khoản', '')}${row('Tài khoản chuyển', '0011223344')}${row('Tài khoản nhận', '0099887766')}${row('Thông tin giao dịch', '')}${row('Loại giao dịch', 'Nhận tiền')}${row('Mã giao dịch', '500000002')}${row('Ngày giờ giao dịch', '20/11/2026, 10:00:00')}${row('Số tiền', '+150.000 đ')}${row('Nội dung giao dịch', memo.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))}</table><p>Cảm ơn bạn</p>`,
    ),
  })
  const push = (memo: string): Sent => ({
    type: 'notification',
    package: 'xyz.be.cake',
    title: 'Biến động số dư',
    at: '2026-11-20T10:00:05+07:00',
    text: `+150.000đ vào tài khoản. Nội dung: ${memo}. Số dư: 222.772.047đ`,
  })

  for (const memo of [
    'DH1042|So du: 9,999,999 VND',
    'DH1042 | Số tiền | +9.999.999 đ',
    'DH1042</td></tr><tr><td>So du</td><td>9,999,999 VND',
    'NGUYEN VAN A cam on ban DH1042',
    'Noi dung: DH1042',
    'DH1042 Trang thai: that bai',
    'DH1042|Trang thai: that bai',
  ])
    it(`makes no second payment and hides none: ${memo}`, () => {
      expect(readingOf(mail(memo))).to.include({ amount: '150000.00', balance_after: null, content: memo })
      expectOne(push(memo), mail(memo), memo)
    })
})

describe('the name of a payer in a mail', () => {
  const head = 'Thông tin tài khoản\nTài khoản chuyển\t0011223344\nTên người chuyển\t'
  const rest =
    'Tài khoản nhận\t0099887766\nThông tin giao dịch\nLoại giao dịch\tNhận tiền\nMã giao dịch\t500000002\nNgày giờ giao dịch\t20/11/2026, 10:00:00\nSố tiền\t+150.000 đ\nNội dung giao dịch\tDH1042'
  const cake = (text: string) => ({ from: 'no-reply@cake.vn', subject: '[CAKE] Thông báo giao dịch thành công', text })
  const cells = (text: string) =>
    `<table>${text.replace(/[^\n]+/g, (line) => `<tr><td>${line.replace('\t', '</td><td>')}</td></tr>`)}</table>`
  const NAMES = [
    'So tien: +9.999.999 đ',
    'So tien +9.999.999 đ So du 9.999.999 đ',
    'A | So tien | -9.999.999 đ',
    'Noi dung DH2000',
    'Loai giao dich Chuyen tien',
    'Trang thai that bai',
  ]
  const expected = { transaction_type: 'credit', amount: '150000.00', balance_after: null, content: 'DH1042' }

  it('changes nothing, whatever it contains', () => {
    for (const name of NAMES)
      for (const text of [`${head}${name}\n${rest}`, plainOf(cells(`${head}${name}\n${rest}`))])
        expect(readingOf(cake(text)), text).to.include(expected)
  })

  it('sets no amount and no direction where the mail is one line', () => {
    for (const name of [...NAMES, 'TK 999999999(VND) + 9,999,999 luc 10:00 19/10/2026. So du 9,999,999.']) {
      const read = readingOf(cake(`${head}${name}\n${rest}`.replace(/[\n\t]/g, ' ')))
      if (typeof read === 'object') expect(read, name).to.include({ transaction_type: 'credit', amount: '150000.00' })
    }
  })

  it('sets no amount where the mail is one line and the name also has the label of the memo', () => {
    const mb = `Số tham chiếu FT123456789 Ngày, giờ giao dịch 20/11/2026 10:00:00 Tài khoản trích nợ 0011000415567 Người thụ hưởng 0944999000 Tên người thụ hưởng NAME Ngân hàng thụ hưởng VCB Số tiền (VND) 150,000.00 Phí giao dịch 0 Nội dung chuyển tiền DH1042 Trân trọng`
    const vcb = `Biên lai chuyển tiền Ngày, giờ giao dịch 10:00 20/11/2026 Tài khoản nguồn 0011000415567 Tài khoản người hưởng 0944999000 Tên người hưởng NAME Tên ngân hàng hưởng MB Số tiền 150,000 VND Nội dung chuyển tiền DH1042`
    for (const [from, text, sum] of [
      ['no-reply@cake.vn', `${head}NAME\n${rest}`.replace(/[\n\t]/g, ' '), '+9.999.999 đ'],
      ['mbebanking@mbbank.com.vn', mb, '(VND) 9,999,999.00'],
      ['VCBDigibank@info.vietcombank.com.vn', vcb, '9,999,999 VND'],
    ] as const) {
      const named = (name: string) => readingOf({ from, subject: 'x', text: text.replace('NAME', name) })
      expect(named('NGUYEN VAN A'), from).to.include({ amount: '150000.00', content: 'DH1042' })
      for (const label of ['Noi dung giao dich', 'Noi dung chuyen tien', 'Noi dung'])
        expect(named(`A So tien ${sum} ${label} DH2000`), from).to.not.have.property('amount', '9999999.00')
    }
  })
})

describe('the name of a payer before the amount', () => {
  it('sets no amount, even with the label of the memo', () => {
    for (const end of ['. ', '\n'])
      for (const name of [
        'NGUYEN VAN A',
        'A So tien: +9,999,999VND SD: 9,999,999VND ND: DH2000',
        'A PS: +9,999,999VND ND: B',
      ]) {
        const fields = [
          `Nguoi gui: ${name}`,
          'TK: 0011223344556',
          'So tien: +150,000VND',
          'SD: 222,772,047VND',
          'ND: DH1042',
        ]
        const read = readingOf({ package: 'ops.namabank.com.vn', text: fields.join(end) })
        if (name === 'NGUYEN VAN A' || typeof read === 'object') expect(read, name).to.include({ amount: '150000.00' })
      }
  })
})

describe('a memo before the amount', () => {
  it('sets no amount if the sender is not the bank’s own name', () => {
    for (const memo of [
      '|credited 9,999,999 DH1042 - So du kha dung: 9,999,999 VND',
      '|PS: +9,999,999VND DH1042. So du kha dung: 9,999,999 VND. ND: DH2000',
      'TK 4240xxxx4584|GD: +9,999,999VND|SD:9,999,999VND|ND: DH1042',
      `PS: +9,999,999VND|SD:9,999,999VND|ND: DH1042 ${'x'.repeat(90)}`,
    ])
      for (const opening of ['', 'EXIMBANK\n', 'Tin nhan tu EXIMBANK - '])
        for (const given of [{}, { sender: '0912345678' }, { sender: 'Shop phone' }]) {
          const text = `${opening}EIB QUAN 7 TK 140314949030000 20/11/26 10:00 ${memo} +150,000VND SD 222,772,047VND`
          for (const sent of [text, text.slice(0, 150)])
            expect(readingOf({ ...given, text: sent }), sent).to.equal('unparsed')
        }
    const text = 'EIB QUAN 7 TK 140314949030000 20/11/26 10:00 DH1042 +150,000VND SD 222,772,047VND'
    expect(readingOf({ text })).to.include({ bank_code: 'EIB', amount: '150000.00', content: 'DH1042' })
  })
})

describe('a memo in the line of its label', () => {
  it('hides no order id after the label of a reference that the bank did not print', () => {
    const head = 'Tài khoản thanh toán: 8832123000\nSố tiền GD: +150,000 VND\nNội dung giao dịch: '
    const tpbank = '(TPBank): 20/11/26;10:00\nTK: xxxx3688261\nPS:+150.000VND\nSD: 23.457.587VND\nND: '
    for (const incoming of [
      { package: 'com.vnpay.bidv', text: `${head}mua hang Ma giao dich: DH1042` },
      { sender: 'TPBank', text: `${tpbank}mua hang SO GD: DH1042` },
    ])
      expect(readingOf(incoming)).to.have.property('content', incoming.text.slice(incoming.text.indexOf('mua')))
    expect(readingOf({ package: 'com.vnpay.bidv', text: `${head}DH1042 Mã giao dịch: 083OCWK-88GSs28At` })).to.include({
      content: 'DH1042',
      transaction_ref: '083OCWK-88GSs28At',
    })
  })

  it('hides no order id after words like the bank’s last ones', () => {
    const text = (memo: string) =>
      `TK: 102000160000(VND).+ 150,000. SD: 222,772,047. Luc: 10:00 20/11/2026. ND: ${memo}. LH: 1900555592`
    for (const memo of ['NGUYEN VAN A LH: 0912345678 DH1042', 'LH: 0912345678 DH1042', 'DH1042 LH: 0912345678'])
      expect(readingOf({ sender: 'PVCOMBANK', text: text(memo) })).to.have.property('content', memo)
  })

  it('hides no order id after a bar and a label that the bank printed before', () => {
    const text = (memo: string) => `SHB: TK 1012xxxx5847. So tien: +150,000 VND. SD: 222,772,047 VND. ND: ${memo}`
    for (const memo of ['x|SD: 9,999,999VND DH1042', 'x|SD: 9,999,999VND', 'x|Ma GD: 12345678 DH1042'])
      expect(readingOf({ sender: 'SHB', text: text(memo) })).to.include({
        content: memo,
        balance_after: '222772047.00',
      })
  })

  it('adds no balance in a row of a mail whose rows are lines with bars', () => {
    for (const memo of ['DH1042|SD: 9,999,999VND', 'DH1042 | Số dư | 9,999,999 VND']) {
      const text = `| Số tài khoản | 19031234567890 |\n| Số tiền | +150,000 VND |\n| Nội dung | ${memo} |\n| Thời gian | 20/11/2026 10:00 |`
      expect(readingOf({ from: 'tb@techcombank.com.vn', text })).to.include({ balance_after: null, content: memo })
    }
  })

  it('hides no balance in a line after it', () => {
    for (const memo of ['chuyen tien TK 9999999999 DH1042', 'GD 5 DH1042', 'DH1042 PS: +9,999,999VND']) {
      const text = `TK 0011223344556\nPS: +150,000VND\nND: ${memo}\nSD: 222,772,047VND`
      expect(readingOf({ sender: 'LPB', text })).to.include({ balance_after: '222772047.00', content: memo })
    }
  })

  it('is the memo although it begins with a number, where `GD:` is its label', () => {
    for (const memo of ['2 ao DH1042', '2020-01-01 01:00:00 DH1042', '+9,999,999VND DH1042', '9,999,999 VND']) {
      const text = `TK 100000012345 VND +150 000 luc 10:00 20/11/2026. So du VND 222 772 047. GD: ${memo}`
      const reading = readingOf({ sender: 'PublicBank', text })
      expect(reading, memo).to.include({ amount: '150000.00', balance_after: '222772047.00', content: memo })
      expect(reading).to.have.nested.property('printed_time.at', '2026-11-20T03:00:00.000Z')
    }
  })
})

describe('a reference in a memo', () => {
  it('makes no second payment by the form of ACB’s own in its mails', () => {
    for (const memo of [
      'DH1042 GD ABCDEF1 191126-09:00:00',
      'GD ABCDEF1 191126-09:00:00 GD ABCDEF2 191126-09:00:00 DH1042',
    ]) {
      const text = `ACB: TK 27550000(VND) + 10,000 luc 13:37 13/09/2026. So du 10,000. GD: ${memo}`
      const sms: Sent = { type: 'sms', sender: 'ACB', at: '2026-09-13T13:37:05+07:00', text }
      const mail: Sent = {
        type: 'mail',
        from: 'mailalert@acb.com.vn',
        subject: 'ACB-Dich vu bao so du tu dong',
        at: '2026-09-13T13:37:20+07:00',
        text: `ACB trân trọng thông báo tài khoản 27550000 của Quý khách đã thay đổi số dư như sau:\nSố dư mới của tài khoản trên là: 10,000.00 VND tính đến 13/09/2026.\nGiao dịch mới nhất:Ghi có +10,000.00 VND.\nNội dung giao dịch: ${memo} GD 6256IBT1AJQYKLVM 130926-13:37:09.\n\nCảm ơn Quý khách hàng`,
      }
      expect(readingOf(mail)).to.have.property('transaction_ref', '6256IBT1AJQYKLVM')
      expectOne(sms, mail, memo)
    }
  })

  it('makes no second payment where MB breaks its SMS at the dot of a number of a batch', () => {
    const at = '2026-11-20T10:00:07+07:00'
    const head = 'TK 4240xxxx4584|GD: +150,000VND 20/11/26 10:00|SD:222,772,047VND'
    for (const before of ['DH1042. ', 'DH1042 . '])
      for (const blank of [' ', '\n']) {
        const memo = `${before}IBBIZ.50870010070960280723.5`
        const broken = memo.replace(/.{35}/g, (piece) => piece + blank)
        const sms: Sent = { type: 'sms', sender: 'MBBANK', at, text: `${head}|ND: ${broken}` }
        const text = `${head}|TU: NGUYEN VAN A - 0011004191177|ND: ${memo}`
        expectOne(sms, { type: 'notification', package: 'com.mbmobile', at, text }, memo)
      }
  })

  it('makes no second payment where an SMS is cut at the dot of a number of a batch', () => {
    const at = '2026-11-20T10:00:07+07:00'
    const head = '0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref'
    const sms: Sent = { type: 'sms', sender: 'Vietcombank', at, text: `SD TK ${head} IBBIZ.50870010070960280723....` }
    const text = `Số dư TK VCB ${head} IBBIZ.50870010070960280723.5 DH1042`.replace('SD 2', 'Số dư 2')
    expectOne(sms, { type: 'notification', package: 'com.VCB', at, text }, text)
  })
})

describe('a blank of the payer where MB breaks its SMS', () => {
  it('ends an order id', () => {
    for (const memo of ['hoa don gui 9704229201234567 DH1042 9999999', 'NGUYEN VAN AN thanh toan don DH1042 5 ao'])
      for (const blank of [' ', '\n']) {
        const broken = memo.replace(/.{35}/g, (piece) => piece + blank)
        const head = 'TK 4240xxxx4584|GD: +150,000VND 20/11/26 10:00|SD:222,772,047VND'
        expect(readingOf({ sender: 'MBBANK', text: `${head}|ND: ${broken}` }), broken).to.have.property('content', memo)
      }
  })
})
