import { expect } from 'chai'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming } from '../../../../domain/reader/reading.ts'

const reason = (incoming: Incoming) => read(incoming, new Date('2026-11-20T03:00:00Z')).reason

describe('the reason of a rejected text', () => {
  const examples: Record<string, string[]> = {
    otp: [
      'Mã xác thực giao dịch: 654321. Hiệu lực 3 phút.',
      'Ma OTP cua Quy khach la 123456, tuyet doi khong cung cap cho ai',
      'Ma OTP la 123456. GD chuyen -5,000,000VND tu TK 0011, SD 10,000VND',
      '123456 la ma OTP chuyen 500,000VND',
      'Ma OTP 123456 cho giao dich -500,000VND, TK 0123, SD 1,000VND',
    ],
    promotion: ['Ưu đãi 20.000 VND cho lần thanh toán tiếp theo!', 'nhan ngay +50.000d khi dang ky'],
    login: ['Đăng nhập vào ứng dụng lúc 15:27. Nếu không phải bạn, liên hệ ngay.'],
    bill: ['TB tien dien ky 1 thang 6/2018, tong tien 1 335 551 D'],
    failed: ['Giao dịch chuyển tiền 1,000,000 VND không thành công'],
    reminder: ['TK 1351007100000 khong du so du de thanh toan. QK vui long nop them tien'],
    statement: ['Sao kê thẻ tín dụng tháng 9: dư nợ 5,000,000 VND', 'Sao ke the: VND -4,550,089.00'],
    balance_only: [
      'Số dư tài khoản của bạn là 5,000,000 VND',
      'So du kha dung TK 0123456789 luc 10:00 la: VND 5,000,000',
      'So du TK 0123456789 hien tai la 5 000 000 dong',
    ],
    test_message: ['test message', 'Tin nhắn thử từ Gateway lúc 10:20'],
    placeholder: ['{not_title} %antext', '%text%', '[content]'],
    empty: ['', ' \n\u200b '],
    ping: ['ping', 'heartbeat'],
  }
  for (const [expected, texts] of Object.entries(examples))
    for (const text of texts)
      it(`is ${expected} for ${JSON.stringify(text)}`, () => expect(reason({ text })).to.equal(expected))

  it('is chat if a person wrote it', () => {
    expect(reason({ text: 'Chuyen cho t 200,000 VND nhe', sender: '0912345000' })).to.equal('chat')
  })

  it('is otp even if the code is at the end of the longest text', () => {
    expect(reason({ text: `${'Kính gửi quý khách, '.repeat(1_000)}mã OTP là 123456` })).to.equal('otp')
  })

  it('is unparsed for an unknown layout, with any words in its memo', () => {
    const texts = [
      'TK 53825000 tai XYZ +47,000,000. So du 1,000. ND: gui ma otp cho em',
      'XYZ: TK 123 tang 5,000, so du 9,000: uu dai sinh nhat, dang nhap',
      'TK 0123456789 nhan 150,000d. So du kha dung 5,000,000. ND DH1042',
      'SD TK 0123456789 kha dung: 5,000,000. Chuyen khoan 150,000 VND den NGUYEN VAN A',
      'So du TK 0123456789 la 5,000,000. Giao dich 150,000 VND luc 10:00',
      'Sacombank 20/11/2026 10:00 gui 150,000 VND vao TK 020039750000 NGUYEN VAN A DH1042 - So du kha dung: 222,77...',
      'EIB QUAN 7 TK 140314949030000 08/06/18 12:38 THANH TOAN TIEN DIEN 529,441VND SD 53,494,523VND',
    ]
    for (const text of texts) expect(reason({ text }), text).to.equal('unparsed')
  })

  it('is unparsed if the money has not moved', () => {
    const texts = [
      'Quy khach can nop 150,000 VND vao TK 0123456789. So du kha dung: 5,000',
      'QK hay gui vao 150,000 VND vao TK 0123456789. SD: 5,000 VND',
      'TK 0123456789 chua nop 150,000 VND. So du: 5,000 VND',
      'TK 0123456789 chua nhan duoc 150,000 VND. SD: 5,000 VND',
      'TK 0123456789 se nhan duoc 150,000 VND. SD: 5,000 VND',
      'TK 0123456789 khong bi tru tien 150,000 VND. SD: 5,000 VND',
      'QK co the rut 150,000 VND tu TK 0123456789. SD: 5,000 VND',
      'Your account 0123456789 will be credited 150,000 VND. Balance: 5,000 VND',
      'Your account 0123456789 was not credited 150,000 VND. Balance: 5,000 VND',
      'Your account 0123456789 has not been credited 150,000 VND. Balance: 5,000 VND',
      'Your account 0123456789 has not yet been credited with 150,000 VND. Balance: 5,000 VND',
      'Your account 0123456789 would have been credited 150,000 VND. Balance: 5,000 VND',
      'Your account 0123456789 cannot be credited 150,000 VND. Balance: 5,000 VND',
      "Your account 0123456789 hasn't been credited 150,000 VND. Balance: 5,000 VND",
      'TK 0123456789 duoc giai toa +150,000 VND. So du kha dung: 5,000 VND',
      'Please credit 150,000 VND to account 0123456789. Balance: 5,000 VND',
    ]
    for (const text of texts) expect(reason({ text, sender: 'VIB' }), text).to.equal('unparsed')
  })

  it('is none if a balance without a currency follows the sum that moved', () => {
    const text = 'Quy khach vua nhan 150,000 VND vao TK 0123456789. So du kha dung: 5,000,000'
    const { reading } = read({ text, sender: 'VIB' }, new Date('2026-11-20T03:00:00Z'))
    expect(reading).to.include({ transaction_type: 'credit', amount: '150000.00', account_number: '0123456789' })
  })

  it('is unparsed for a mail in an SMS layout', () => {
    const text = 'SD TK 0011 +150,000VND luc 20-11-2026 09:46:12. SD 222,772VND. Ref x'
    expect(reason({ text, from: 'someone@example.com' })).to.equal('unparsed')
  })
})
