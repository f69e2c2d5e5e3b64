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

  it('is absent if a balance without a currency follows the sum that moved', () => {
    const text = 'Quy khach vua nhan 150,000 VND vao TK 0123456789. So du kha dung: 5,000,000'
    const { reading } = read({ text, sender: 'VIB' }, new Date('2026-11-20T03:00:00Z'))
    expect(reading).to.include({ transaction_type: 'credit', amount: '150000.00', account_number: '0123456789' })
  })

  it('is unparsed for a mail in an SMS layout', () => {
    const text = 'SD TK 0011 +150,000VND luc 20-11-2026 09:46:12. SD 222,772VND. Ref x'
    expect(reason({ text, from: 'someone@example.com' })).to.equal('unparsed')
  })
})

describe('a notice that moves no money is unparsed', () => {
  const at = new Date('2026-11-20T03:00:00Z')
  const isUnparsed = (incoming: Incoming) => expect(read(incoming, at).reason, incoming.text).to.equal('unparsed')

  it('whichever bank sends it', () => {
    const texts = [
      'TK 0011000415 duoc ghi co tam thoi +500,000VND luc 10:00 20/11/2026. So du kha dung: 5,000,000VND. ND: tra soat GD',
      'TK 0011000415|GD: +500,000VND 20/11/26 10:00 (TAM KHOA)|SD:5,000,000VND|ND: ABC',
      'TK 0011000415: Giao dich +500,000 VND dang duoc ngan hang doi soat. So du 5,000,000 VND',
      'TK 0011000415 +500,000VND cho hach toan vao 10:00 20/11/2026. So du:5,000,000VND. ND: ABC',
      'Lenh chuyen tien nhanh den TK 0011000415 so tien +500,000VND cho ngan hang huong xac nhan. SD: 5,000,000VND',
      'NH nhan duoc de nghi tra soat: KH NGUYEN VAN A chuyen nham +500,000VND vao TK 0011000415 luc 10:00 20/11/2026. So du 5,000,000VND',
      'TK 0011000415 can nop them +500,000VND truoc 25/11/2026 de tra no. So du: 100,000VND',
      'Nhan tien: De nghi QK nop vao TK 0011000415 so tien 500,000VND truoc 17h ngay 25/11/2026. So du TK 20,000VND',
      'Khoan vay TK 0011000415 den ky tra no +500,000VND. SD:5,000,000VND',
      'Lai du thu TK 0011000415 +500,000VND tinh den 20/11/2026. So du 5,000,000VND',
      'QK du dieu kien nhan +500,000VND vao TK 0011000415. SD 5,000,000VND. Bam link de nhan thuong',
      'Ban sap nhan duoc 500,000VND vao TK 0011000415. So du: 5,000,000VND',
      'Tang ban +50,000VND vao TK 0011000415 khi gioi thieu App. SD:5,000,000VND',
      'TK 0011000415 duoc thuong +500,000VND neu gui tiet kiem. SD: 5,000,000VND',
      'Tang 500,000VND cho TK 0011000415. So du 5,000,000VND. DK ngay',
      'Mung sinh nhat! Tang 500,000VND vao TK 0011000415. So du 5,000,000VND',
      'Moi gioi thieu ban be, nhan duoc 500,000VND vao TK 0011000415. So du 5,000,000VND',
      'TK 0011000415 +-500,000VND. So du 5,000,000VND. ND: DH1042',
      'So du TK 0011000415 cua QK den 20/11/2026 la +500,000VND',
      'Muc tieu tiet kiem: con +500,000VND nua. TK 0011000415. So du 5,000,000VND',
      'TK 0011000415 GD +500,000VND luc 10:00 20/11/2026 khong thuc hien duoc. So du 5,000,000VND',
      'TK 0011000415 +500,000VND luc 10:00 20/11/2026 het han. So du 5,000,000VND. ND: DH1042',
      'TK 0011000415 GD +500,000VND nghi ngo lua dao, dang tra soat. So du 5,000,000VND',
      'Tich luy tu dong: ngay mai +500,000VND tu TK 0011000415. So du 5,000,000VND',
      'Dat lenh dinh ky +500,000VND vao TK 0011000415 thanh cong. So du 5,000,000VND',
      'Goi tiet kiem TK 0011000415 tai tuc +50,000,000VND. SD:5,000,000VND',
      'Nap +50,000VND dien thoai thanh cong tu TK 0011000415. SD 5,000,000VND',
      'TK 0011000415 +500,000 diem thuong luc 10:00 20/11/2026. So du 5,000,000 VND',
      'You may receive +500,000VND cashback to account 0011000415. Balance: 5,000,000VND',
      'Refund of +500,000VND to account 0011000415 is being processed. Balance: 5,000,000VND',
    ]
    for (const sender of ['Vietcombank', 'Techcombank', 'BIDV']) for (const text of texts) isUnparsed({ text, sender })
  })

  it('although a text of the bank follows its heading', () => {
    const text = 'TK8832123000 tai BIDV +500,000VND vao 10:00 20/11/2026. So du:5,000,000VND. ND: DH1042'
    const headings = ['Du kien', 'BIDV nhac no', 'BIDV tra soat', 'Vi du', 'Tin nhan lua dao', 'Lenh dinh ky', 'GD tuong lai',
      'Giao dich bi thu hoi', 'BIDV huy giao dich', 'Giao dich khong hop le', 'Lich chuyen tien', 'Tam giu', 'Hoan tra giao dich', 'Hoàn tiền GD', 'Transaction reversed', 'Refund', 'Scheduled transfer', 'Draft'] // prettier-ignore
    for (const heading of headings) isUnparsed({ text: `${heading}: ${text}`, sender: 'BIDV' })
    expect(read({ text: `Thong bao: ${text}`, sender: 'BIDV' }, at).reading).to.include({ amount: '500000.00' })
  })

  it('although its title has the form of the bank’s', () => {
    const text = 'Tài khoản: 77****94\nSố dư: 5,000,000 ₫\nMở thẻ ngay'
    for (const title of ['VPBank NEO tặng + 500,000 ₫', 'Nhận ngay + 500,000 ₫', 'VPBank Rewards +500,000 điểm'])
      isUnparsed({ text, title, package: 'com.vnpay.vpbankonline' })
  })

  it('although its line after the memo has a short label', () => {
    const text = '(TPBank): 20/11/26;10:00\nTK: xxxx1234\nPS:+500.000VND\nSD: 5.000.000VND\nND: ABC\nTT: Cho xu ly'
    isUnparsed({ text, sender: 'TPBank' })
  })

  it('although a wallet’s sentence begins it', () => {
    const sentences = ['Nạp 500.000đ vào ví để nhận ưu đãi', 'Nạp tiền 500.000đ từ Vietcombank chưa hoàn tất', 'Nạp tiền 500.000đ từ Vietcombank bị lỗi',
      'Nhận 500.000đ từ MoMo khi liên kết ngân hàng', 'Nhận tiền 500.000đ từ NGUYEN VAN A đang chờ xác nhận', 'Nạp tiền 500.000đ từ Vietcombank quá hạn',
      'Bạn nhận được 500.000đ từ heo đất MoMo sắp hết hạn', 'Bạn nhận 500.000đ từ Túi Thần Tài dự kiến'] // prettier-ignore
    const wallet = { title: 'Nhận tiền', package: 'com.mservice.momotransfer' }
    for (const source of [wallet, { sender: 'VIETTELPAY' }]) {
      for (const sentence of sentences) isUnparsed({ text: `${sentence}. Số dư ví: 5.000.000đ`, ...source })
      isUnparsed({ text: 'Nạp tiền 500.000đ vào ví. Số dư ví: 5.000đ', ...source })
    }
    const text = 'Ban da chuyen 150.000d den 0912345678. Giao dich that bai. So du: 650.000d'
    expect(reason({ text, sender: 'VIETTELPAY' })).to.equal('failed')
    const { reading } = read({ text: 'Bạn nhận 500.000đ từ NGUYEN QUANG HUY. Số dư ví: 500.000đ', ...wallet }, at)
    expect(reading).to.include({ transaction_type: 'credit', balance_after: '500000.00' })
  })
})

