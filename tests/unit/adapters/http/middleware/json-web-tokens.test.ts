import { expect } from 'chai'
import { jsonWebTokens, LIFETIME_S } from '../../../../../adapters/http/middleware/json-web-tokens.ts'
import { accountOf } from '../../../../harness/accounts.ts'

const NOW = Date.parse('2026-11-27T10:00:00Z')
const HOUR_S = 3_600

/** Tokens of a process whose clock is ahead by these seconds. */
const aheadBy = (seconds: number) =>
  jsonWebTokens('a secret of more than thirty-two bytes', { now: () => new Date(NOW + seconds * 1_000) })

describe('a login token', () => {
  const signed = (seconds: number) => aheadBy(seconds).sign(accountOf(1), 'login')

  it('is valid until its time is over', async () => {
    const token = await signed(0)
    expect(await aheadBy(LIFETIME_S - 1).verify(token, 'login')).to.include({ user_id: 1, session_id: null })
    expect(await aheadBy(LIFETIME_S).verify(token, 'login')).to.equal(null)
  })

  it('is void if the clock that issued it was ahead by more than a day, as it would be valid for too long', async () => {
    expect(await aheadBy(0).verify(await signed(24 * HOUR_S), 'login')).to.include({ user_id: 1 })
    expect(await aheadBy(0).verify(await signed(24 * HOUR_S + 1), 'login')).to.equal(null)
  })
})
