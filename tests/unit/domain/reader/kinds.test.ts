/**
 * Kinds of texts that no bank of the table prints in exactly this way. Each test makes up layouts of one kind, and every text must be read
 * as it was printed. A second property puts hostile words into the memo: they must never change what is read.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming, Reading } from '../../../../domain/reader/reading.ts'
import { repetitions } from '../../../harness/repetitions.ts'

const AT = new Date('2026-11-20T03:00:00Z')
const RUNS = { numRuns: repetitions(20_000, 300) }

const resultOf = (incoming: Incoming) => read(incoming, AT)
const moneyOf = ({ transaction_type, amount, currency, account_number, balance_after, content }: Reading) => ({
  transaction_type, amount, currency, account_number, balance_after, content,
}) // prettier-ignore

const grouped = (value: number, mark: string): string => String(value).replace(/\B(?=(\d{3})+$)/g, mark)
const oneOf = <Item>(...items: readonly Item[]) => fc.constantFrom(...items)

const sum = fc.integer({ min: 1_000, max: 2_000_000_000 })
const account = oneOf('0123456789', '19031234567890', 'xxxx6789', '0123***789', '9704-xxxx-1234')
const date = oneOf('20/11/2026 09:46', '20-11-2026 09:46:12', '09:46 20/11/2026')
const direction = oneOf('credit' as const, 'debit' as const)
const memo = oneOf(
  'DH1042',
  'NGUYEN VAN AN chuyen tien DH1042',
  'mua 2 ao, 1 quan, size L, DH1042',
  'tien hang thang 11',
)
const labels = fc.record({
  account: oneOf('TK', 'TK:', 'Tai khoan', 'Tài khoản:', 'Account', 'A/C', 'Acct:'),
  balance: oneOf('SD', 'SD:', 'So du:', 'Số dư', 'Balance:', 'Avail bal:', 'So du kha dung:'),
  memo: oneOf('ND:', 'Noi dung:', 'Nội dung', 'Content:', 'Details:', 'Desc:', 'Remark:'),
})
const ends = oneOf('. ', '\n', ' | ', '; ')

interface Made {
  direction: 'credit' | 'debit'
  amount: number
  balance: number
  account: string
  date: string
  memo: string
  end: string
  label: { account: string; balance: string; memo: string }
}
const made: fc.Arbitrary<Made> = fc.record({
  direction, amount: sum, balance: sum, account, date, memo, end: ends, label: labels,
}) // prettier-ignore

const expected = ({ direction: transaction_type, amount, balance, account: account_number, memo: content }: Made) => ({
  transaction_type,
  amount: `${amount}.00`,
  currency: 'VND',
  account_number,
  balance_after: `${balance}.00`,
  content,
})

const signOf = ({ direction: of }: Made): string => (of === 'credit' ? '+' : '-')

/** A kind of texts: how a bank prints the amount and the balance. */
interface Kind {
  amount: (of: Made) => string
  balance: (of: Made) => string
}

const KINDS: Readonly<Record<string, Kind>> = {
  'the currency before the number, the sign before both': {
    amount: (of) => `${signOf(of)}VND${grouped(of.amount, ',')}`,
    balance: (of) => `VND${grouped(of.balance, ',')}`,
  },
  'the same with a blank and dots': {
    amount: (of) => `${signOf(of)} VND ${grouped(of.amount, '.')}`,
    balance: (of) => `VND ${grouped(of.balance, '.')}`,
  },
  'blanks between thousands': {
    amount: (of) => `${signOf(of)}${grouped(of.amount, ' ')} VND`,
    balance: (of) => `${grouped(of.balance, ' ')} VND`,
  },
  'blanks between thousands, glued currency': {
    amount: (of) => `${signOf(of)}${grouped(of.amount, ' ')}VND`,
    balance: (of) => `${grouped(of.balance, ' ')}VND`,
  },
  'blanks between thousands, with đ': {
    amount: (of) => `${signOf(of)}${grouped(of.amount, ' ')}đ`,
    balance: (of) => `${grouped(of.balance, ' ')}đ`,
  },
  'an English word before the sum': {
    amount: (of) => `${of.direction.toUpperCase()} VND ${grouped(of.amount, ',')}`,
    balance: (of) => `VND ${grouped(of.balance, ',')}`,
  },
  'an English word after the sum': {
    amount: (of) => `VND ${grouped(of.amount, ',')} ${of.direction.toUpperCase()}`,
    balance: (of) => `VND ${grouped(of.balance, ',')}`,
  },
  'an English sentence': {
    amount: (of) => `has been ${of.direction}ed with VND ${grouped(of.amount, ',')}`,
    balance: (of) => `${grouped(of.balance, ',')} VND`,
  },
  'an English word and a sign': {
    amount: (of) => `${of.direction.toUpperCase()}: ${signOf(of)}${grouped(of.amount, ',')} VND`,
    balance: (of) => `${grouped(of.balance, ',')} VND`,
  },
}

