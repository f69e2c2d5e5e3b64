import { expect } from 'chai'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming } from '../../../../domain/reader/reading.ts'

const arrival = new Date('2026-11-20T03:00:00Z')

/** The main fields of a reading, as in `VCB +150000.00 VND of 0011 leaves 5.00`, or the reason if it is not read. */
const summary = (incoming: Incoming): string => {
  const { reading, reason } = read(incoming, arrival)
  if (!reading) return reason
  const { bank_code, transaction_type, amount, currency, account_number, balance_after } = reading
  const sign = transaction_type === 'credit' ? '+' : '-'
  return `${bank_code} ${sign}${amount} ${currency} of ${account_number ?? '-'} leaves ${balance_after ?? '-'}`
}

type Case = [text: string, expected: string, around?: Partial<Incoming>]

/** Variants of each bank that are not in the corpus: other missing parts, the other direction, another order. */
const variants: Record<string, Case[]> = {
  TPBank: [
    ['(TPBank): 20/04/24;09:13\nTK: xxxx1662401\nPS:+1.000.000VND\nSD KHA DUNG: 1.023.469VND\nND: DH1', 'TPB +1000000.00 VND of xxxx1662401 leaves 1023469.00'],
    ['TPBank: 20/04/24 09:13 TK: xxxx1662401 PS:-1.000VND SD: 1.023VND ND: a', 'TPB -1000.00 VND of xxxx1662401 leaves 1023.00', { sender: 'TPBank' }],
    ['(TPBank): 14/06/26;06:25...', 'unparsed', { package: 'com.tpb.mb.gprsandroid' }],
  ],
  VPBank: [
    ['Tài khoản: 77****94\nSố dư: 110,000 ₫\nDH12', 'VPB +20000.00 VND of 77****94 leaves 110000.00', { title: 'VPBank NEO + 20,000 ₫' }],
    ['Tài khoản: 77****94\nSố dư: 110,000 ₫\nDH12', 'VPB -20000.00 VND of 77****94 leaves 110000.00', { title: '- 20,000 ₫', package: 'com.vnpay.vpbankonline' }],
    ['Tài khoản: 77****94\nSố dư: 110,000 ₫\ntra +20,000d', 'unparsed', { package: 'com.vnpay.vpbankonline' }],
    ['TK 1867 tai VPB giam 500,000VND do NOP TIEN T AI MAY CDM. So du TK sau GD la 553,115,403VND', 'VPB -500000.00 VND of 1867 leaves 553115403.00'],
    ['TK 1867 tai VPB tang 5,000VND do x. So du TK sau GD la 9VND. So du TK sau GD la 7,000VND', 'VPB +5000.00 VND of 1867 leaves 7000.00'],
  ],
  Sacombank: [
    ['Sacombank 29/02/2020 10:14\n TK: 0501\n PS: -1,200,000 VND\n So du kha dung: 414,546 VND\n ', 'STB -1200000.00 VND of 0501 leaves 414546.00'],
    ['Sacombank 11/07/2018 11:36 rut 3,484,000 VND tu TK 0200 ATM - So du kha dung: 19,915 VND', 'STB -3484000.00 VND of 0200 leaves 19915.00'],
  ],
  VietinBank: [
    ['11/06/2018 00:59|TK:1038|GD:-1,200,000VND|SDC:5,334,409VND|ND:x~', 'CTG -1200000.00 VND of 1038 leaves 5334409.00'],
    ['Thời gian: 09/04/2026 16:52 Tài khoản: 1098 Giao dịch: +1,120,741 VND Số dư hiện tại: 383,581 VND Nội dung: a', 'CTG +1120741.00 VND of 1098 leaves 383581.00', { package: 'com.vietinbank.ipay' }],
  ],
  Agribank: [
    ['Agribank: 11h28p 11/06 TK 3510: -1,500,000VND (TIEN DIEN) . SD: 2,345,678VND.', 'VBA -1500000.00 VND of 3510 leaves 2345678.00'],
    ['Agribank: 11h28p 11/06 TK 3510: +1,500VND. SD: 2,345VND.', 'VBA +1500.00 VND of 3510 leaves 2345.00', { sender: '8149' }],
  ],
  OCB: [
    ['OCB 11/06 09:03 TK 0021 (+) 1,500,000 VND N/dung: a DH12 So du: 2,500,000 VND', 'OCB +1500000.00 VND of 0021 leaves 2500000.00'],
    ['06/07 15:27\nTài khoản: 0021\nSố tiền: -20.000 VND\nSố dư: 335.532. VND\nNội dung: X', 'OCB -20000.00 VND of 0021 leaves 335532.00', { package: 'vn.com.ocb.awe' }],
  ],
  MSB: [['13/06 13:59 TK 040xx4593 VND (+) 1.911.000 ND: CK 24/7 SD: 132.827', 'MSB +1911000.00 VND of 040xx4593 leaves 132827.00']],
  SeABank: [['SeABank: Ngay 05/06/2018 TK: 4300 Phat sinh: +23,855 VND. So du: 24,344 VND. Nguoi chuyen: A. Noi dung: b', 'SEAB +23855.00 VND of 4300 leaves 24344.00']],
  SHB: [['SHB: SDTK 1000 den 17:56:38 ngay 13/11/2022 la 8,668,033 VND. GD moi nhat: -2,500 VND: X', 'SHB -2500.00 VND of 1000 leaves 8668033.00']],
  HDBank: [
    ['TK 0057 ngay 01/06/2018 09:08:32 NOP VAO: 2152480VND SO DU: 485413210VND ND: C', 'HDB +2152480.00 VND of 0057 leaves 485413210.00'],
    ['HDBank: 15:00 09/10/2026\nTK: 0057\nSố tiền GD: -1,000VND\nSố dư cuối: 3,000VND\nNội dung GD: x', 'HDB -1000.00 VND of 0057 leaves 3000.00'],
  ],
  Eximbank: [
    ['EIB QUAN 7 TK 1403 08/06/18 12:38 ABC +529,441VND SD 53,494,523VND', 'EIB +529441.00 VND of 1403 leaves 53494523.00'],
    ['EIB QUAN 7 TK 1403 08/06/18 12:38 ABC -529,441VND SD 53,494,523VND', 'EIB -529441.00 VND of 1403 leaves 53494523.00'],
    // The memo stands before the sum. If the text may lack its end, the last sum may be the payer's.
    [`EIB QUAN 7 TK 1403 08/06/18 12:38 ${'x'.repeat(85)} DH1042 +9,999,999VND SD 9,999,999VND`, 'unparsed', { sender: 'EXIMBANK' }],
    // The memo stands before the sum, so its last word or mark is no direction.
    ...['ABC', 'QUA TANG', 'TIEN GUI', 'NOP', 'DH1042 +', 'tra gop ky 1 -', 'giam', 'cong', 'DH1042 credit'].map(
      (memo): Case => [`EIB QUAN 7 TK 1403 08/06/18 12:38 ${memo} 529,441VND SD 53,494,523VND`, 'unparsed', { sender: 'EXIMBANK' }],
    ),
  ],
  SCB: [['TK 4134 NGAY 06/10/22 08:46 SD DAU 41,694,456 GIAM 20,000,000 SD CUOI 21,694,456 VND (MONEY', 'SCB -20000000.00 VND of 4134 leaves 21694456.00']],
  NCB: [['NCB : 01/06/2018 12:10 TK 1000. Phat sinh: +25,000VND. So du: -65,003VND.', 'NCB +25000.00 VND of 1000 leaves -65003.00']],
  Vikki: [['29/02/20 08:47 DongA Bank thong bao: TK 0111 da thay doi: -600,000 VND. Rut tien ATM. So du hien tai la: 339,733,050 VND.', 'VIKKI -600000.00 VND of 0111 leaves 339733050.00']],
  VietBank: [['TK VND 83637 +100,000 LUC 14:35 04/06/2018. SO DU: 1,060,315.', 'VIETBANK +100000.00 VND of 83637 leaves 1060315.00']],
  GPBank: [['TK so 001...1452 co GD luc 20:55,06/06/2018.So tien: +290.473VND.Ly do: x.So du: -3.547VND', 'GPB +290473.00 VND of 001...1452 leaves -3547.00']],
  Indovina: [['TK 3319689-002 tai IVB tang(+) 3,300 VND luc 12/06/18 13:25. SDC: 128,048 VND. ND: phi', 'IVB +3300.00 VND of 3319689-002 leaves 128048.00']],
  ABBANK: [['TK 0741 thay doi: +348,962 VND so GD: FT18164003000069-tien dien. So du tinh den 20:11 13/06/2018: 5,000 VND', 'ABB +348962.00 VND of 0741 leaves 5000.00']],
  PVcomBank: [['TK: 1020(VND).+ 1,160,313. SD: 93,785. Luc: 09:51 12/06/2018. ND: x', 'PVCB +1160313.00 VND of 1020 leaves 93785.00']],
  Shinhan: [['TK **3896 thay doi + USD 1,299.50. So du kha dung: USD 6,198.10. . x', 'SHBVN +1299.50 USD of **3896 leaves 6198.10']],
  'Public Bank': [
    ['TK 1234567 -1 234 567 VND. So du: 5 234 567 VND. GD: TIEN DIEN', 'PBVN -1234567.00 VND of 1234567 leaves 5234567.00', { sender: 'PublicBank' }],
    ['TK0603000001234 duoc ghi co +29 300 150 So du hien thoi: 1 014 058 947 (GD:060000084 12/06/2018 DH1042)', 'PBVN +29300150.00 VND of 0603000001234 leaves 1014058947.00', { sender: 'PublicBank' }],
    ['TK0603000001234 duoc ghi no -300 150 So du hien thoi: 947 (GD:060000084 12/06/2018 so du 9 999 999 ...', 'PBVN -300150.00 VND of 0603000001234 leaves 947.00', { sender: 'PublicBank' }],
    // The balance may lack its end, or has cents, so that the account is in another currency.
    ['TK0603000001234 duoc ghi co +300 150 So du hien thoi: 1 014 058', 'PBVN +300150.00 VND of 0603000001234 leaves -', { sender: 'PublicBank' }],
    ['TK0603000001234 duoc ghi co +300 150 So du hien thoi: 1 014.05 (GD:060000084 12/06/2018 a)', 'unparsed', { sender: 'PublicBank' }],
    ['TK0603000001234 duoc ghi co +29 300 150 So du hien thoi: 1 014 058 947 (GD:060000084 12/06/2018 DH1042)', 'unparsed'],
  ],
  Cake: [
    ['+200.000đ vào tài khoản. Nội dung: N gui tien. Số dư: 1.200.000đ', 'CAKE +200000.00 VND of - leaves 1200000.00', { package: 'xyz.be.cake' }],
    ['-200.000đ từ tài khoản 0986. Số dư: 1.200đ', 'CAKE -200000.00 VND of 0986 leaves 1200.00', { package: 'xyz.be.cake' }],
  ],
  wallets: [
    ['Thanh toán thành công 45.000đ cho Highlands Coffee', 'MOMO -45000.00 VND of - leaves -', { package: 'com.mservice.momotransfer', title: 'Thanh toán thành công' }],
    ['Bạn đã nhận được 50.000đ từ TRAN B', 'unparsed', { package: 'com.mservice.momotransfer' }],
    ['Bạn đã nhận được 50.000đ từ TRAN B. Số dư ví: 100.000đ', 'chat', { package: 'com.mservice.momotransfer', title: 'Tran B' }],
    ['Nhận tiền thành công 50.000đ từ TRAN B. Số dư ví: 100.000đ', 'ZALOPAY +50000.00 VND of - leaves 100000.00', { package: 'vn.com.vng.zalopay' }],
    ['Bạn đã chuyển tiền thành công 50.000đ tới TRAN B. Số dư ví: 100.000đ', 'VIETTELPAY -50000.00 VND of - leaves 100000.00', { package: 'com.bplus.vtpay' }],
    ['Bạn đã thanh toán 45.000đ cho Highlands Coffee. Số dư ví 200.000đ', 'MOMO -45000.00 VND of - leaves 200000.00', { package: 'com.mservice.momotransfer' }],
    ['Bạn đã nhận được 50.000đ từ TRAN B', 'unparsed'],
  ],
} // prettier-ignore

