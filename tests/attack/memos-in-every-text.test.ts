/**
 * Attack: memos that imitate what banks print, in the texts of every bank. No memo may change the money, the account, the balance or the time,
 * keep a text from being read, or hide the order id that it names. `npm run fuzz` tries more memos.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { findOrderId, orderIdOf } from '../../domain/reader/order-id.ts'
import { plainOf } from '../../domain/reader/mail-page.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Incoming, Reading } from '../../domain/reader/reading.ts'
import { normalise, normaliseInPlace, squeeze } from '../../domain/text.ts'
import { repetitions } from '../harness/repetitions.ts'
import { bankTexts } from './bank-texts-by-memo.ts'

const AT = new Date('2026-11-20T10:00:07+07:00')

const WORDS = [
  '+9,999,999VND', '-9,999,999 VND', '9.999.999đ', 'VND 9,999,999', '(+) 9,999,999', '+9999999', '1 000 000', '100 USD', 'USD 100.00', 'tang 9,999,999VND',
  'ghi no 9,999,999 VND', 'credited 9,999,999', '500k', 'SD: 9,999,999VND', 'So du 9,999,999 VND', 'Số dư cuối: 9,999,999VND', 'SODU:+9,999,999',
  '|SD:9,999,999VND', '|So du: 9,999,999 VND', '|So tien: +9,999,999 VND', 'So du hien tai la: 9,999,999 VND.', 'TK 9999999999', '|TK: 9999999999', '|PS: +9,999,999VND',
  'ND: x', 'Nội dung: x', 'GD: +9,999,999VND', 'PS: +9,999,999', 'Số tiền GD: +9,999,999 VND', 'SO GD: 12345678', 'Mã giao dịch: 12345678', 'Ref x',
  'TU: NGUYEN VAN X - 12345678', 'LH: 0912345678', 'Trang thai: that bai', 'khong thanh cong', 'bi tu choi', 'Phi: 5,000 VND', 'Luc: 01:00 01/01/2020',
  'Loai giao dich: Ghi no', 'Nguoi chuyen: X', 'han muc', 'cam on ban', 'Cam on Quy khach', 'Tran trong', 'Dear', 'lien he', '01:00 01/01/2020', '19/11/2026',
  '2020-01-01 01:00:00', '2020-01-01', '191126-09:00:00', 'MBVCB.911539506.048292', 'FT20319188602556', 'Trace 448699', 'Ma GD ACSP/ az453273',
  'CT DEN:123456789012', '257053.210121.095238', 'IBBIZ.50870010070960280723.5', 'vua tang 9.999.999 VND vao 20/11/2026 10:00',
  'TK 4240xxxx4584|GD: +9,999,999VND 20/11/26 10:00|SD:9,999,999VND|ND: x', 'otp', 'sao ke', 'den han', 'test message', 'khuyen mai', 'QUA TANG', 'tặng',
  'huy', 'hoan tien', 'nop', 'rut', 'giam', 'tang', 'credit', 'vnd', 'd', 'đồng', 'dong tien', '2 ao', '0912345678', '9704229201234567', '12', '.', ',', ';', ':',
  '|', '(', ')', '-', '+', '/', '*x*', '"', '<br>', '</td></tr><tr><td>So du</td><td>9,999,999 VND', '&amp;', '\u200b', '\u202e', '\u00a0', '\u2028', '\u2029So du: 9,999,999 VND', '\u0085Trang thai: that bai', '\v2020-01-01 01:00:00', '\fSIM1', '１２３', '＋９，９９９ＶＮＤ',
  '🙂', 'e\u0301', 'İ', '\t', 'NGUYEN VAN A', 'chuyen tien', 'SIM 4G', 'SIM1',
] // prettier-ignore

/** Words and an order id among them. The id is last, so that no word touches its end, or first. */
const memos = fc
  .tuple(
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(' ', ' ', ', ', '. '),
    fc.boolean(),
  )
  .map(([words, mark, isFirst]) => (isFirst ? ['DH1042', ...words] : [...words, 'DH1042']).join(mark))