const textOf = ({ amount, balance }: Kind, of: Made): string =>
  [
    `${of.label.account} ${of.account} ${amount(of)} ${of.date}`,
    `${of.label.balance} ${balance(of)}`,
    `${of.label.memo} ${of.memo}`,
  ].join(of.end)

const HOSTILE = [
  '+VND9,999,999', '-9 999 999 VND', 'SD: 9 999 999 VND', 'So du 9,999,999 VND.', 'CREDIT VND 9,999,999', 'VND 9,999,999 credited',
  'TK 9999999999 +9 999 999 VND. SD 9 999 999 VND. ND: DH9999', 'Balance: VND9,999,999', '123 456 VND', '9 999 999', 'tang 9 999 999d',
  'Txn: CREDIT 9,999,999 VND', '1,000 2,000', 'otp', 'ma OTP 123456', 'sao ke den han', 'LH 19001234',
] // prettier-ignore
const hostile = fc
  .array(oneOf(...HOSTILE, 'DH1042', 'A', ',', '.', '\n', '|'), { minLength: 1, maxLength: 5 })
  .map((words) => `x ${words.join(' ')}`)

describe('a made-up layout', () => {
  for (const [name, kind] of Object.entries(KINDS)) {
    it(`with ${name} is read as printed`, () => {
      fc.assert(
        fc.property(made, (of) => {
          const text = textOf(kind, of)
          const { reading, reason } = resultOf({ text })
          expect(reading ? moneyOf(reading) : reason, text).to.deep.equal(expected(of))
        }),
        RUNS,
      )
    })
    it(`with ${name} is read as printed or not at all, whatever the payer writes`, () => {
      fc.assert(
        fc.property(made, hostile, (of, words) => {
          const text = textOf(kind, { ...of, memo: words })
          const { reading } = resultOf({ text })
          if (!reading) return
          const { content: _, ...money } = moneyOf(reading)
          const { content: __, ...printed } = expected(of)
          expect(money, text).to.deep.equal(printed)
        }),
        RUNS,
      )
    })
  }

  it('with the balance behind a memo with commas is read as printed', () => {
    fc.assert(
      fc.property(
        made,
        oneOf(', ', '. ', ' '),
        oneOf('', '.', '. LH 19001234', '. Hotline 1900 1234'),
        (of, end, last) => {
          const { label, date: at } = of
          const text = `${label.account} ${of.account} ${signOf(of)}${grouped(of.amount, ',')}VND ${at}. ${label.memo} ${of.memo}${end}SD: ${grouped(of.balance, ',')}VND${last}`
          const { reading, reason } = resultOf({ text })
          const { content, ...money } = expected(of)
          expect(reading ? { ...moneyOf(reading), content: null } : reason, text).to.deep.equal({
            ...money,
            content: null,
          })
          expect(reading?.content?.replace(/[.,]$/, ''), text).to.equal(content)
        },
      ),
      RUNS,
    )
  })

  it('is read if its memo has words such as otp', () => {
    const words = oneOf(
      'otp',
      'gui ma OTP 123456 cho em',
      'ma xac nhan DH1042',
      'tra no theo sao ke',
      'nhac no den han',
      'uu dai',
    )
    fc.assert(
      fc.property(made, words, fc.boolean(), (of, told, hasBalance) => {
        const amount = `${signOf(of)}${grouped(of.amount, ',')}VND`
        const balance = hasBalance ? `. SD: ${grouped(of.balance, ',')}VND` : ''
        const text = `${of.label.account} ${of.account}: ${amount}${balance}. ${of.label.memo} ${told}`
        const { reading, reason } = resultOf({ text })
        // Without a balance, a debit may still have to be confirmed with the password.
        const isCertain = hasBalance || (of.direction === 'credit' && !/\d{6}/.test(told))
        if (isCertain)
          expect(reading ? [reading.amount, reading.content] : reason, text).to.deep.equal([`${of.amount}.00`, told])
        else if (/otp|ma xac/i.test(told)) expect(reason, text).to.equal('otp')
      }),
      RUNS,
    )
  })

  it('of a one-time password is never read, wherever its memo stands', () => {
    for (const text of [
      'Giao dich -500,000 VND tu TK 0123456789. Noi dung: thanh toan. Ma OTP la 123456',
      'TK 0123456789 -500,000VND. ND: thanh toan DH1042. OTP: 123456',
      'Ma OTP 123456. TK 0123456789 +500,000VND. ND: DH1042',
    ])
      expect(resultOf({ text }).reason, text).to.equal('otp')
  })

  it('without separators that are certain is not read', () => {
    for (const text of [
      'TK 0123456789 luc 10:30 100 000 VND tang. SD 5 000 000 VND',
      'TK xxx789 100 000 VND tang. SD 5 000 000 VND',
      'TK 0123456789 VND +50 000 123 nguyen trai',
      'TK 0123456789 +50 000 123 nguyen trai. SD: 5 000 000 VND',
      'TK 0123456789 +50 000 VND. SD: 5,000,000 VND',
    ])
      expect(resultOf({ text }).reading, text).to.equal(null)
  })
})

