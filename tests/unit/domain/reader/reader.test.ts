import { expect } from 'chai'
import { orderIdOf } from '../../../../domain/reader/order-id.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { reading, reason, VCB } from './read-texts.ts'

describe('a reading of a notification', () => {
  it('contains everything that the bank printed', () => {
    expect(reading({ text: `${VCB}MBVCB.911539506.DH1042`, sender: 'Vietcombank' })).to.deep.equal({
      bank_code: 'VCB',
      bank_name: 'Vietcombank',
      read_by: 'layout',
      layout: 'sms',
      transaction_type: 'credit',
      amount: '150000.00',
      currency: 'VND',
      account_number: '0011000415567',
      account_name: null,
      balance_after: '222772047.00',
      printed_time: { at: '2026-11-20T02:46:12.000Z', precision: 'second', year_printed: true },
      transaction_ref: 'MBVCB.911539506',
      references: [{ kind: 'MBVCB', value: 'MBVCB911539506' }],
      counterpart_account: null,
      counterpart_name: null,
      counterpart_bank: null,
      content: 'MBVCB.911539506.DH1042',
      cut: false,
    })
  })

  it('keeps the case and the diacritics of the memo', () => {
    expect(reading(`${VCB}Thanh toán Đơn DH1042`).content).to.equal('Thanh toán Đơn DH1042')
  })

  it('treats words about money in a memo as memo text', () => {
    const { content, amount } = reading(`${VCB}hoan tien GD khong thanh cong, ma OTP la 123456, uu dai +5,000VND`)
    expect(amount).to.equal('150000.00')
    expect(content).to.contain('OTP')
  })

  it('states whether the memo was cut', () => {
    for (const mark of ['...', '…', '~']) expect(reading(`${VCB}NGUYEN VAN AN DH10${mark}`).cut, mark).to.equal(true)
    expect(reading(`${VCB}NGUYEN VAN AN.`).cut).to.equal(false)
  })

  it('contains the counterparty if the bank prints it', () => {
    const memo = 'CT tu 0351001153342 LA VAN TU toi 0451000287781 CTY HOA BINH tai MB'
    expect(reading(VCB + memo)).to.include({ counterpart_account: '0351001153342', counterpart_name: 'LA VAN TU' })
    expect(reading((VCB + memo).replace('+', '-'))).to.include({
      counterpart_account: '0451000287781',
      counterpart_name: 'CTY HOA BINH',
      counterpart_bank: 'MB',
    })
    const mb = 'TK 03xxx682|GD: +20,000VND 26/07/26 18:10|SD: 1,034,001VND|TU: '
    expect(reading(`${mb}VU MANH HAI|ND: DH12`)).to.include({ counterpart_name: 'VU MANH HAI', content: 'DH12' })
  })
})

describe('lines of forwarder apps after a text', () => {
  it('are not part of the reading', () => {
    for (const behind of [
      'SIM1_Viettel\nSubId：1\n2026-11-20 10:00:00\nXiaomi 12',
      'SIM 2',
      'SIM1 (Viettel)\n2026-11-20 10:00:00',
      '2026-11-20 10:00:00',
    ])
      expect(reading(`Vietcombank\n${VCB}DH1042\n${behind}`).content, behind).to.equal('DH1042')
    expect(reading(`${VCB}don\nDH1042`).content).to.equal('don DH1042')
  })

  it('are distinguished from a memo that begins with the word SIM in a line of its own', () => {
    const text = 'TK 19033255551111\nSo tien GD:+150,000\nSo du:222,772,047\n'
    for (const memo of [
      'SIM 4G DH1042',
      'sim 5g viettel DH1042',
      'SIM1 DH1042',
      'Sim 2 DH1042',
      'SIM-4G DH1042',
      'SubId: 1 DH1042',
    ])
      expect(reading({ sender: 'Techcombank', text: text + memo }).content, memo).to.equal(memo)
  })
})

