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
    balance_only: ['Số dư tài khoản của bạn là 5,000,000 VND'],
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
      'EIB QUAN 7 TK 140314949030000 08/06/18 12:38 THANH TOAN TIEN DIEN 529,441VND SD 53,494,523VND',
    ]
    for (const text of texts) expect(reason({ text }), text).to.equal('unparsed')
  })

  it('is unparsed for a mail in an SMS layout', () => {
    const text = 'SD TK 0011 +150,000VND luc 20-11-2026 09:46:12. SD 222,772VND. Ref x'
    expect(reason({ text, from: 'someone@example.com' })).to.equal('unparsed')
  })
})