// --- mails ----------------------------------------------------------------------------------------------------------

type Row = readonly [string, string, string]
/** How the rows of a table arrive: label, label in another language and value. */
const FORMS: Readonly<Record<string, (row: Row) => string>> = {
  'each on its own line': ([one, other, value]) => `${one}\n${other}\n${value}`,
  'both languages on one line': ([one, other, value]) => `${one} / ${other}\n${value}`,
  'the second in brackets': ([one, other, value]) => `${one} (${other}): ${value}`,
  'in one language': ([one, , value]) => `${one}\n${value}`,
  'in the other language': ([, other, value]) => `${other}: ${value}`,
  'in cells': ([one, other, value]) => `${one} / ${other} | ${value}`,
}

const shuffled = (rows: readonly Row[]) => fc.shuffledSubarray([...rows], { minLength: rows.length })
const domain = oneOf('msb.com.vn', 'techcombank.com.vn', 'bidv.com.vn', 'vib.com.vn', 'tpb.com.vn')
const valueFirst = ([one, other, value]: Row): string => `${value}\n${one}\n${other}`

const mailOf = (head: string, rows: readonly Row[], form: (row: Row) => string) =>
  [head, ...rows.map(form), 'Trân trọng cảm ơn Quý khách', 'Số tiền 9,999,999 VND'].join('\n')