/**
 * Uncertain values of some texts (`docs/reader.md`, "Limits" and "Rules"):
 *
 * - the memo follows the balance's digits and one dot;
 * - the balance follows the memo in its line;
 * - bars separate the fields of a text that is read by labels, and the memo has a bar;
 * - the memo mentions an OTP and a number like one, in a text that prints no balance or has no label that is always the memo's;
 * - the words that end a mail are in the memo, and the mail is one line;
 * - the memo precedes the amount, and the text is so long that it may lack its end;
 * - a line of the memo looks like one that a forwarder app adds, in a text that ends in the memo's own line.
 */
const isUncertain = (text: string, memo: string): boolean =>
  (/So du:222,772,047\.$/.test(text.slice(0, text.indexOf(memo))) && /^[^a-z]|^đ|^d(?:ong)?\b|^usd|^vnd/i.test(memo)) ||
  /^LPB: TK 0011223344556 PS/.test(text) ||
  (/\|10:00 20\/11\/2026\|ND:/.test(text) && memo.includes('|')) ||
  (/^Giao dịch:|GD:/.test(text) && /otp/.test(memo)) ||
  (/^Kính gửi[^\n]{200}/.test(text) && /cam on quy khach|dear/i.test(memo)) ||
  // Its runs of blanks and the places of invisible characters count, because the bank counts them.
  /^EIB .{126}/s.test(normaliseInPlace(text)) ||
  /^(?:SIM ?\d(?:$|[_:(])|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/.test(memo) ||
  /^\.\.|\.\.\.|\.\.$/.test(squeeze(normalise(memo)))

const bankSays = (reading: Reading) => ({
  bank: reading.bank_code,
  direction: reading.transaction_type,
  amount: reading.amount,
  currency: reading.currency,
  account: reading.account_number,
  balance: reading.balance_after,
  time: reading.printed_time?.at ?? null,
})

/** As a mailbox collects it: the text of a mail's HTML. */
const collected = (incoming: Incoming): Incoming =>
  incoming.from === undefined ? incoming : { ...incoming, text: plainOf(incoming.text) }

describe('a memo that imitates a bank', () => {
  for (const { name, of } of bankTexts)
    it(`changes nothing in ${name.replaceAll('\n', ' ')}`, () => {
      const plain = read(collected(of('NGUYEN VAN A DH1042')), AT).reading
      expect(plain?.amount).to.match(/^150(?:000)?\.00$/)
      fc.assert(
        fc.property(memos, (memo) => {
          const incoming = collected(of(memo))
          if (isUncertain(incoming.text, memo)) return
          const { reading, reason } = read(incoming, AT)
          expect(reason, incoming.text).to.equal(null)
          expect(bankSays(reading!), incoming.text).to.deep.equal(bankSays(plain!))
          const wanted = findOrderId(squeeze(normalise(memo)), ['DH'])
          expect(orderIdOf(reading!.content, incoming.text, ['DH']), incoming.text).to.deep.equal(wanted)
        }),
        { seed: 20261120, numRuns: repetitions(5_000, 60) },
      )
    })
})

describe('a memo that is a whole text of the bank', () => {
  for (const { name, of } of bankTexts)
    it(`changes nothing in ${name.replaceAll('\n', ' ')}`, () => {
      const plain = read(collected(of('NGUYEN VAN A DH1042')), AT).reading
      const larger = of('DH2000')
        .text.replace(/150([.,])000/, '9$1999$1999')
        .replaceAll('\n', ' ')
      const memo = `DH1042 ${larger}`
      const incoming = collected(of(memo))
      if (isUncertain(incoming.text, memo)) return
      const { reading, reason } = read(incoming, AT)
      expect(reason, incoming.text).to.equal(null)
      expect(bankSays(reading!), incoming.text).to.deep.equal(bankSays(plain!))
      expect(orderIdOf(reading!.content, incoming.text, ['DH'])?.order_id, incoming.text).to.equal('DH1042')
    })
})
