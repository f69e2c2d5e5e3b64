import { expect } from 'chai'
import { banks } from '../../../../domain/banks/index.ts'
import { bankCode, bankCodes, bankName } from '../../../../web/app/bank-codes.ts'

describe('the name of a bank', () => {
  it('is the one of the reader, or a code that says the same', () => {
    const plain = (text: string) => text.toLowerCase().replace(/\W|bank$/g, '')
    for (const { code, name } of banks) expect(plain(bankName(code)), code).to.equal(plain(name))
    expect(bankName('VCB')).to.equal('Vietcombank')
    expect(bankName('NEWBANK'), 'a bank that is unknown here').to.equal('NEWBANK')
  })
})

describe('the code of a bank', () => {
  it('is found by the code and by the name of each bank that the reader knows', () => {
    for (const { code, name } of banks) {
      expect(bankCode(code.toLowerCase()), code).to.equal(code)
      expect(bankCode(name), name).to.equal(code)
      expect(bankCode(`${name.replace(/\s*bank$/i, '')} Bank`), name).to.equal(code)
    }
  })

  it('is found with the marks of Vietnamese letters, and not for another word', () => {
    expect([' Vcb ', 'Nam Á', 'VIETINBANK', 'ngân hàng MB'].map(bankCode)).to.deep.equal(['VCB', 'NAB', 'CTG', 'MB'])
    expect(bankCode('other'), 'a bank that the reader cannot name').to.equal('OTHER')
    expect(['', 'bank', 'Vietcombnk', '🏦'].map(bankCode)).to.deep.equal([undefined, undefined, undefined, undefined])
  })

  it('is found in a list, where what names no bank stays as it is', () => {
    expect(bankCodes('vcb, MB Bank; Nam Á')).to.deep.equal(['VCB', 'MB', 'NAB'])
    expect(bankCodes('vcb  Techcombank\n')).to.deep.equal(['VCB', 'TCB'])
    expect(bankCodes('VCB, Vietcombnk, Ngân hàng lạ ')).to.deep.equal(['VCB', 'Vietcombnk', 'Ngân hàng lạ'])
    expect(bankCodes(' , ')).to.deep.equal([])
  })
})