describe('the reader', () => {
  it('does not read a balance as an amount, so a Techcombank push without its title stays unread', () => {
    const text = 'Tài khoản: 19034753903333\nSố dư: VND 350,000\nDH9'
    expect(reason({ text, package: 'vn.com.techcombank.bb.app' })).to.equal('unparsed')
    expect(reading({ text, title: '- VND 100,000', package: 'vn.com.techcombank.bb.app' })).to.include({
      transaction_type: 'debit',
      amount: '100000.00',
      balance_after: '350000.00',
    })
  })

  it('does not read a balance that is owed as an amount, wherever its sign stands', () => {
    const techcombank = { package: 'vn.com.techcombank.bb.app', title: '+ VND 150,000' }
    for (const balance of ['VND -1,150,000', 'VND - 1,150,000', 'VND-1,150,000', '-VND 1,150,000'])
      expect(
        reading({ ...techcombank, text: `Tài khoản: 19033255551111\nSố dư: ${balance}\nDH1042` }),
        balance,
      ).to.include({ transaction_type: 'credit', amount: '150000.00', balance_after: '-1150000.00', content: 'DH1042' })
    for (const balance of ['VND -1,150,000.', '-1,150,000 VND'])
      expect(reading(`TK 0123456789 +150,000 VND. SD: ${balance}\nND: DH1042`), balance).to.include({
        amount: '150000.00',
        balance_after: '-1150000.00',
        content: 'DH1042',
      })
    for (const balance of ['VND -1,150,000', '(-) 1,150,000 VND', 'ghi no 1,150,000 VND', 'VND +1,150,000'])
      expect(reason(`TK 0123456789\nSo du: ${balance}\nND: DH1042`), balance).to.equal('unparsed')
  })

  it('reads a memo of Techcombank that begins like the mark of a cut, and no balance that was cut', () => {
    const text = (balance: string) => ({
      sender: 'Techcombank',
      text: `TK 18123\nSo tien GD:+150,000\nSo du:${balance}`,
    })
    for (const memo of ['~DH1042', '~ DH1042', '...DH1042'])
      expect(reading(text(`1,222,772\n${memo}`))).to.include({ balance_after: '1222772.00', content: memo })
    expect(reading(text('1,222,772 ~DH1042'))).to.include({ balance_after: '1222772.00', content: '~DH1042' })
    for (const cut of ['1,222~', '1,222...', '1,222 ...', '1,222…', '1,222~DH1042'])
      expect(reason(text(cut)), cut).to.equal('unparsed')
  })

  it('leaves a text that is a broken part of JSON or XML unparsed, because its end may be another field', () => {
    for (const text of [
      `{"text":"${VCB}DH1042","sim":"DH2000}`,
      `{ "text": "${VCB}"DH1042""}`,
      `[{"text":"${VCB}DH1042"`,
      `<sms><text>${VCB}DH1042</text>`,
      '{"text":"TK 0123456789 +150,000VND. SD: 1,222,772VND. ND: DH1042","id":"DH2000}',
    ])
      for (const sender of ['Vietcombank', 'LPB']) expect(reason({ text, sender }), text).to.equal('unparsed')
  })

  it('does not read a dash after a name as a sign', () => {
    const text = 'Techcombank - VND 20,000\nTài khoản: 19034\nSố dư: VND 20,013'
    expect(reason({ text, package: 'vn.com.techcombank.bb.app' })).to.equal('unparsed')
  })

  it('refuses a text without a direction', () => {
    expect(reason(VCB.replace('+', ''))).to.equal('unparsed')
    expect(reason('ACB: TK 245115000(VND) 3,000,000 luc 14:36 13/06/2018. So du 3,160,947. GD: x')).to.equal('unparsed')
  })

  it('takes the direction of a sum without a sign only from words that say it', () => {
    const of = (words: string, account = 'Tài khoản: 0123456789') => ({
      text: `${words}\n${account}\nSố tiền: 150,000 VND\nSố dư: 1,000,000 VND\nNội dung: DH1042`,
      package: 'com.vnpay.bidv',
    })
    for (const words of [
      'Credit card payment',
      'Outgoing credit transfer',
      'Chuyển tiền thành công. Ngân hàng nhận tiền: VCB',
      'Ngân hàng đã nhận lệnh chuyển tiền',
      'Quý khách đã nhận tiền mặt tại ATM',
      'Quý khách được cộng 5 điểm thưởng',
      'Chuyển tiền thành công\nVí nhận tiền: MoMo',
      'Mã QR nhận tiền',
      'Nạp tiền vào ví điện tử',
      'Chuyển tiền định kỳ',
      'Hướng dẫn nhận tiền',
      'Chuyển tiền cho TĂNG THỊ HÀ thành công',
      'Người nhận chưa nhận tiền',
      'Your account has not been credited',
    ])
      expect(reason(of(words)), words).to.equal('unparsed')
    for (const account of ['Tài khoản ghi có: 0999999999', 'TK được ghi có 0999999999'])
      expect(reason(of('Chuyển tiền thành công', account)), account).to.equal('unparsed')
    for (const words of [
      'Loại giao dịch: Ghi có',
      'Tiền vào',
      'Đã nhận tiền',
      'Nhận tiền thành công',
      'Nhận tiền từ A',
      'Credit',
    ])
      expect(reading(of(words)), words).to.include({ transaction_type: 'credit', amount: '150000.00' })
    for (const words of ['Loại giao dịch: Ghi nợ', 'Tiền ra', 'Debit'])
      expect(reading(of(words)), words).to.include({ transaction_type: 'debit', amount: '150000.00' })
  })

  it('does not give an amount in another currency, even an unknown one, the currency of the balance', () => {
    const of = (amount: string) => ({
      text: `TK 0123456789 ${amount} luc 10:00 20/11/2026. So du: 5,380,000VND`,
      sender: 'LPB',
    })
    for (const amount of ['+1,000PHP', '+1,000 IDR', '+1,000XAF', '-1,000USD'])
      expect(reason(of(amount)), amount).to.equal('unparsed')
    expect(reading(of('+1,000'))).to.include({ amount: '1000.00', currency: 'VND' })
    const php = { text: 'TK 0123456789 -1,000PHP luc 10:00 20/11/2026. ND: ABC', sender: 'LPB' }
    expect(reading(php)).to.include({ amount: '1000.00', currency: 'PHP' })
  })

  it('refuses a text without a certain currency', () => {
    const tcb = (amount: string, balance: string) =>
      `TK 18123\nSo tien GD:+${amount}\nSo du:${balance}\nFT123456789012 phi`
    expect(reason(tcb('1,123.00', '1,107,321.16'))).to.equal('unparsed')
    expect(reason(tcb('1,123', '1,107,321.16'))).to.equal('unparsed')
    expect(reading(tcb('1,123', '1,107,321')).currency).to.equal('VND')
    expect(reading(tcb('USD 1,123.00', 'USD 1,107,321.16'))).to.include({ currency: 'USD', amount: '1123.00' })
    expect(reason(tcb('USD 1,123.00', 'VND 1,107,321'))).to.equal('unparsed')
    expect(reason(VCB.replaceAll('VND', ''))).to.equal('unparsed')
  })

  it('refuses an amount that is not exact', () => {
    const bidv = (amount: string, balance: string) =>
      `TK2151 tai BIDV +${amount}VND vao 11:06 13/11/2018. So du:${balance}VND. ND: x`
    expect(reading(bidv('5,650,000', '5,637,054.592')).balance_after).to.equal('5637054.59')
    expect(reason(bidv('5,637,054.592', '5,650,000'))).to.equal('unparsed')
  })

  it('treats an amount as cut only if it is the last number of the bank', () => {
    const head = 'TK 0123456789 +VND500,000'
    expect(reason(head)).to.equal('unparsed')
    for (const [rest, balance_after] of [
      ['. SD VND1,500,000', null],
      ['. SD VND500,000', null],
      ['. SD VND1,500,000.', '1500000.00'],
      ['. SD VND1,700,000. ND: DH1042 500,000', '1700000.00'],
      ['. SD VND1,700,000. ND: DH1042 1,700,000', '1700000.00'],
      ['. ND: DH1042 500,000', null],
      [' ND: DH1042 SD VND1,700,000', null],
    ] as const)
      expect(reading(head + rest), rest).to.include({ amount: '500000.00', balance_after })
  })

  it('refuses an amount of zero', () => {
    expect(reason(VCB.replace('150,000', '0'))).to.equal('unparsed')
  })

  it('does not follow a memo that imitates a layout', () => {
    const fake = `${VCB}x`
    expect(reason({ text: `Quy khach da thanh toan 5,000VND, noi dung: ${fake}`, sender: 'Vietcombank' })).to.equal(
      'unparsed',
    )
    expect(reading(`${VCB.replace('+', '-')}${fake}`)).to.include({ transaction_type: 'debit', amount: '150000.00' })
    const vib = '16:54;11/06/2018 TK:0417VND PS:-155,595 ND:mua SODU:+9 SODU:+1,524,080'
    expect(reading(vib)).to.include({ balance_after: '1524080.00', content: 'mua SODU:+9' })
  })

  it('reads a memo of any length and the text that the bank prints after it', () => {
    const memo = `DH1042 ${'x'.repeat(20_000)}`
    expect(reading(`${VCB}${memo}`).content).to.equal(memo)
    const vib = `16:54;11/06/2018 TK:0417VND PS:-155,595 ND:${memo} SODU:+1,524,080`
    expect(reading(vib)).to.include({ bank_code: 'VIB', balance_after: '1524080.00', content: memo })
  })

  it('ignores an impossible date and still reads the money', () => {
    const { printed_time, amount } = reading('ACB: TK 1234(VND) + 1,000 luc 25:61 31/02/2026. So du 2,000. GD: x')
    expect([printed_time, amount]).to.deep.equal([null, '1000.00'])
  })

  it('ignores a reference that was cut', () => {
    const text = 'Tài khoản thanh toán: 4311\nSố tiền GD: +10,000 VND\nNội dung giao dịch: DH9\nMã giao dịch: 083OC...'
    expect(reading(text)).to.include({ transaction_ref: null, content: 'DH9', cut: true })
  })
})

