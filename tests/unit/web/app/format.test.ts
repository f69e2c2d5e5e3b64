import { expect } from 'chai'
import {
  ago,
  balance,
  chosenDay,
  duration,
  milliseconds,
  moment,
  money,
  signedMoney,
  sum,
  vietnamDay,
} from '../../../../web/app/format.ts'

const NARROW = '\u00a0'

describe('formats of the dashboard', () => {
  it('write money exactly, even where a floating-point number would round', () => {
    expect(money('150000.00', 'VND', 'vi')).to.equal(`150.000${NARROW}₫`)
    expect(money('150000.50', 'VND', 'vi')).to.equal(`150.000,50${NARROW}₫`)
    expect(money('90071992547409931.00', 'VND', 'vi')).to.equal(`90.071.992.547.409.931${NARROW}₫`)
    expect(money('150000.00', 'VND', 'en')).to.equal('₫150,000')
  })

  it('sign money in and out', () => {
    expect(signedMoney({ amount: '1.00', currency: 'VND', transaction_type: 'credit' }, 'vi')).to.equal(`+1${NARROW}₫`)
    expect(signedMoney({ amount: '1.00', currency: 'VND', transaction_type: 'debit' }, 'vi')).to.equal(`−1${NARROW}₫`)
  })

  it('show a balance below zero with its sign', () => {
    expect(balance('-93785984.00', 'VND', 'vi')).to.equal(`−93.785.984${NARROW}₫`)
    expect(balance('93785984.00', 'VND', 'vi')).to.equal(`93.785.984${NARROW}₫`)
  })

  it('show only the time of today, and the day before it otherwise', () => {
    const now = new Date('2026-03-10T05:00:00Z')
    expect(moment('2026-03-10T04:05:00Z', 'vi', now)).to.equal('11:05')
    expect(moment('2026-03-08T04:05:00Z', 'vi', now)).to.equal('08/03 11:05')
    expect(moment('2025-03-08T04:05:00Z', 'vi', now)).to.equal('08/03/2025 11:05')
  })

  it('show a chosen day in the language of the page, and nothing if it is not a day', () => {
    expect(chosenDay('2026-11-24', 'vi')).to.equal('24/11/2026')
    expect(chosenDay('2026-02-01', 'en')).to.equal('01 Feb 2026')
    for (const other of ['', '1', 'x', '2026-02-30', '2026-11']) expect(chosenDay(other, 'vi'), other).to.equal('')
  })

  it('take the calendar day of Vietnam', () => {
    expect(vietnamDay(0, new Date('2026-03-10T18:00:00Z'))).to.equal('2026-03-11')
    expect(vietnamDay(7, new Date('2026-03-10T18:00:00Z'))).to.equal('2026-03-04')
  })

  it('add decimal texts exactly', () => {
    expect(sum(['0.10', '0.20'])).to.equal('0.30')
    expect(sum([])).to.equal('0.00')
    expect(sum(['-1.50', '0.25'])).to.equal('-1.25')
  })

  it('say how long ago in one unit, and durations in ms or s', () => {
    expect(ago('2026-03-10T05:00:00Z', 'vi', Date.parse('2026-03-10T05:05:30Z'))).to.equal('5 phút trước')
    const atOne = Date.parse('2026-11-30T01:00:00+07:00')
    for (const [at, words] of [
      ['2026-11-29T02:00:00+07:00', '23 giờ trước'],
      ['2026-11-29T00:30:00+07:00', 'Hôm qua'],
      ['2026-11-28T02:00:00+07:00', 'Hôm kia'],
      ['2026-11-27T02:00:00+07:00', '3 ngày trước'],
    ] as const)
      expect(ago(at, 'vi', atOne).toLowerCase(), at).to.equal(words.toLowerCase())
    expect(milliseconds(12.4, 'vi')).to.equal('12 ms')
    expect(milliseconds(1_240, 'vi')).to.equal('1,2 s')
    expect([0, 90, 7_200, 180_000].map((each) => duration(each, 'vi'))).to.deep.equal([
      '1 phút',
      '2 phút',
      '2 giờ',
      '2 ngày',
    ])
    expect(duration(3_600, 'en')).to.equal('1 hour')
  })
})
