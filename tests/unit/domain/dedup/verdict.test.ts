import { copyOf, given, push, resendOf, sms } from './sightings.ts'

describe('of several events that fit within a row', () => {
  const paid = { balance: 7, order: 'DH1' }
  const out = sms({ balance: 6, direction: 'debit', at: 1_800 })
  const unnamed = sms({ balance: 7, at: 3_600, text: 'TK 1 +150,000VND SD 7 NGUYEN VAN A chuyen...' })

  it('the one with the equal order id counts, however near another one is', () => {
    given(sms(paid), out, unnamed)
      .when(push({ ...paid, at: 3_601 }))
      .then(copyOf(0))
    given(sms({ ...paid, order: 'DH2' }), out, unnamed)
      .when(push({ ...paid, at: 3_601 }))
      .then(copyOf(2))
  })
  it('the one with the equal reference counts, however near another one is', () =>
    given(sms({ balance: 7, ref: 'FT:FT26324000001' }), out, unnamed)
      .when(push({ balance: 7, ref: 'FT:FT26324000001', at: 3_601 }))
      .then(copyOf(0)))
  it('the nearest one counts if both have the equal order id', () =>
    given(sms(paid), out, sms({ ...paid, at: 3_600 }))
      .when(push({ ...paid, at: 3_601 }))
      .then(copyOf(2)))
  it('a reference that is not one movement’s own does not count', () =>
    given(sms({ balance: 7, ref: 'Trace:245060' }), out, unnamed)
      .when(push({ balance: 7, ref: 'Trace:245060', at: 3_601 }))
      .then(copyOf(2)))
})

describe('the highest row that fits decides', () => {
  it('for an equal reference over a nearer equal order id', () =>
    given(sms({ ref: 'FT:1', order: 'DH1' }), sms({ order: 'DH1', at: 3_000 }))
      .when(push({ ref: 'FT:1', order: 'DH1', at: 3_001 }))
      .then(copyOf(0)))
  it('for a resend over a copy of another event', () =>
    given(push({ order: 'DH1', at: 0 }), sms({ order: 'DH1', at: 9 }))
      .when(push({ order: 'DH1', at: 8 }))
      .then(resendOf(0)))
})
