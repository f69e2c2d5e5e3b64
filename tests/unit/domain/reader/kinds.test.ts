/**
 * Kinds of texts that no bank of the table prints in exactly this way. Each test makes up layouts of one kind, and every text must be read
 * as it was printed. A second property puts hostile words into the memo: they must never change what is read.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  account,
  date,
  direction,
  ends,
  grouped,
  hostile,
  labels,
  memo,
  moneyOf,
  oneOf,
  resultOf,
  RUNS,
  sum,
} from './made-up.ts'

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

  it('with the balance after a memo with commas is read as printed', () => {
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
      fc.property(made, words, fc.boolean(), (of, memo, hasBalance) => {
        const amount = `${signOf(of)}${grouped(of.amount, ',')}VND`
        const balance = hasBalance ? `. SD: ${grouped(of.balance, ',')}VND` : ''
        const text = `${of.label.account} ${of.account}: ${amount}${balance}. ${of.label.memo} ${memo}`
        const { reading, reason } = resultOf({ text })
        // Without a balance, a debit may still have to be confirmed with the password.
        const isCertain = hasBalance || (of.direction === 'credit' && !/\d{6}/.test(memo))
        if (isCertain)
          expect(reading ? [reading.amount, reading.content] : reason, text).to.deep.equal([`${of.amount}.00`, memo])
        else if (/otp|ma xac/i.test(memo)) expect(reason, text).to.equal('otp')
      }),
      RUNS,
    )
  })

  it('is kept if only its memo says that something failed, as the bank may say so after the memo', () => {
    for (const memo of ['DH1042 lan truoc that bai', 'DH1042. Giao dich khong thanh cong', 'hoan tien GD bi tu choi'])
      expect(resultOf({ text: `TK 0123456789 +500,000VND luc 10:00. ND: ${memo}` }).reason, memo).to.equal('unparsed')
    expect(resultOf({ text: 'GD that bai. TK 0123456789 +500,000VND. ND: DH1042 that bai' }).reason).to.equal('failed')
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
