import { expect } from 'chai'
import { reading, reason, VCB } from './read-texts.ts'

describe('a text that says that no money moved', () => {
  it('is refused if the bank calls the transaction failed, in any layout', () => {
    expect(reason(`Giao dịch không thành công: ${VCB}x`)).to.equal('failed')
    expect(reason({ text: `${VCB}x`, title: 'Giao dịch thất bại', package: 'com.VCB' })).to.equal('failed')
  })

  it('is refused if a line after its memo says that the transaction failed or waits', () => {
    const head = 'Tài khoản: 012345678901\nSố tiền: +150,000 VND\nSố dư: 2,000,000 VND\nNội dung: DH1042 NGUYEN AN'
    const bidv =
      'Tài khoản thanh toán: 8832123000\nSố tiền GD: +150,000 VND\nSố dư cuối: 2,000,000 VND\nNội dung giao dịch: DH1042'
    const pushes = [
      { package: 'ops.namabank.com.vn', text: head },
      { package: 'com.vnpay.bidv', text: bidv },
      { package: 'com.vnpay.bidv', text: `${bidv}\nMã giao dịch: 123456` },
    ]
    for (const push of pushes) {
      for (const line of [
        'Trạng thái: Thất bại',
        'Trạng thái giao dịch: Đang xử lý',
        'Status: Pending',
        'Giao dịch chưa thành công.',
      ])
        expect(reason({ ...push, text: `${push.text}\n${line}` }), line).to.equal('unparsed')
      const done = { ...push, text: `${push.text}\nTrạng thái: Thành công` }
      expect(reading(done).amount).to.equal('150000.00')
      // In the memo's own line, the payer has written it.
      for (const blank of [' ', '\u2028', '\v']) {
        const memo = { ...push, text: push.text.replace('DH1042', `DH1042${blank}Trạng thái: thất bại`) }
        expect(reading(memo).amount).to.equal('150000.00')
      }
    }
    const vib = '10:00;20/11/2026\nTK:123456789VND\nPS:+150,000\nND:DH1042'
    expect(reason({ sender: 'VIB', text: `${vib}\nGiao dịch thất bại\nSODU:+2,000,000` })).to.equal('unparsed')
    expect(reading(`${vib}\nGiao dịch thất bại nhe SODU:+2,000,000`).balance_after).to.equal('2000000.00')
    const bars = 'TK:012345678901|GD:+150,000VND 10:00 20/11/2026|SD:2,000,000VND|ND:DH1042'
    expect(reason({ sender: 'LPB', text: `${bars}|Trang thai: That bai` })).to.equal('unparsed')
    expect(reading({ sender: 'LPB', text: `${bars}|Trang thai: Thanh cong` }).content).to.equal('DH1042')
  })

  it('is refused if it names an address, or asks to fetch the money there, as a swindler does in a name of a bank', () => {
    const site = 'https://nhantien.example'
    const fakes = [
      `Western Union Online STK 0110660000 DONGABANK nhận |+4.700.000VND, Ref +183.10USD. Quý khách nhận tiền VND vào TK tại website:${site}`,
      `TK 0110660000 nhận +4.700.000VND, Ref +183.10USD. Quý khách nhận tiền VND vào TK tại website:${site}`,
      'Western Union: TK 0110660000 nhận +4.700.000VND, Ref 1057425286',
      `TK 0110660000 +4,700,000VND luc 09:00 20/11/2026. SD 5,700,000VND. Vui long dang nhap ${site}`,
      'TK 0110660000 -4,700,000VND luc 09:00 20/11/2026. Neu khong phai ban, truy cap www.chan.example',
      'TK 0110660000 vua nhan +4,700,000VND. Truy cap nhantien.example de nhan tien',
    ]
    for (const text of fakes)
      for (const sender of [undefined, '+84901234567', 'Vietcombank', 'DONGA BANK', 'Sacombank'])
        expect(reason({ text, sender }), `${sender}: ${text}`).to.equal('unparsed')
    // A payer may write an address, and money really comes from Western Union.
    const memo = 'TK 0110660000 +4,700,000VND luc 09:00 20/11/2026. SD 5,700,000VND. ND: DH1042'
    for (const words of [site, 'WESTERN UNION', 'nhan tien hang'])
      expect(reading({ text: `${memo} ${words}`, sender: 'Sacombank' }).content).to.equal(`DH1042 ${words}`)
    expect(reading(`${VCB}DH1042 ${site}`).amount).to.equal('150000.00')
    expect(reading(memo.replace('ND: DH1042', 'LH 1900545415 hoac truy cap bank.example')).amount).to.equal(
      '4700000.00',
    )
  })

  it('is refused if the transaction has not succeeded yet, or will be received', () => {
    expect(reason({ text: `${VCB}x`, title: 'Giao dịch chưa thành công', package: 'com.VCB' })).to.equal('failed')
    for (const text of [
      'Giao dịch +150,000 VND tới tài khoản 123456789 chưa thành công. Số dư: 2,000,000đ. Nội dung: DH1042',
      'Tài khoản 123456789 sẽ nhận +150,000 VND. Số dư: 2,000,000đ. Nội dung: DH1042',
    ])
      expect(reason({ text, package: 'com.vib.myvib2' }), text).to.equal('unparsed')
  })

  it('is refused if the credit is of the person to whom the customer sent money', () => {
    for (const text of [
      'VND 150,000 has been credited to beneficiary account 0999999999 from account 0123456789. Balance: VND 1,000,000.',
      'Your transfer of VND 150,000 has been credited. Account 0123456789. Balance: VND 1,000,000.',
      'VND 150,000 was credited to NGUYEN VAN A. Account 0123456789. Balance: VND 1,000,000.',
      'So tien 150,000 VND da duoc ghi co vao TK nguoi nhan. TK 0123456789. SD 1,000,000 VND',
      'Tai khoan nguoi thu huong duoc ghi co. TK: 0123456789. So tien: 150,000 VND. SD: 1,000,000 VND',
      'NGUYEN VAN A da nhan 150,000 VND tu TK 0123456789 cua ban. SD 1,000,000 VND',
      'NGUYEN VAN A vua nhan duoc 150,000 VND. TK 0123456789. SD 1,000,000 VND',
    ])
      expect(reason({ text, sender: 'LPB' }), text).to.equal('unparsed')
    for (const text of [
      'VND 150,000 has been credited to your account 0123456789. Balance: VND 1,000,000.',
      'Ban vua nhan duoc 150,000 VND. TK 0123456789. SD 1,000,000 VND',
      'Quy khach da nhan 150,000 VND. TK 0123456789. SD 1,000,000 VND',
      'Quy khach hang vua nhan duoc 150,000 VND. TK 0123456789. SD 1,000,000 VND',
      'TK 0123456789 vua nhan duoc 150,000 VND. SD 1,000,000 VND. ND: nguoi nhan A',
      'TK 0123456789 +150,000 VND. Nguoi nhan: NGUYEN VAN A. SD 1,000,000 VND',
    ])
      expect(reading({ text, sender: 'LPB' }), text).to.include({ transaction_type: 'credit', amount: '150000.00' })
  })

  it('is refused if the bank did not book the sum, gives it as a present or lends it, or the customer pays it in', () => {
    for (const text of [
      'TK 0123456789 +150,000VND chua duoc ghi co. SD: 1,000,000VND',
      'TK 0123456789 khong ghi co duoc +150,000VND. SD: 1,000,000VND',
      'TK 0123456789 +150,000VND dang treo do sai ten. SD: 1,000,000VND',
      'TK 0123456789 duoc tang 150,000VND nhan dip sinh nhat. SD: 1,000,000VND',
      'TK 0123456789 tang 150,000 VND cho NGUYEN VAN A. SD: 1,000,000 VND',
      'Transaction voided: +150,000VND. Account 0123456789. Balance: 1,000,000VND',
      'Your credit limit on account 0123456789 is +50,000,000 VND. Balance: 1,000,000 VND',
      'Thanh toan the credit 150,000 VND. TK 0123456789. SD: 1,000,000 VND',
      'Quy khach da nop 150,000 VND tien dien tu TK 0123456789. So du: 1,000,000 VND',
      'TK 0123456789 nop 150,000 VND thue TNCN. So du: 1,000,000 VND',
      'Quy khach da nop VND 150,000 vao the tin dung. TK 0123456789. So du: 1,000,000 VND',
      'Da nop 150,000 VND tu TK 0123456789. So du: 1,000,000 VND',
    ])
      expect(reason({ text, sender: 'LPB' }), text).to.equal('unparsed')
    const paidIn = 'TK 0123456789 nop 150,000VND luc 10:00 20/11/2026. So du 1,000,000VND. Phi: 0VND. ND: nop thue'
    expect(reading({ text: paidIn, sender: 'LPB' })).to.include({ transaction_type: 'credit', amount: '150000.00' })
  })

  it('is refused if the title or the words before the layout say that money is only requested, waits or came back', () => {
    const push = { text: `${VCB}x`, package: 'com.VCB' }
    for (const title of [
      'Yêu cầu thanh toán',
      'Nhắc nợ',
      'Giao dịch đang xử lý',
      'Giao dịch đã bị huỷ',
      'Ưu đãi',
      'Payment request',
      'Giao dịch đã được hoàn',
      'Lệnh chuyển tiền bị trả lại',
      'Giao dịch bị đảo',
      'Khoản tiền bị treo',
      'Giao dịch chưa hạch toán',
      'Tiền sắp về tài khoản',
      'Voided',
    ])
      expect(reason({ ...push, title }), title).to.equal('unparsed')
    for (const title of ['Giao dịch lỗi', 'Giao dịch không thực hiện được', 'Declined'])
      expect(reason({ ...push, title }), title).to.equal('failed')
    for (const header of ['Lệnh đang chờ duyệt: ', 'NGUYEN VAN A đề nghị chuyển tiền: ', 'Yêu cầu thanh toán\n'])
      expect(reason({ text: `${header}${VCB}x`, sender: 'Vietcombank' }), header).to.equal('unparsed')
    for (const header of ['Theo yêu cầu của Quý khách: ', 'Theo yêu cầu chuyển tiền: ', 'As requested: '])
      expect(reading({ text: `${header}${VCB}x`, sender: 'Vietcombank' }).transaction_type, header).to.equal('credit')
    const byLabels = { text: 'TK 0071 tang 500,000 VND. SD 1,000,000 VND. Loi nhan: x', package: 'com.VCB' }
    expect(reason({ ...byLabels, title: 'Yêu cầu chuyển tiền' })).to.equal('unparsed')
    for (const title of ['Biến động số dư', 'NGUYEN VAN HUY', 'Giao dịch thành công', 'Giao dịch đã hoàn tất'])
      for (const of of [push, byLabels]) expect(reading({ ...of, title }).transaction_type, title).to.equal('credit')
  })
})
