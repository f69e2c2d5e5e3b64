import { expect } from 'chai'
import fc from 'fast-check'
import { QRPay } from 'vietnam-qr-pay'
import { banks } from '../../../../domain/banks/index.ts'
import { binOf } from '../../../../domain/vietqr/bins.ts'
import { crcOf, plainContent, vietQr } from '../../../../domain/vietqr/payload.ts'

const acb = { bank_code: 'ACB', account_number: '257678859' }

describe('a VietQR payload', () => {
  it('equals a known payload of an account without an amount', () => {
    expect(vietQr(acb)).to.equal(
      '00020101021138530010A0000007270123000697041601092576788590208QRIBFTTA53037045802VN6304AE9F',
    )
  })

  it('equals a known payload with amount and memo', () => {
    expect(vietQr({ ...acb, amount: 10_000, content: 'Chuyen tien' })).to.equal(
      '00020101021238530010A0000007270123000697041601092576788590208QRIBFTTA53037045405100005802VN62150811Chuyen tien630453E6',
    )
  })

  it('removes diacritics and signs from the memo, as banks do, and keeps its case', () => {
    expect(vietQr({ ...acb, amount: 10_000, content: 'Chuyển  tiền!' })).to.equal(
      vietQr({ ...acb, amount: 10_000, content: 'Chuyen tien' }),
    )
    expect(plainContent('Đơn hàng Ô-TÔ #DH1042')).to.equal('Don hang O TO DH1042')
  })

  it('has a memo of at most 25 characters, or none if nothing of it remains', () => {
    expect(plainContent('a'.repeat(24) + ' and more')).to.equal('a'.repeat(24))
    expect(vietQr({ ...acb, content: '…!' })).to.equal(vietQr(acb))
  })

  it('ends with the CRC of the preceding text, with four digits including leading zeros', () => {
    expect(crcOf('123456789')).to.equal('29B1')
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999_999 }), (amount) => {
        const payload = vietQr({ ...acb, amount })
        expect(payload.slice(-8, -4)).to.equal('6304')
        expect(payload.slice(-4)).to.equal(crcOf(payload.slice(0, -4)))
      }),
      { numRuns: 500 },
    )
  })

  it('equals the payload of another implementation, which can also read it, for every bank, amount and memo', () => {
    const known = banks.map(({ code }) => code).filter((code) => binOf(code) !== null)
    const transfer = fc.record({
      bank_code: fc.constantFrom(...known),
      account_number: fc.stringMatching(/^[0-9]{4,19}$/),
      amount: fc.integer({ min: 1, max: 999_999_999_999 }),
      content: fc.stringMatching(/^[A-Z]{2}[0-9]{4}( [a-z]{1,8})?$/),
    })
    fc.assert(
      fc.property(transfer, (given) => {
        const { bank_code, account_number, amount, content } = given
        const theirs = QRPay.initVietQR({
          bankBin: binOf(bank_code)!,
          bankNumber: account_number,
          amount: String(amount),
          purpose: content,
        })
        expect(vietQr(given)).to.equal(theirs.build())
        const read = new QRPay(vietQr(given))
        expect([read.isValid, read.consumer.bankBin, read.consumer.bankNumber]).to.deep.equal([
          true,
          binOf(bank_code),
          account_number,
        ])
      }),
      { numRuns: 300 },
    )
  })

  for (const [name, transfer] of Object.entries({
    'a bank without a BIN': { ...acb, bank_code: 'ZALOPAY' },
    'a bank nobody knows': { ...acb, bank_code: 'NOBANK' },
    'an account number with blanks': { ...acb, account_number: '257 678' },
    'an account number too long': { ...acb, account_number: '1'.repeat(20) },
    'no amount at all': { ...acb, amount: 0 },
    'an amount with decimals': { ...acb, amount: 0.5 },
  }))
    it(`is refused for ${name}`, () => expect(() => vietQr(transfer)).to.throw(RangeError))
})