describe('a bank text', () => {
  for (const [name, cases] of Object.entries(variants))
    for (const [text, expected, around = {}] of cases)
      it(`gives the expected result for ${name}: ${JSON.stringify(text)}`, () =>
        expect(summary({ text, ...around })).to.equal(expected))
})

describe('a text of Public Bank, which prints blanks between thousands and no currency', () => {
  const textOf = (amount: string, balance: string, memo: string) =>
    `TK0603000001234 duoc ghi ${amount} So du hien thoi: ${balance} (GD:060000084 12/06/2018 ${memo}`
  const text = textOf('co +29 300 150', '1 014 058 947', 'DH1042 ...')
  const readingOf = (given: string) => read({ text: given, sender: 'PublicBank' }, arrival).reading

  it('gives its memo, day and number', () =>
    expect(readingOf(text)).to.deep.include({
      content: 'DH1042 ...',
      printed_time: { at: '2018-06-11T17:00:00.000Z', precision: 'day', year_printed: true },
      transaction_ref: '060000084',
    }))

  it('never yields part of a number, or another day, at any position of a cut', () => {
    for (let at = 0; at < text.length; at++) {
      const reading = readingOf(text.slice(0, at))
      if (!reading) continue
      expect(reading.amount).to.equal('29300150.00')
      expect([null, '1014058947.00'], `${at}`).to.include(reading.balance_after)
      expect([undefined, '2018-06-11T17:00:00.000Z'], `${at}`).to.include(reading.printed_time?.at)
    }
  })

  it('is not read if another one follows, and not changed by its memo', () => {
    const other = textOf('no -10 000', '1 014 048 947', 'DH1043)')
    for (const mark of ['\n', ' ']) expect(readingOf(text + mark + other), mark).to.equal(null)
    for (const memo of [
      'So du hien thoi: 9 999 999',
      '+9 999 999',
      'ghi no -9 999 999 So du hien thoi: 1 (GD:1 12/06/2018',
      'GD:1 13/06/2018',
    ])
      expect(readingOf(textOf('co +29 300 150', '1 014 058 947', `${memo} DH1042)`)), memo).to.include({
        transaction_type: 'credit',
        amount: '29300150.00',
        balance_after: '1014058947.00',
        content: `${memo} DH1042`,
      })
  })
})

