/** Mails of cards, which print no sign: whether money moved at all, which way, and at which shop. */
import { expect } from 'chai'
import { html, mail, reading, row } from './read-mails.ts'

describe('a mail about a payment by card', () => {
  const VIB = 'VIB <info@card.vib.com.vn>'
  const vib = ({ kind = 'Thanh toán dịch vụ - hàng hóa', value = '45,000 VND', shop = 'QUAN HUY', behind = '' } = {}) =>
    'Thông báo giao dịch Thẻ tín dụng VIB Cash Back\n\nKính gửi Quý khách hàng,\n\nNgân hàng Quốc Tế (VIB) trân trọng cảm ơn Quý khách hàng đã ' +
    'giao dịch. Thông tin giao dịch của Quý khách hàng như sau:\n\nSố thẻ: 5138***4752\n\nChủ thẻ: NGUYEN QUANG HUY\n\n' +
    `Giao dịch: ${kind}\n\nGiá trị: ${value}\n\nVào lúc: 18:52 25/08/2026\n\nTại ${shop}\n\n${behind}` +
    'Để biết thêm thông tin chi tiết, Quý khách hàng vui lòng liên hệ: 1800 8195 (1.000 đồng/phút)\n\nTrân trọng.'
  const CAKE = 'no-reply@cake.vn'
  const cake = (kind: string, behind: string) =>
    'Kính gửi Quý khách A\nThẻ tín dụng Cake của Quý khách vừa phát sinh giao dịch như sau:\nThông tin thẻ tín dụng\nSố thẻ ••0934\n' +
    `Giao dịch ${kind}\nGiá trị 45.000 đ\nVào lúc 12:34 03/05/2026\nTại SHOP*A_1234 TP HCM VN\n${behind}`

  it('is read although the bank’s greeting has words that end such mails', () => {
    for (const text of [vib(), `<p>${vib().replaceAll('\n', '</p><p>')}</p>`])
      expect(reading(VIB, text), text).to.include({
        transaction_type: 'debit',
        amount: '45000.00',
        account_number: '5138***4752',
        counterpart_name: 'QUAN HUY',
      })
    expect(reading(VIB, vib({ value: '12.99 USD' }))).to.include({ amount: '12.99', currency: 'USD' })
  })

  it('of Cake has the card’s number, and the shop’s name without the status', () => {
    expect(reading(CAKE, cake('Thanh toán POS', 'Tình trạng: Thành công'))).to.include({
      transaction_type: 'debit',
      amount: '45000.00',
      account_number: '0934',
      counterpart_name: 'SHOP*A_1234 TP HCM VN',
    })
  })

  it('of MSB shows the direction by its sign, whatever the shop is called', () => {
    const rows = (amount: string, shop: string) => [
      ['Số hợp đồng', 'Contract Number', '011-M-000238377'],
      ['Số thẻ tín dụng', 'Main Card Number', 'xxxx-xxxx-xxxx-3066'],
      ['Số tiền thay đổi', 'Changed Amount', amount],
      ['Nội dung giao dịch', 'Content', shop],
      ['Thời gian giao dịch', 'Transaction time', '07/09/2026 18:22'],
      ['Hạn mức khả dụng', 'Available Limit', '16,927,825 VND'],
    ]
    const opening =
      'MSB xin trân trọng thông báo thông tin biến động số dư trên Thẻ tín dụng MSB của Quý khách như sau:'
    const read = (amount: string, shop = 'Shopee') =>
      [
        `${opening}\n${rows(amount, shop).flat().join('\n\n')}`,
        html(
          `<p>${opening}</p>`,
          ...rows(amount, shop).map(([one, other, value]) => row(`${one}<br><i>${other}</i>`, value!)),
        ),
      ].map((text) => mail('banking_notify@msb.com.vn', text).reading)
    for (const shop of ['Shopee', 'So tien thay doi +9,000,000 VND', 'A, So the tin dung 9999', 'Cam on'])
      for (const found of read('-86,093 VND', shop))
        expect(found, shop).to.include({
          transaction_type: 'debit',
          amount: '86093.00',
          account_number: 'xxxx-xxxx-xxxx-3066',
          balance_after: null,
        })
    for (const found of read('+5,000,000 VND')) expect(found?.transaction_type).to.equal('credit')
    expect(read('5,000,000 VND'), 'a payment to the card').to.deep.equal([null, null])
  })

  it('is not read if the payment failed, came back, or was one to the card', () => {
    for (const text of [
      cake('Thanh toán POS', 'Tình trạng: Không thành công'),
      cake('Thanh toán POS', 'Trạng thái\nTừ chối'),
    ])
      expect(mail(CAKE, text).reason, text).to.equal('failed')
    expect(mail(VIB, vib({ behind: 'Tình trạng: Không thành công\n\n' })).reason).to.equal('failed')
    for (const kind of [
      'Hoàn tiền giao dịch',
      'Hoàn trả',
      'Hủy giao dịch',
      'Refund',
      'Ghi có',
      'Thanh toán dư nợ thẻ',
    ]) {
      expect(mail(CAKE, cake(kind, 'Tình trạng: Thành công')).reading, kind).to.equal(null)
      expect(mail(VIB, vib({ kind })).reading, kind).to.equal(null)
      expect(mail(VIB, vib({ kind, value: '12.99 USD' })).reading, kind).to.equal(null)
    }
    expect(reading(VIB, vib({ shop: 'HOAN TIEN STORE' })).transaction_type).to.equal('debit')
  })

  it('is not read if the bank says between its greeting and the table that nothing was paid', () => {
    for (const words of ['Giao dịch sau không thành công:', 'Giao dịch sau đã bị hủy giao dịch, đang chờ xử lý:'])
      expect(mail(VIB, vib().replace('Số thẻ', `${words}\nSố thẻ`)).reading, words).to.equal(null)
  })
})