describe('a payment is read', () => {
  const at = new Date('2026-11-20T03:00:00Z')
  const isRead = (incoming: Incoming) =>
    expect(read(incoming, at).reading, incoming.text).to.deep.include({
      transaction_type: 'credit',
      amount: '500000.00',
    })
  // Without their diacritics, these names contain words such as `ví dụ`, `phong tỏa` and `tạm khóa`.
  const names = [
    'VI DUC HOI',
    'VI DU',
    'TRAN PHONG TOAN',
    'NGUYEN TAM KHOA',
    'DU BAO ANH',
    'CHUA HOANG PHAP',
    'Nguyễn Tâm Khoa',
    'LE DE NHAN',
  ]

  it('whatever the name of the payer in a sentence of a wallet', () => {
    for (const name of names) {
      const text = `Bạn nhận 500.000đ từ ${name}. Số dư ví: 500.000đ`
      isRead({ text, title: 'Nhận tiền', package: 'com.mservice.momotransfer' })
      isRead({ text, sender: 'VIETTELPAY' })
    }
  })

  it('whatever the name of its owner in the greeting of a mail', () => {
    for (const name of names)
      for (const greeting of [`Chào ${name}\nCake`, `Chào ${name} Cake`, `Kính gửi: Quý khách ${name}, Cake`]) {
        const text = `${greeting} xin thông báo tài khoản của bạn vừa mới phát sinh giao dịch như sau:\nThông tin tài khoản\nTài khoản nhận\t0099887766 - Tài khoản thanh toán\nThông tin giao dịch\nLoại giao dịch\tNhận tiền\nMã giao dịch\t500000002\nNgày giờ giao dịch\t20/11/2026, 08:00:00\nSố tiền\t+500.000 đ\nNội dung giao dịch\tDH1042`
        isRead({ text, from: 'no-reply@cake.vn', subject: '[CAKE] Thông báo giao dịch thành công' })
        const waits = text.replace('xin thông báo', 'tạm giữ tiền')
        expect(read({ text: waits, from: 'no-reply@cake.vn' }, at).reason).to.equal('unparsed')
      }
  })

  it('whatever advice a bank adds to a text without a layout', () => {
    const text = 'TK 0123456789 +500,000VND luc 10:00 20/11/2026. So du: 5,000,000VND'
    const advice = [
      'Neu QK khong thuc hien GD nay, LH 1900545413',
      'Vui long lien he 1900545413 khi Quy khach can ho tro',
      'Vui long gui phan hoi ve 1900545413',
    ]
    for (const sentence of advice) isRead({ text: `${text}. ${sentence}`, sender: 'LPB' })
    isRead({ text: text.replace('+', 'da nhan ngay 20/11/2026 +'), sender: 'LPB' })
    isRead({ text: text.replace(' +', ' cua NGUYEN TAM KHOA +'), sender: 'LPB' })
    isRead({ text: `${text}. Nguoi gui: HA THI DEN KY. ND: DH1042`, sender: 'LPB' })
  })

  it('although a name in its memo, which has no label, also means cancelled or an error', () => {
    const text = 'TK 0123456789 +500,000VND luc 10:00 20/11/2026. So du: 5,000,000VND'
    const memos = ['NGUYEN QUANG HUY chuyen tien DH1042', 'DH1042 LE HUY HOANG', 'Bao Huy ck', 'TRAN VAN LOI THANH TOAN', 'DO HUY DH1042',
      'NGUYỄN VĂN LỢI chuyển tiền', 'Nguyễn Quang Huy chuyển tiền DH1042', 'dang thi loi mua hang', 'PHAM DUC LOI-DH1042'] // prettier-ignore
    for (const memo of memos)
      for (const between of ['. ', '\n']) isRead({ text: `${text}${between}${memo}`, sender: 'LPB' })
    for (const name of ['NGUYEN QUANG HUY', 'TRAN VAN LOI'])
      isRead({ text: `${text}. Nguoi gui: ${name}. ND: DH1042`, sender: 'LPB' })
  })

  it('unless such a word may be the bank’s', () => {
    const text = 'TK 0123456789 +500,000VND luc 10:00 20/11/2026. So du: 5,000,000VND'
    const words = ['Huy', 'Giao dich da huy', 'Giao dich huy', 'Lenh huy', 'Trang thai: Huy', 'Da huy chuyen tien', 'Yeu cau huy',
      'Don hang huy', 'NH huy giao dich', 'Vietcombank huy lenh', 'Vietcombank hủy', 'Khách hủy', 'Tiền hoàn do giao dịch huỷ', 'Chuyen tien huy', 'KH huy',
      'Loi', 'Giao dich loi', 'Bi loi', 'Do loi he thong', 'Napas loi ket noi', 'Ma loi 05', 'Co loi xay ra', 'Chuyen tien loi', 'Trang thai: Loi',
      'VNPAY lỗi', 'He thong loi', 'Xu ly loi', 'Lenh loi', 'Phat sinh loi', 'He thong tu dong huy', 'Thong bao huy thanh toan', 'Ngan hang phat hanh huy',
      'Nguoi mua huy', 'Nguoi dung huy', 'VNPAY huy', 'MoMo huy', 'Xay ra loi', 'Tra ve loi', 'Phat hien loi'] // prettier-ignore
    for (const sentence of ['GD bi huy', 'GD da huy do loi he thong', 'GD khong thanh cong', 'GD that bai'])
      expect(read({ text: `${text}. ${sentence}`, sender: 'LPB' }, at).reading, sentence).to.equal(null)
    for (const word of words)
      for (const doubted of [
        `${text}. ${word}`,
        `${text}\n${word}`,
        `${text} (${word})`,
        text.replace('luc', `${word} luc`),
      ])
        expect(read({ text: doubted, sender: 'LPB' }, at).reason, doubted).to.equal('unparsed')
  })
})
