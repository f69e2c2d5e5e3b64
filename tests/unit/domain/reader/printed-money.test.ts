import { expect } from 'chai'
import { currencyNamed, readNumber } from '../../../../domain/reader/printed-money.ts'

const value = (printed: string, currency: string | null = 'VND') => readNumber(printed, currency)?.value ?? null

describe('numbers printed by banks', () => {
  it('have commas, dots or nothing between thousands', () => {
    for (const printed of ['1,234,567', '1.234.567', '1234567', '1,234,567.00', '1.234.567,00'])
      expect(value(printed), printed).to.equal('1234567.00')
  })

  it('are exact to the cent at any size', () => {
    expect(value('999,999,999,999,999.99', 'USD')).to.equal('999999999999999.99')
    expect(value('25.00', 'USD')).to.equal('25.00')
    expect(value('0.05', 'USD')).to.equal('0.05')
  })

  it('lose a third decimal and are marked as inexact', () => {
    expect(readNumber('5,637,054.592', 'VND')).to.deep.equal({ value: '5637054.59', cents: true, exact: false })
    expect(readNumber('5,637,054.59', 'VND')?.exact).to.equal(true)
  })

  it('lose leading zeros', () => expect(value('02')).to.equal('2.00'))

  it('are refused if they are ambiguous', () => {
    for (const printed of [
      '1,234,56',
      '222,77',
      '1,23,456',
      '1234,567',
      '1,234.567,890',
      '12,345.6',
      '000,500',
      '0,500',
    ])
      expect(value(printed), printed).to.equal(null)
  })

  it('are refused with a single dot before three digits in a currency with cents', () => {
    expect(value('1.500')).to.equal('1500.00')
    expect(value('1.500', 'USD')).to.equal(null)
    expect(value('1,500', 'USD')).to.equal('1500.00')
  })

  it('include whether cents were printed', () => {
    expect(readNumber('1,000.00', null)?.cents).to.equal(true)
    expect(readNumber('1,000', null)?.cents).to.equal(false)
  })

  it('are refused if they are longer than any balance', () => expect(value('1234567890123456')).to.equal(null))

  it('have the currency VND for every name of the dong', () => {
    expect(['vnd', 'd', 'dong', 'usd'].map(currencyNamed)).to.deep.equal(['VND', 'VND', 'VND', 'USD'])
  })
})