describe('a text of a bank without layouts', () => {
  const cases: Case[] = [
    ['LPBank: TK 001234567 -500,000 VND luc 10:20 20/11/2026. So du: 1,000,000 VND. ND: DH12', 'LPB -500000.00 VND of 001234567 leaves 1000000.00'],
    ['Tai khoan 0123456789 +5,000,000VND luc 20/11/2026 10:20:11. So du hien tai 7,000,000VND. ND: N chuyen tien DH99', 'NAB +5000000.00 VND of 0123456789 leaves 7000000.00', { package: 'ops.namabank.com.vn' }],
    ['PGBank: TK: 123xxx789. GD: -100,000VND. SD: 5,000VND. 20/11/26 10:20. ND: rut ATM', 'PGB -100000.00 VND of 123xxx789 leaves 5000.00'],
    ['Tài khoản: 0123\nPhát sinh tăng: 5,000,000 VND\nSố dư: 7,000,000 VND\nNội dung: N', 'BAOVIET +5000000.00 VND of 0123 leaves 7000000.00', { package: 'com.vnpay.bvbank' }],
    ['Your account 0123456 has been credited VND 500,000 on 20/11/2026 10:00. Available balance: VND 1,000,000. Description: DH1', 'CIMB +500000.00 VND of 0123456 leaves 1000000.00', { package: 'vn.cimbbank.octo' }],
    ['Your account 0123456 was debited with 500,000 VND. Balance: 1,000,000 VND.', 'WOO -500000.00 VND of 0123456 leaves 1000000.00', { package: 'vn.com.woori.smart' }],
    ['Số tài khoản: 1903xxxx\nLoại giao dịch: Ghi nợ\nSố tiền: 1.234.567,00 VND\nSố dư khả dụng: 8.765.433,00 VND\nNội dung: x', 'OTHER -1234567.00 VND of 1903xxxx leaves 8765433.00'],
    ['TK 0123456: +500,000 VND; Phi: 1,000 VND; SD: 1,000,000 VND; ND: a', 'OTHER +500000.00 VND of 0123456 leaves 1000000.00'],
    ['TK 0123456 +500000 VND. SD 1000000 VND. ND: x', 'OTHER +500000.00 VND of 0123456 leaves 1000000.00'],
    ['TK 0123456 bi tru 500,000 VND, SD 1,000,000 VND', 'OTHER -500000.00 VND of 0123456 leaves 1000000.00'],
    ['TK 0123456 +500,000 VND, noi dung: A CK, SD: 1,500,000 VND', 'OTHER +500000.00 VND of 0123456 leaves 1500000.00'],
    ['TK 0123456 +500,000 VND. SD: 1,500,000 VND. Canh bao lua dao: khong bam vao link la', 'OTHER +500000.00 VND of 0123456 leaves 1500000.00'],
    ['TK 0123456 giao dich -150,000 VND da hoan tat. SD 1,000,000 VND', 'OTHER -150000.00 VND of 0123456 leaves 1000000.00'],
    ['TK 0123456(USD) +1,500.25. SD 2,000.50. ND: x', 'OTHER +1500.25 USD of 0123456 leaves 2000.50'],
  ] // prettier-ignore
  for (const [text, expected, around = {}] of cases)
    it(`is read by labels: ${JSON.stringify(text)}`, () => {
      expect(summary({ text, ...around })).to.equal(expected)
      expect(read({ text, ...around }, arrival).reading).to.include({ read_by: 'labels' })
    })

  const left: [why: string, text: string][] = [
    ['no sign and no word of direction', 'TK 0123456 500,000 VND. SD 1,000,000 VND. ND: x'],
    ['success is no direction', 'Ban da chuyen thanh cong 200,000d toi NGUYEN. Ma GD: 12345. So du vi: 800,000d'],
    ['neither account nor balance', 'So tien: +500,000 VND. ND: x'],
    ['no currency', 'TK 0123456 +500,000. SD 1,000,000. ND: x'],
    ['two currencies', 'TK 0123456 +500,000 VND. SD 1,000.00 USD. ND: x'],
    ['two sums that could be meant', 'TK 0123456 +500,000 VND -1,000 VND. SD 1,000,000 VND. ND: x'],
    ['a sum without a sign beside it', 'TK 0123456 +500,000 VND (qua 10,000 VND). SD 1,000,000 VND. ND: x'],
    ['a sum behind a label that is not known', 'TK 0123456. Hoan phi: +500,000 VND. SD 1,000,000 VND'],
    ['an amount behind the balance, where a memo may stand', 'TK: 0123456\nSo du: 350,000 VND\nban tra +20,000d'],
    ['an amount in the memo alone', 'TK: 0123456. So du: 350,000 VND. ND: So tien: +20,000 VND'],
    ['two directions', 'TK 0123. Loai giao dich: ghi co, ghi no. So tien: 5,000 VND. So du: 9,000 VND'],
    ['what will be', 'Tai khoan 0123456 se bi tru 500,000 VND. So du 1,000,000 VND'],
    ['what did not happen', 'TK 0123456 -500,000 VND khong thanh cong. SD 1,000,000 VND'],
    ['a limit that was raised', 'Han muc TK 0123456 tang +50,000,000 VND. So du 5,000 VND'],
    ['a gift, which is spelt like a rise', 'Tài khoản 0123456 được tặng 50.000đ. Số dư: 50.000đ'],
    ['a total', 'Tong phat sinh co ngay 20/11/2026 TK 0123456: +1,150,000 VND. SD: 2,000,000 VND'],
    ['an estimate', 'TK 0123456 uoc tinh +150,000 VND. SD: 2,000,000 VND'],
    ['what is planned', 'TK 0123456: Lenh dat lich +150,000 VND. SD: 2,000,000 VND'],
    ['what may come', 'TK 0123456 co the nhan +150,000 VND. SD: 2,000,000 VND'],
    ['what is held', 'Your account 0123456: hold VND -150,000. Balance VND 1,000,000'],
    ['what was reversed', 'Your account 0123456: reversed debit VND 150,000. Balance VND 1,000,000'],
    ['what came back', 'TK 0123456 giao dich -150,000 VND da duoc hoan. SD 1,000,000 VND'],
    ['a rate', 'TK 0123456: Thu ho tu dong -150,000 VND/thang. SD: 2,000,000 VND'],
    ['a comparison', 'Chi tieu TK 0123456 giam 150,000 VND so voi thang truoc. SD: 2,000,000 VND'],
    ['an example in a warning', 'Canh bao lua dao: tin nhan gia "TK 0123456 +150,000 VND. SD: 2,000,000 VND"'],
    ['a gift of a campaign', 'Chuong trinh tri an: tang 150,000 VND. TK 0123456 SD: 2,000,000 VND'],
    ['half an amount', 'TK 0123456 +500,0'],
    ['half an amount with blanks between its thousands', 'TK 0123456 VND +150 0'],
    ['half an amount, the text cut', 'TK 0123456. SD 1,000,000 VND. GD +500...'],
    ['a bank’s name that the sender is not', 'LPBank: TK 0123456 +500,000 VND. SD 1,000,000 VND'],
  ]
  for (const [why, text] of left)
    it(`is not read: ${why}`, () => expect(read({ text, sender: 'VietABank' }, arrival).reading).to.equal(null))

  it('has no balance if the balance may be cut', () =>
    expect(summary({ text: 'TK 0123456 +500,000 VND. SD 1,000' })).to.equal('OTHER +500000.00 VND of 0123456 leaves -'))
})
