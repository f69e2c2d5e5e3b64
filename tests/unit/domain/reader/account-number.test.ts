import { expect } from 'chai'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming, Reading } from '../../../../domain/reader/reading.ts'

const arrival = new Date('2026-11-20T03:00:00Z')
const reading = (incoming: Incoming): Reading => {
  const result = read(incoming, arrival)
  if (!result.reading) throw new Error(`${result.reason}: ${JSON.stringify(incoming)}`)
  return result.reading
}

describe('an account number', () => {
  const forms = {
    'in a layout': (number: string) => ({
      package: 'com.vib.myvib2',
      text: `Tài khoản ${number}, phát sinh +150,000 đ vào lúc 10:00 20/11/2026. Số dư: 5,000,000đ. Nội dung: DH1`,
    }),
    'behind a label': (number: string) => ({
      package: 'ops.namabank.com.vn',
      text: `Tài khoản ${number}: +150,000 VND lúc 10:00 20/11/2026. Số dư: 5,000,000 VND. ND: DH1`,
    }),
    'in a line of its own': (number: string) => ({
      package: 'ops.namabank.com.vn',
      text: `Số TK: ${number}\nSố tiền: +150,000 VND\nSố dư: 5,000,000 VND\nND: DH1`,
    }),
  }
  for (const [where, form] of Object.entries(forms))
    it(`is read with its mask and in its groups ${where}`, () => {
      for (const number of [
        '036704062227213',
        '••••7213',
        '•••• 7213',
        '****7213',
        '**** 7213',
        '####7213',
        '0367•••7213',
        '0367****',
        '0367••••',
        '1903 3255 5511 11',
        'xxxx xxxx 7213',
      ]) {
        const { account_number, amount, balance_after } = reading(form(number))
        expect({ account_number, amount, balance_after }, number).to.deep.equal({
          account_number: number,
          amount: '150000.00',
          balance_after: '5000000.00',
        })
      }
    })

  it('is not that of another party, if the bank prints both', () => {
    const accountIn = (text: string) => reading({ sender: 'MBV', text }).account_number
    const sums = 'PS: +150,000VND. SD: 6,150,000VND'
    for (const party of [
      'Nguoi gui: TK 9999999999',
      'Tu: NGUYEN VAN A TK: 9999999999',
      'Nguoi chuyen: A STK 9999999999',
    ])
      for (const text of [
        `MBV: ${party}. TK 0011222 ${sums}`,
        `MBV: ${party} ${sums}. TK 0011222`,
        `MBV: TK 0011222 ${sums}. ${party}`,
      ])
        expect(accountIn(text), text).to.equal('0011222')
    expect(accountIn(`MBV: Nguoi chuyen: TK 0011222 PS: -150,000VND. SD: 6,150,000VND`)).to.equal('0011222')
    expect(read({ sender: 'MBV', text: `MBV: Nguoi gui: TK 9999999999 ${sums}. TK 0011...` }, arrival).reason).to.equal(
      'unparsed',
    )
    expect(accountIn(`MBV: TK 0011222 ${sums}. Nguoi gui: TK 9999...`)).to.equal('0011222')
    expect(accountIn(`MBV\nNguoi gui:\nTK: 0011222\n${sums}\nSTK: 9999999999`)).to.equal('0011222')
  })

  it('may have letters, but not the word that touches it', () => {
    const accountIn = (account: string) =>
      reading({ sender: 'LPB', text: `TK ${account} +150,000VND. SD 5,000,000VND. ND: DH1` }).account_number
    for (const account of ['96247CISI1', '962476L6KN8', '96247LAI712004']) expect(accountIn(account)).to.equal(account)
    for (const touching of ['VND', 'luc 10:00 20/11/2026', 'luc10:00 20/11/2026'])
      expect(accountIn(`0071001004421${touching}`), touching).to.equal('0071001004421')
  })

  it('does not contain the digits of a sum after it', () => {
    for (const [sum, balance] of [
      ['500 000 VND', '5 000 000 VND'],
      ['1 500 000 VND', '5 000 000 VND'],
      ['500,000VND', '5,000,000 VND'],
    ])
      expect(reading({ sender: 'LPB', text: `TK 0123 4567 tang ${sum}. SD ${balance}` }).account_number, sum).to.equal(
        '0123 4567',
      )
    expect(reading({ sender: 'LPB', text: 'TK 0071 tang 1,000 VND. SD 5,000 VND' }).account_number).to.equal('0071')
  })
})
