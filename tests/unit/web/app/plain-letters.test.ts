import { expect } from 'chai'
import { plainLetters } from '../../../../web/app/plain-letters.ts'

describe('plain letters', () => {
  it('have no marks and no capitals, composed or not', () => {
    expect(plainLetters(' Giao dịch ĐÃ báo ')).to.equal('giao dich da bao')
    expect(plainLetters('Giao dịch'.normalize('NFD'))).to.equal('giao dich')
    expect(plainLetters('DH1042')).to.equal('dh1042')
  })
})