describe('a made-up mail', () => {
  const card = (amount: number, number: string, merchant: string): Row[] => [
    ['Số thẻ', 'Card number', number],
    ['Số tiền giao dịch', 'Transaction amount', `${grouped(amount, ',')} VND`],
    ['Thời gian giao dịch', 'Transaction time', '09:46 20/11/2026'],
    ['Địa điểm giao dịch', 'Merchant', merchant],
    ['Hạn mức còn lại', 'Available limit', '35,000,000 VND'],
  ]
  const receipt = (amount: number, own: string, content: string): Row[] => [
    ['Mã giao dịch', 'Transaction ID', 'FT26324123456789'],
    ['Ngày giao dịch', 'Transaction date', '20/11/2026 09:46:12'],
    ['Tài khoản nguồn', 'Debit account', own],
    ['Tài khoản thụ hưởng', 'Beneficiary account', '0011000415567'],
    ['Tên người thụ hưởng', 'Beneficiary name', 'TRAN THI B'],
    ['Ngân hàng thụ hưởng', 'Beneficiary bank', 'Vietcombank'],
    ['Số tiền', 'Amount', `${grouped(amount, ',')} VND`],
    ['Phí', 'Fee', '1,100 VND'],
    ['Nội dung', 'Description', content],
    ['Trạng thái', 'Status', 'Thành công'],
  ]
  const CARD_HEAD =
    'Kính gửi Quý khách,\nThẻ tín dụng của Quý khách vừa phát sinh giao dịch\nYour credit card has a new transaction'
  const RECEIPT_HEAD =
    'BIÊN LAI CHUYỂN TIỀN\nFund transfer receipt\nQuý khách đã thực hiện thành công giao dịch chuyển khoản'
  const cards = fc
    .tuple(sum, oneOf('4283 10xx xxxx 1234', '428310******1234', '4283-10xx-xxxx-1234'), oneOf('SHOPEE VN', 'GRAB'))
    .chain(([amount, number, merchant]) =>
      shuffled(card(amount, number, merchant)).map((rows) => ({ amount, own: number, content: merchant, rows })),
    )
  const receipts = fc
    .tuple(sum, oneOf('19031234567890', '0123456789'), oneOf('DH1042 mua hang, so tien 5,000 VND', 'tien hang'))
    .chain(([amount, own, content]) =>
      shuffled(receipt(amount, own, content)).map((rows) => ({ amount, own, content, rows })),
    )

  for (const [kind, head, mails] of [
    ['of a credit card', CARD_HEAD, cards],
    ['that is the receipt of the payer', RECEIPT_HEAD, receipts],
  ] as const) {
    for (const [name, form] of Object.entries(FORMS))
      it(`${kind}, with labels and values ${name}, is read as a debit`, () => {
        fc.assert(
          fc.property(mails, domain, ({ amount, own, content, rows }, of) => {
            const text = mailOf(head, rows, form)
            const { reading, reason } = resultOf({ text, from: `Bank <no-reply@${of}>` })
            expect(reading ? moneyOf(reading) : reason, text).to.deep.equal({
              transaction_type: 'debit',
              amount: `${amount}.00`,
              currency: 'VND',
              account_number: own,
              balance_after: null,
              content,
            })
            expect(reading!.printed_time?.at.slice(0, 16)).to.equal('2026-11-20T02:46')
          }),
          RUNS,
        )
      })

    it(`${kind}, with values above their labels, is not read wrongly`, () => {
      fc.assert(
        fc.property(mails, domain, ({ amount, rows }, of) => {
          const { reading } = resultOf({ text: mailOf(head, rows, valueFirst), from: `no-reply@${of}` })
          if (reading) expect(reading.amount).to.equal(`${amount}.00`)
        }),
        RUNS,
      )
    })

    it(`${kind}, of a payment that failed, waits or came back, is not read`, () => {
      for (const row of [
        ['Trạng thái', 'Status', 'Không thành công'],
        ['Trạng thái', 'Status', 'Pending'],
        ['Loại giao dịch', 'Transaction type', 'Hoàn tiền / Refund'],
      ] as const) {
        const rows = [...(kind === 'of a credit card' ? card : receipt)(50_000, '0123456789', 'x'), row]
        const without = rows.filter(([label], index) => label !== row[0] || index === rows.length - 1)
        const { reading } = resultOf({
          text: mailOf(head, without, FORMS['each on its own line']!),
          from: 'a@msb.com.vn',
        })
        expect(reading, row[2]).to.equal(null)
      }
    })
  }
})
