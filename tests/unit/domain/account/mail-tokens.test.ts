import { expect } from 'chai'
import { register } from '../../../../domain/account/access.ts'
import { evolve, type Account } from '../../../../domain/account/account.ts'
import type { AccountEvent } from '../../../../domain/account/events.ts'
import {
  askForLink,
  checkMailToken,
  registerAgain,
  resetPassword,
  type MailPurpose,
} from '../../../../domain/account/mail-tokens.ts'
import { hashOfToken } from '../../../../domain/account/tokens.ts'

const AT = new Date('2026-03-10T05:00:00Z')
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)
const made = (token: string) => ({ token_hash: hashOfToken(token), nonce: token })
const after = (account: Account | null, events: readonly AccountEvent[]): Account =>
  events.reduce(evolve, account) as Account
const EMAIL = { user_id: 1, email: 'a@example.com', name: null, password_hash: 'first', at: AT }

const asks = (account: Account, purpose: MailPurpose, token: string, at = AT): Account =>
  after(account, askForLink(account, purpose, made(token), at))
const isValid = (account: Account, purpose: MailPurpose, token: string, at = AT): boolean => {
  try {
    checkMailToken(account, purpose, token, at)
    return true
  } catch {
    return false
  }
}

describe('links in mails', () => {
  const fresh = after(null, register(EMAIL))

  it('are valid one at a time if they verify an address', () => {
    const account = asks(asks(fresh, 'verify_email', 'one'), 'verify_email', 'two')
    expect(['one', 'two'].map((token) => isValid(account, 'verify_email', token))).to.deep.equal([false, true])
  })

  it('are valid three at a time if they reset a password, and one use ends them all', () => {
    const tokens = ['one', 'two', 'three', 'four']
    const account = tokens.reduce((before, token) => asks(before, 'reset_password', token), fresh)
    expect(tokens.map((token) => isValid(account, 'reset_password', token))).to.deep.equal([false, true, true, true])
    const reset = after(account, resetPassword(account, { token: 'three', password_hash: 'new', at: AT }))
    expect(tokens.some((token) => isValid(reset, 'reset_password', token))).to.equal(false)
  })

  it('free their place when they expire', () => {
    const early = ['a', 'b', 'c'].reduce((before, token) => asks(before, 'reset_password', token), fresh)
    const account = asks(early, 'reset_password', 'd', later(61))
    expect(account.mail_tokens.good.reset_password).to.have.length(1)
    expect(isValid(account, 'reset_password', 'd', later(120))).to.equal(true)
    expect(isValid(account, 'reset_password', 'd', later(121))).to.equal(false)
  })

  it('have a separate hourly limit for each purpose', () => {
    const flooded = Array.from({ length: 12 }, (_, index) => `f${index}`).reduce(
      (before, token) => asks(before, 'verify_email', token),
      fresh,
    )
    expect(flooded.mail_tokens.issued.verify_email).to.have.length(10)
    expect(isValid(asks(flooded, 'reset_password', 'r'), 'reset_password', 'r')).to.equal(true)
  })

  it('that reset a password survive a second registration of an unconfirmed address, which ends its verify link and password', () => {
    const account = asks(asks(fresh, 'verify_email', 'old'), 'reset_password', 'reset')
    const again = { name: 'New', password_hash: 'second', ref: 'code' }
    const replaced = after(account, registerAgain(account, again, made('new'), AT))
    expect(replaced).to.include({ password_hash: 'second', name: 'New', ref: 'code' })
    expect(replaced.token_version).to.be.greaterThan(account.token_version)
    expect(isValid(replaced, 'verify_email', 'old')).to.equal(false)
    expect(isValid(replaced, 'verify_email', 'new')).to.equal(true)
    expect(isValid(replaced, 'reset_password', 'reset')).to.equal(true)
  })

  it('do not change the account if a confirmed address registers again, and its owner is notified once an hour', () => {
    const account = after(fresh, [{ type: 'EmailVerified', data: { user_id: 1 } }])
    const again = { name: 'New', password_hash: 'second' }
    const repeated = registerAgain(account, again, made('new'), AT)
    expect(repeated.map(({ type }) => type)).to.deep.equal(['RegistrationRepeated'])
    expect(after(account, repeated)).to.include({ password_hash: 'first', name: null })
    expect(registerAgain(after(account, repeated), again, made('new'), later(59))).to.deep.equal([])
    expect(registerAgain(after(account, repeated), again, made('new'), later(61))).to.have.length(1)
  })
})
