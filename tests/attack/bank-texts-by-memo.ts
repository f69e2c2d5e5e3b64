/**
 * Texts of every bank, as functions of the memo. All report 150,000 at 10:00 on 20 November 2026. The layouts are those of real
 * notifications. Some banks print no balance or no time.
 */
import type { Incoming } from '../../domain/reader/reading.ts'

export interface BankText {
  name: string
  of: (memo: string) => Incoming
}

export const bankTexts: BankText[] = []

const add = (name: string, of: BankText['of']) => bankTexts.push({ name: `${name}: ${of('…').text.slice(0, 50)}`, of })
const sms = (sender: string, text: (memo: string) => string) => add(sender, (memo) => ({ sender, text: text(memo) }))
const push = (app: string, title: string | undefined, text: (memo: string) => string) =>
  add(app, (memo) => ({ package: app, ...(title !== undefined && { title }), text: text(memo) }))
const mail = (from: string, subject: string, text: (memo: string) => string) =>
  add(from, (memo) => ({ from, subject, text: text(memo) }))
const escaped = (memo: string) => memo.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

sms('Vietcombank', (m) => `SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref ${m}`)
sms(
  'Vietcombank',
  (m) => `So du TK VCB 0011000415567 thay doi +150,000 VND luc 20-11-2026 10:00:05. So du 222,772,047 VND. Ref ${m}`,
)
push(
  'com.VCB',
  'Biến động số dư',
  (m) => `Số dư TK VCB 0011000415567 +150,000 VND lúc 20-11-2026 10:00:05. Số dư 222,772,047 VND. Ref ${m}`,
)
push(
  'com.VCB',
  'Biến động số dư',
  (m) => `Số dư TK VCB 0011000415567 +150,000 VND lúc 20-11-2026 10:00:05.Số dư 222,772,047 Ref ${m}`,
)
sms('MBBANK', (m) => `TK 4240xxxx4584|GD: +150,000VND 20/11/26 10:00|SD:222,772,047VND|ND: ${m}`)
push(
  'com.mbmobile',
  'MB Bank',
  (m) => `TK 03xxx682|GD: +150,000VND 20/11/26 10:00|SD:222,772,047VND|TU: VU MANH HAI - 0011004191177|ND: ${m}`,
)
push(
  'com.mbmobile',
  'MB Bank',
  (m) => `TK 03xxx682 GD: +150,000VND 20/11/26 10:00 SD: 222,772,047VND TU: VU MANH HAI - 0011004191177 ND: ${m}`,
)
push(
  'com.mbmobile',
  'MB Bank',
  (m) => `TK 03xxx682|GD: -150,000VND 20/11/26 10:00|SD:222,772,047VND|DEN: VU MANH HAI - 0011004191177|ND: ${m}`,
)
sms('Techcombank', (m) => `TK 19033255551111\nSo tien GD:+150,000\nSo du:222,772,047\n${m}`)
sms('Techcombank', (m) => `TK 19033255551111 So tien GD:+150,000 So du:222,772,047 ${m}`)
sms('Techcombank', (m) => `TK 19033255551111.So tien GD:+150,000.So du:222,772,047.${m}`)
sms('Techcombank', (m) => `TK 19033255551111\nSo tien GD:+USD 150.00\nSo du:USD 2,772.47\n${m}`)
push('vn.com.techcombank.bb.app', '+ VND 150,000', (m) => `Tài khoản: 19033255551111\nSố dư: VND 222,772,047\n${m}`)
push(
  'vn.com.techcombank.bb.app',
  undefined,
  (m) => `+ VND 150,000\nTai khoan Thanh toan: 19033255551111\nSo du: VND 222,772,047\n${m}`,
)
sms('ACB', (m) => `ACB: TK 245115000(VND) + 150,000 luc 10:00 20/11/2026. So du 222,772,047. GD: ${m}`)
push(
  'mobile.acb.com.vn',
  'ACB ONE Thong bao thay doi so du tai khoan',
  (m) => `ACB: TK 245115000(VND) + 150,000 luc 10:00 20/11/2026. So du 222,772,047. GD: ${m}`,
)
const acbMail = (m: string) =>
  `Kính gửi Quý khách hàng.\n\nACB trân trọng thông báo tài khoản 27550000 của Quý khách đã thay đổi số dư như sau:\nSố dư mới của tài khoản trên là: 222,772,047.00 VND tính đến 20/11/2026.\nGiao dịch mới nhất:Ghi có +150,000.00 VND.\nNội dung giao dịch: ${m} GD 6256IBT1AJQYKLVM 201126-10:00:05.\n\nCảm ơn Quý khách hàng đã sử dụng Sản phẩm/ Dịch vụ của ACB.\n\nDear Customer,\nThe new balance of your account 27550000 is 222,772,047.00 VND as of 20/11/2026.\nLatest transaction: Credit +150,000.00 VND.\nContent: ${m} GD 6256IBT1AJQYKLVM 201126-10:00:05.\n`
