import { expect } from 'chai'
import { SignJWT } from 'jose'
import { jsonWebTokens, LIFETIME_S } from '../../../../../adapters/http/middleware/json-web-tokens.ts'
import { accountOf } from '../../../../harness/accounts.ts'

const NOW = Date.parse('2026-11-27T10:00:00Z')
const HOUR_S = 3_600

const SECRET = 'a secret of more than thirty-two bytes'

/** Tokens of a process whose clock is ahead by these seconds. */
const aheadBy = (seconds: number) => jsonWebTokens(SECRET, { now: () => new Date(NOW + seconds * 1_000) })

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

  it('is void without the time of its end, although the key is right', async () => {
    const signedBy = (token: SignJWT) => token.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(SECRET))
    const claims = () => new SignJWT({ version: accountOf(1).token_version }).setSubject('1')
    const end = Math.floor(NOW / 1_000) + HOUR_S
    expect(await aheadBy(0).verify(await signedBy(claims().setExpirationTime(end)), 'login')).to.include({ user_id: 1 })
    expect(await aheadBy(0).verify(await signedBy(claims()), 'login')).to.equal(null)
  })
})
