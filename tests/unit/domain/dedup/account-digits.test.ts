import { expect } from 'chai'
import { digitsContradict } from '../../../../domain/dedup/account-digits.ts'

describe('visible account digits', () => {
  for (const [a, b, contradict] of [
    ['5 5 6-7', '0011000415567', false],
    ['5 5 6-7', '5568000415567', false],
    ['12xx', '1300', false],
    ['4240xxxx4584', '424012344584', false],
    ['4240xxxx4584', '424012349999', true],
    ['xxxx1234', '77****34', false],
    ['xxxx1234', '0011231234', false],
    ['....7213', '0017213', false],
    ['....7213', '0017214', true],
    ['7213', '0017213', false],
    ['7213', '001xxx213', false],
    ['7213', '0017214', true],
    ['7213', '7214', true],
    ['37213', '0037213', true],
    ['03xxx682', '04xxx682', true],
    ['0011000415567', '0011000415567', false],
    ['0011000415567', '0011000415568', true],
    ['123xxx345', '12345', true],
    ['0011 0004 15567', '0011000415567', false],
    ['0011-0004-15567 ', '0011000415567', false],
    ['001xx-567', '0011 0004 15 567', false],
    ['001xx-567', '0011 0004 15 467', true],
  ] as const)
    it(`${contradict ? 'contradict each other' : 'may be of one account'} in ${a} and ${b}`, () => {
      expect(digitsContradict(a, b)).to.equal(contradict)
      expect(digitsContradict(b, a)).to.equal(contradict)
    })
})