describe('a text that hides the balance', () => {
  it('is read without it', () => {
    const texts = [
      ['MBBANK', 'TK 03xxx682|GD: +150,000VND 20/11/26 09:00|SD: ******VND|ND: DH1042'],
      ['Vietcombank', 'SD TK 0011000415567 +150,000VND luc 20-11-2026 09:00:05. SD ***VND. Ref DH1042'],
      ['ACB', 'ACB: TK 257678859(VND) + 150,000 luc 09:00 20/11/2026. So du *****. GD: DH1042'],
      ['VietinBank', 'VietinBank:20/11/2026 09:00|TK:101867890123|GD:+150,000VND|SDC:*** VND|ND:DH1042'],
    ] as const
    for (const [sender, text] of texts)
      expect(read({ sender, text }, new Date('2026-11-20T03:00:00Z')).reading, text).to.include({
        transaction_type: 'credit',
        amount: '150000.00',
        balance_after: null,
        content: 'DH1042',
      })
  })
})

describe('a card payment of Shinhan', () => {
  it('has its memo, and not the day of the purchase as the time of the booking', () => {
    const text =
      'TK **0081 thanh toan the Ghi no  - VND 253,160. So du kha dung: VND 88,490,031.  . (**32) Purchase 15-11-2026. TIEM HOA DH1042'
    expect(reading({ sender: 'SHINHANBANK', text })).to.include({
      content: '(**32) Purchase 15-11-2026. TIEM HOA DH1042',
      printed_time: null,
    })
  })
})