mail('mailalert@acb.com.vn', 'ACB-Dich vu bao so du tu dong', acbMail)
mail('mailalert@acb.com.vn', 'ACB-Dich vu bao so du tu dong', (m) => acbMail(m).replace(/\n/g, ' '))
mail(
  'mailalert@acb.com.vn',
  'ACB-Dich vu bao so du tu dong',
  (m) =>
    `<html><body><p>Kính gửi Quý khách hàng.</p><p>ACB trân trọng thông báo tài khoản <b>27550000</b> của Quý khách đã thay đổi số dư như sau:<br>Số dư mới của tài khoản trên là: <b>222,772,047.00 VND</b> tính đến <b>20/11/2026</b>.<br>Giao dịch mới nhất:Ghi có <b>+150,000.00 VND</b>.<br>Nội dung giao dịch: <b>${escaped(m)} GD 6256IBT1AJQYKLVM 201126-10:00:05</b>.</p><p>Cảm ơn Quý khách hàng</p></body></html>`,
)
sms('BIDV', (m) => `TK8832123000 tai BIDV +150,000VND vao 10:00 20/11/2026. So du:222,772,047VND. ND: ${m}`)
sms('BIDV', (m) => `TK 887xxx9685 tai BIDV +150,000VND vao 10:00 20/11/2026. ND: ${m}`)
push(
  'com.vnpay.bidv',
  'Thông báo BIDV',
  (m) =>
    `Thời gian giao dịch: 10:00 20/11/2026\nTài khoản thanh toán: 4311474999\nSố tiền GD: +150,000 VND\nSố dư cuối: 222,772,047 VND\nNội dung giao dịch: ${m}\nMã giao dịch: 083OCWK-88GSs28At`,
)
push(
  'com.vnpay.bidv',
  'Thông báo BIDV',
  (m) =>
    `Thời gian giao dịch: 10:00 20/11/2026\nTài khoản thanh toán: 4311474999\nSố tiền GD: +150,000 VND\nSố dư cuối: 222,772,047 VND\nNội dung giao dịch: ${m}`,
)
push(
  'com.vnpay.bidv',
  'Thông báo BIDV',
  (m) =>
    `10:00 20/11/2026 Tài khoản thanh toán 4311474999. Số tiền: +150,000VND. Số dư cuối: 222,772,047VND Nội dung giao dịch: ${m}`,
)
push(
  'com.vnpay.bidv',
  'BIDV',
  (m) => `Tài khoản thanh toán: 8832123000\nSố tiền GD: +150,000 VND\nNội dung giao dịch: ${m}`,
)
sms('VIB', (m) => `10:00;20/11/2026\nTK:036704062220000VND\nPS:+150,000\nND:${m}\nSODU:+222,772,047`)
sms('VIB', (m) => `10:00;20/11/2026 TK:036704062220000VND PS:+150,000 ND:${m} SODU:+222,772,047`)
push(
  'com.vib.myvib2',
  'MyVIB',
  (m) => `Tài khoản ....7213, phát sinh +150,000 đ vào lúc 10:00 20/11/2026. Số dư: 222,772,047đ. Nội dung: ${m}`,
)
sms(
  'TPBank',
  (m) =>
    `(TPBank): 20/11/26;10:00\nTK: xxxx3688261\nPS:+150.000VND\nSD: 222.772.047VND\nSD KHA DUNG: 222.772.047VND\nND: ${m}\nSO GD: 669V60026259AAFF`,
)
sms(
  'TPBank',
  (m) =>
    `(TPBank): 20/11/26;10:00 TK: xxxx3688261 PS:+150.000VND SD: 222.772.047VND SD KHA DUNG: 222.772.047VND ND: ${m} SO GD: 669V60026259AAFF`,
)
sms('TPBank', (m) => `(TPBank): 20/11/26;10:00\nTK: xxxx3688261\nPS:+150.000VND\nSD KHA DUNG: 222.772.047VND\nND: ${m}`)
sms('VPBank', (m) => `TK 53825000 tai VPB tang 150,000VND do ${m}. So du TK sau GD la 222,772,047VND`)
sms('VPBank', (m) => `TK 232385000 tai VPB +150,000VND luc 10:00 20/11/26. So du 222,772,047VND. ND: ${m}`)
push('com.vnpay.vpbankonline', 'VPBank NEO + 150,000 ₫', (m) => `Tài khoản: 77****94\nSố dư: 222,772,047 ₫\n${m}`)
sms(
  'Sacombank',
  (m) => `Sacombank 20/11/2026 10:00\nTK: 050109490000\nPS: +150,000 VND\nSo du kha dung: 222,772,047 VND\n${m}`,
)
sms(
  'Sacombank',
  (m) => `Sacombank 20/11/2026 10:00 gui 150,000 VND vao TK 020039750000 ${m} - So du kha dung: 222,772,047 VND`,
)
sms('VietinBank', (m) => `VietinBank:20/11/2026 10:00|TK:104870340000|GD:+150,000VND|SDC:222,772,047VND|ND:${m}`)
push(
  'com.vietinbank.ipay',
  'Biến động số dư',
  (m) =>
    `Thời gian: 20/11/2026 10:00\nTài khoản: 109876990000\nGiao dịch: +150,000 VND\nSố dư hiện tại: 222,772,047 VND\nNội dung: ${m}`,
)
push(
  'com.vietinbank.ipay',
  'Biến động số dư',
  (m) =>
    `Thời gian: 20/11/2026 10:00|Tài khoản: 109876990000|Giao dịch: +150,000 VND|Số dư hiện tại: 222,772,047 VND|Nội dung: ${m}`,
)
sms('Agribank', (m) => `Agribank: 10h00p 20/11 TK 2300205410000: +150,000VND ${m}. SD: 222,772,047VND.`)
sms('Agribank', (m) => `Agribank: 10h00p 20/11 TK 2300205410000: +150,000VND (${m}) . SD: 222,772,047VND.`)
push(
  'com.vnpay.Agribank3g',
  'Agribank',
  (m) =>
    `Agribank: 10:00 20/11/2026 Tài khoản 4603205190000: +150,000VND.\nNội dung giao dịch: ${m}.\nSố dư cuối: 222,772,047VND`,
)
sms('OCB', (m) => `OCB 20/11 10:00 TK 0100100012345678 (+) 150,000 VND N/dung: ${m} So du: 222,772,047 VND`)
push(
  'vn.com.ocb.awe',
  'Thông báo biến động số dư',
  (m) => `20/11 10:00\nTài khoản: 0100100012345678\nSố tiền: +150.000 VND\nSố dư: 222.772.047 VND\nNội dung: ${m}`,
)
sms('MSB', (m) => `20/11 10:00 TK 040xx4593 VND (+) 150.000 (GD:150.000,Thue/Phi: 0) ND: ${m} SD: 222.772.047`)
sms('MSB', (m) => `20/11 10:00 TK 040xx4593 VND (+) 150.000 ND: ${m} SD: 222.772.047`)
sms(
  'SeABank',
  (m) =>
    `SeABank: Ngay 20/11/2026. TK: 0011004123789. Phat sinh: +150,000 VND. So du: 222,772,047 VND. Nguoi chuyen: NGUYEN VAN B. Noi dung: ${m}`,
)
sms(
  'SeABank',
  (m) =>
    `SeABank: Date 20/11/2026 Account: 43000014360000 Change: +150,000 VND. Balance: 222,772,047 VND. Payee: PP07000724320-700197 Detail: ${m}`,
)
push(
  'vn.com.seabank.mb1',
  'Biến động số dư',
  (m) => `Giao dịch: +150,000VND\nTài khoản: 0011004xxx789\nThời gian: 20-11-2026 10:00:00\nMô tả: ${m}`,
)
sms('SHB', (m) => `SDTK 1000001234 den 10:00:05 ngay 20/11/2026 la 222,772,047 VND. GD moi nhat: +150,000 VND: ${m}`)
sms(
  'SHB',
  (m) =>
    `SHB: TK 1012xxxx5847. Ma GD 202610091234567. So tien: +150,000 VND luc 10:00 20/11/2026. SD: 222,772,047 VND. ND: ${m}`,
)
sms('HDBank', (m) => `TK 005704070010000 ngay 20/11/2026 10:00:05 NOP VAO: 150,000VND SO DU: 222,772,047VND ND: ${m}`)
sms('HDBank', (m) => `TK 005704070010000 ngay 20/11/2026 10:00:05 NOP VAO: 150000VND SO DU: 222772047VND ND: ${m}`)
sms(
  'HDBank',
  (m) =>
    `HDBank: 20/11/2026 10:00\nTK: 005704070010000\nSo tien GD: +150,000VND\nSo du cuoi: 222,772,047VND\nNoi dung GD: ${m}`,
)
sms('HDBank', (m) => `HDBank: TK xxxx5847 GD +150000VND luc 20/11/2026 10:00. SD 222772047VND. ND: ${m}`)
sms('EXIMBANK', (m) => `EIB QUAN 7 TK 140314949030000 20/11/26 10:00 ${m} +150,000VND SD 222,772,047VND`)
sms(
  'EXIMBANK',
  (m) =>
    `Eximbank: TK xxxx5847 Phát sinh: +150,000.00 VNĐ lúc 10:00:00 20/11/2026. Số dư cuối: 222,772,047.00 VNĐ. Nội dung giao dịch: ${m}`,
)
push(
  'com.vnpay.EximBankOmni',
  'Eximbank',
  (m) => `Tài khoản: 1000 1234 5678\nPhát sinh: +150,000 VND\nSố dư: 222,772,047 VND\nNội dung: ${m}`,
)
sms('SCB', (m) => `TK 41344480000 NGAY 20/11/26 10:00 SD DAU 222,622,047 NHAN 150,000 SD CUOI 222,772,047 VND (${m})`)
sms('SCB', (m) => `TK 41344480000 NGAY 20/11/26 10:00 SD DAU 222,622,047 TANG 150,000 SD CUOI 222,772,047 VND (${m})`)
sms(
  'NH QUOC DAN',
  (m) => `NCB : 20/11/2026 10:00 TK 100001160000. Phat sinh: +150,000VND. So du: +222,772,047VND. ND: ${m}`,
)
sms('VIETBANK', (m) => `TK VND 83637 +150,000 LUC 10:00 20/11/2026. SO DU: 222,772,047. ND: ${m}`)
sms(
  'GPBANK',
  (m) => `TK so 001...1452 co GD luc 10:00,20 11 2026.So tien: +150.000VND.Ly do: ${m}.So du: +222.772.047VND`,
)
sms('IVB', (m) => `TK 3319689-002 tai IVB tang(+) 150,000 VND luc 20/11/26 10:00. SDC: 222,772,047 VND. ND: ${m}`)
sms('VRB', (m) => `TK 100210000000000-CT TNHH ABC VINA +150,000 VND -ND: ${m}`)
sms(
  'ABBANK',
  (m) =>
    `TK 0741004010000 thay doi: +150,000 VND so GD: FT18164003000069-${m}. So du tinh den 10:00 20/11/2026 la: 222,772,047 VND`,
)
sms('SHINHANBANK', (m) => `TK **3896 thay doi + VND 150,000. So du kha dung: VND 222,772,047. . ${m}`)
sms('ShinhanBank', (m) => `Acc no. **8468 credit VND 150,000. Available balance: VND 222,772,047. . ${m}`)
sms(
  'PVCOMBANK',
  (m) => `TK: 102000160000(VND).+ 150,000. SD: 222,772,047. Luc: 10:00 20/11/2026. ND: ${m}. LH: 1900555592`,
)
sms('PVCOMBANK', (m) => `TK: 102000160000(VND).+ 150,000. SD: 222,772,047. Luc: 10:00 20/11/2026. ND: ${m}`)
sms(
  'DONGA BANK',
  (m) =>
    `20/11/26 10:00 DongA Bank thong bao: TK 0111090000 da thay doi: +150,000 VND. ${m}. So du hien tai la: 222,772,047 VND.`,
)
sms('PublicBank', (m) => `TK 100000012345 VND +150 000 luc 10:00 20/11/2026. So du VND 222 772 047. GD: ${m}`)
sms(
  'PublicBank',
  (m) => `TK100000012345 duoc ghi co +150 000 So du hien thoi: 222 772 047 (GD:060000084 20/11/2026 ${m})`,
)
push(
  'io.lifestyle.plus',
  'Timo',
  (m) => `Tài khoản Thanh toán vừa tăng 150.000 VND vào 20/11/2026 10:00. Số dư hiện tại: 222.772.047 VND. Mô tả: ${m}`,
)
mail(
  'support@timo.vn',
  'Thông báo',
  (m) =>
    `<p>Chào bạn,</p><p>Tài khoản Thanh toán vừa tăng 150.000 VND vào 20/11/2026 10:00. Số dư hiện tại: 222.772.047 VND. Mô tả: ${escaped(m)}.</p><p>Cảm ơn bạn đã dùng Timo.</p>`,
)
push(
  'xyz.be.cake',
  'Thông báo biến động số dư',
  (m) =>
    `Tài khoản thanh toán vừa tăng 150.000 đ. Nội dung: ${m}. Số dư hiện tại của tài khoản thanh toán là 222.772.047 đ`,
)
push('xyz.be.cake', 'Biến động số dư', (m) => `+150.000đ vào tài khoản. Nội dung: ${m}. Số dư: 222.772.047đ`)
mail(
  'no-reply@cake.vn',
  '[CAKE] Thông báo giao dịch thành công',
  (m) =>
    `<table><tr><td>Thông tin tài khoản</td></tr><tr><td>Tài khoản chuyển</td><td>0011223344</td></tr><tr><td>Tên người chuyển</td><td>NGUYEN VAN A</td></tr><tr><td>Tài khoản nhận</td><td>0099887766 - Tài khoản thanh toán</td></tr><tr><td>Thông tin giao dịch</td></tr><tr><td>Loại giao dịch</td><td>Nhận tiền</td></tr><tr><td>Mã giao dịch</td><td>500000002</td></tr><tr><td>Ngày giờ giao dịch</td><td>20/11/2026, 10:00:00</td></tr><tr><td>Số tiền</td><td>+150.000 đ</td></tr><tr><td>Phí giao dịch</td><td>0 đ</td></tr><tr><td>Nội dung giao dịch</td><td>${escaped(m)}</td></tr></table><p>Cảm ơn bạn</p>`,
)
for (const app of ['vn.com.lpb.lienviet24h', 'ops.namabank.com.vn', 'vn.com.msb.smartBanking', 'com.VCB']) {
  push(
    app,
    'Biến động số dư',
    (m) =>
      `TK: 0011223344556\nSố tiền: +150,000 VND\nSố dư: 222,772,047 VND\nThời gian: 10:00 20/11/2026\nNội dung: ${m}`,
  )
  push(
    app,
    'Biến động số dư',
    (m) => `TK 0011223344556 +150,000 VND lúc 10:00 20/11/2026. SD: 222,772,047 VND. ND: ${m}`,
  )
  push(app, 'Biến động số dư', (m) => `TK: 0011223344556|PS: +150,000VND|SD: 222,772,047VND|10:00 20/11/2026|ND: ${m}`)
}
sms('LPB', (m) => `LPB: TK 0011223344556; +150,000 VND; 10:00 20/11/2026; SD 222,772,047 VND; ND: ${m}`)
sms('LPB', (m) => `LPB: TK 0011223344556 PS: +150,000VND. ND: ${m}. SD: 222,772,047VND`)
sms('LPB', (m) => `TK 0011223344556\nPS: +150,000VND\nND: ${m}\nSD: 222,772,047VND`)
sms(
  'VietABank',
  (m) => `VietABank: 20/11/2026 10:00 TK 0011223344556 ghi co 150,000 VND. So du 222,772,047 VND. Noi dung: ${m}`,
)
