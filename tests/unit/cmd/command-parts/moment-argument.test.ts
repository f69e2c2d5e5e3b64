import { expect } from 'chai'
import { InvalidArgumentError } from 'commander'
import { pastMoment } from '../../../../cmd/command-parts/moment-argument.ts'

const NOW = new Date('2026-11-24T12:00:00Z')
const read = (text: string): string => pastMoment(text, NOW).toISOString()

describe('a time on the command line', () => {
  it('is a Vietnamese day, from its midnight', () => {
    expect(read('2026-11-20')).to.equal('2026-11-19T17:00:00.000Z')
  })

  it('is a time with its zone', () => {
    expect(read('2026-11-20T08:30:00+07:00')).to.equal('2026-11-20T01:30:00.000Z')
    expect(read('2026-11-20T01:30:00.5Z')).to.equal('2026-11-20T01:30:00.500Z')
  })

  for (const wrong of ['', 'yesterday', '2026-02-30', '20/11/2026', '2026-11-20T08:30:00', '1732000000'])
    it(`is not "${wrong}"`, () => {
      expect(() => read(wrong)).to.throw(InvalidArgumentError, /expected a day such as/)
    })

  it('is not in the future', () => {
    expect(() => read('2026-11-26')).to.throw(InvalidArgumentError, 'this time is in the future')
  })
})
