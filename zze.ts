import { bankTexts } from './tests/attack/bank-texts-by-memo.ts'
import { read } from './domain/reader/reader.ts'
import { plainOf } from './domain/reader/mail-page.ts'
import { findOrderId, orderIdOf } from './domain/reader/order-id.ts'
import { normalise, squeeze } from './domain/text.ts'
let seed = Number(process.argv[2] ?? 1)
const rnd = () => { seed = (seed + 0x6d2b79f5) | 0; let m = Math.imul(seed ^ (seed >>> 15), 1 | seed); m = (m + Math.imul(m ^ (m >>> 7), 61 | m)) ^ m; return ((m ^ (m >>> 14)) >>> 0) / 4294967296 }
const pick = <T>(a: readonly T[]): T => a[Math.floor(rnd() * a.length)]!
const AT = new Date('2026-11-20T10:00:07+07:00')
const W = ['tien dien thang 11','coc 50%','thanh toan don hang','mua 2 ao size L','hoa don so 15','phi ship 30k','tra no','lai suat','giam gia 20%','hoan tien','chuyen nham','gui me','hoc phi lop 10A1','so luong: 2','TK 0912345678','ngay 20/11','luc 10h30','LH 0909123456','100k','1.500.000d','Chị Hoa - Hà Nội','nha so 12/5','tang em','rut tien','nop tien phong','P.1204','block B2','bill','voucher SALE50','Ref','noi dung','mua the cao','iPhone 15 Pro','QR','MoMo','ZaloPay','cho vay','han muc','dat lich','yeu cau','phi','thue VAT 10%','so du','so du vi','tai khoan','gd','ps','tu','den','Tu: NGUYEN VAN A','den: B','thang 11/2026','20.11.2026','20-11-2026 10:00:05','02:03','#1','@shop','*','(goi lai)','[abc]','{x}','"abc"','a/b','\\n','--','==','>>','<3',':)','^^','❤️','🎁','cam on','Cảm ơn shop nhiều','Kinh gui','tran trong','hotline 1900','LIEN HE','neu ban','moi thac mac','vui long','luu y','note: giao gap','status ok','trang thai','ma gd 123456','ma giao dich: 999999','so gd: 12345678','trace 123456','FT','FT12345','OTP','sao ke','chuyen tien','CK','TT don','ck don hang','thanhtoan','GD1234','mau do','size 42','25kg','3 hop','1 thung','5%','2026','SIM','eSIM 5G','the 100','nap 50','data 4G','goi 120']
const SEP = [' ', ' ', ' ', ', ', '. ', ' - ', '_', '; ', ' | ', ': ', '/']
const N = Number(process.argv[3] ?? 400)
const out = new Map<string, [number, string]>()
for (const { name, of } of bankTexts) {
  const collected = (m: string) => { const i = of(m); return i.from === undefined ? i : { ...i, text: plainOf(i.text) } }
  const plain = read(collected('NGUYEN VAN A DH1042'), AT).reading!
  for (let i = 0; i < N; i++) {
    const words = Array.from({ length: 1 + Math.floor(rnd() * 4) }, () => pick(W)); words.splice(Math.floor(rnd() * (words.length + 1)), 0, 'DH1042')
    const memo = words.reduce((a, b) => a + pick(SEP) + b)
    const inc = collected(memo); const r = read(inc, AT)
    let kind = ''
    if (!r.reading) kind = 'unread ' + r.reason
    else {
      for (const f of ['transaction_type','amount','currency','account_number','balance_after'] as const) if (r.reading[f] !== plain[f]) kind += ` ${f}=${r.reading[f]}`
      if (r.reading.printed_time?.at !== plain.printed_time?.at) kind += ' time'
      const want = findOrderId(squeeze(normalise(memo)), ['DH'])?.order_id, got = orderIdOf(r.reading.content, inc.text, ['DH'])?.order_id
      if (want !== got) kind += ` order ${got} not ${want}`
      if (want !== 'DH1042') kind += ` FIND ${want}`
    }
    if (kind) { const k = name.slice(0, 60).replace(/\n/g, '|') + ' => ' + kind; const o = out.get(k); out.set(k, [(o?.[0] ?? 0) + 1, !o || o[1].length > memo.length ? memo : o[1]]) }
  }
}
for (const [k, [n, m]] of [...out].sort()) console.log(n, k, JSON.stringify(m))