describe('the bank of a text', () => {
  it('is taken from the app, then from the sender, then from the text', () => {
    expect(reading({ text: `${VCB}x`, package: 'com.VCB', sender: 'MBBANK' }).bank_code).to.equal('VCB')
    expect(reading({ text: `${VCB}x`, sender: 'VIETCOM BANK' }).bank_code).to.equal('VCB')
    expect(reading({ text: `${VCB}x`, sender: '+84912345678' }).bank_code).to.equal('VCB')
  })

  it('must agree with the text', () => {
    for (const sender of ['VietinBank', 'VietBank', 'VCBNeo', 'MBV', 'TPBank', 'MBBANK'])
      expect(reason({ text: `${VCB}x`, sender }), sender).to.equal('unparsed')
  })

  it('is taken from the sender in the title if an SMS app showed the text', () => {
    const shown = { text: `${VCB}x`, package: 'com.google.android.apps.messaging' }
    expect(reading({ ...shown, title: 'Vietcombank' }).bank_code).to.equal('VCB')
    expect(reason({ ...shown, title: 'VietinBank' })).to.equal('unparsed')
  })

  it('is absent in a chat, a shop or a game', () => {
    for (const name of [
      'com.zing.zalo',
      'com.facebook.orca',
      'org.telegram.messenger',
      'com.shopee.vn',
      'com.random.game',
    ])
      expect(reason({ text: `${VCB}x`, package: name, title: 'Vietcombank' }), name).to.equal('chat')
  })

  it('is not guessed from a layout that is too generic', () => {
    const text = 'TK 0071 +500,000 VND. SD 1,000,000 VND. ND: uu dai sinh nhat'
    expect(reading(text)).to.include({ bank_code: 'OTHER', read_by: 'labels', amount: '500000.00' })
    expect(reading({ text, package: 'com.VCB' })).to.include({ bank_code: 'VCB', read_by: 'layout' })
  })

  it('is not taken from the name of another bank in a memo', () => {
    expect(reading(`${VCB}CK den TK 123 tai BIDV +5,000VND. ND: x`).bank_code).to.equal('VCB')
  })
})

describe('memos that a bank breaks', () => {
  const mb = (memo: string) => `TK 4240xxxx4584|GD: +20,000VND 31/01/21 13:26|SD:270,003VND|ND: ${memo}`
  const orderOf = (text: string) => orderIdOf(reading(text).content, text, ['DH'])?.order_id

  it('are joined at the column, for a blank or a line end', () => {
    for (const blank of [' ', '\n', ' \n ']) {
      const text = mb(`NGUYEN VAN AN chuyen tien don DH104${blank}2 cam on shop`)
      expect(reading(text).content).to.equal('NGUYEN VAN AN chuyen tien don DH1042 cam on shop')
      expect(orderOf(text)).to.equal('DH1042')
    }
  })

  it('are not joined elsewhere, so the shorter order id remains', () => {
    expect(orderOf(mb('chuyen tien DH10 42'))).to.equal('DH10')
    expect(orderOf(`${VCB}NGUYEN VAN AN chuyen tien don DH104 2 cam on`)).to.equal('DH104')
  })
})
