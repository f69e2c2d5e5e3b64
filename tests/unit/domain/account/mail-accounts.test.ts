import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import { evolve } from '../../../../domain/account/account.ts'
import type { AccountEvent } from '../../../../domain/account/events.ts'
import { changeMailAccount, pauseMailAccount } from '../../../../domain/account/mail-accounts.ts'
import { Refused } from '../../../../domain/errors.ts'
import { accountFacts } from '../../../harness/accounts.ts'

const at = new Date('2026-03-10T05:00:00Z')
const FIELDS = {
  email: 'shop@example.com', host: 'imap.example.com', port: 993, tls: true, username: 'shop', folder: 'INBOX', is_active: 1 as const,
  authserv_id: null,
} // prettier-ignore
const SEEN = { ...FIELDS, mail_account_id: 5, sealed_password: 'sealed', reason: 'The server never stops.' }

const account = (...more: AccountEvent[]): Account => {
  const added: AccountEvent = {
    type: 'MailAccountAdded',
    data: { ...FIELDS, user_id: 1, mail_account_id: 5, sealed_password: 'sealed', created_at: at.toISOString() },
  }
  return [...accountFacts(1), added, ...more].reduce<Account | null>(
    (state, event) => evolve(state, event as AccountEvent),
    null,
  )!
}
const PAUSED: AccountEvent = {
  type: 'MailAccountPaused',
  data: { user_id: 1, mail_account_id: 5, reason: 'The server never stops.' },
}
const change = (state: Account, changed: object, sealed_password?: string) =>
  changeMailAccount(state, { mail_account_id: 5, change: changed, sealed_password, at })
const refusal = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error instanceof Refused ? error.detail : error
  }
}

describe('a mail account', () => {
  for (const moved of [{ host: 'imap.evil.example' }, { port: 143 }, { tls: false }, { username: 'boss' }])
    it(`requires its password for the change ${JSON.stringify(moved)}`, () => {
      expect(refusal(() => change(account(), moved))).to.have.nested.property('issues[0].path', 'password')
      expect(change(account(), moved, 'new')).to.have.length(1)
    })
  it('requires no password for the same server or another folder', () => {
    expect(change(account(), { ...FIELDS, host: 'IMAP.example.com' })).to.deep.equal([])
    expect(change(account(), { folder: 'Bank' })).to.have.length(1)
  })

  it('is paused once, and only if it is unchanged since the failure', () => {
    expect(pauseMailAccount(account(), SEEN)).to.deep.equal([PAUSED])
    expect(pauseMailAccount(account(PAUSED), SEEN)).to.deep.equal([])
    expect(pauseMailAccount(account(), { ...SEEN, host: 'imap.other.example' })).to.deep.equal([])
    expect(pauseMailAccount(account(), { ...SEEN, sealed_password: 'older' })).to.deep.equal([])
    expect(pauseMailAccount(account(), { ...SEEN, mail_account_id: 6 })).to.deep.equal([])
    const off: AccountEvent = { type: 'MailAccountChanged', data: { user_id: 1, mail_account_id: 5, is_active: 0 } }
    expect(pauseMailAccount(account(off), SEEN)).to.deep.equal([])
  })

  it('resumes if its owner changes it or sets it active again', () => {
    const paused = account(PAUSED)
    expect(paused.mail_accounts.get(5)!.paused).to.equal('The server never stops.')
    expect(change(paused, {})).to.deep.equal([])
    const [resumed] = change(paused, { is_active: 1 })
    expect(account(PAUSED, resumed!).mail_accounts.get(5)!.paused).to.equal(null)
    const [changed] = change(paused, {}, 'new')
    expect(account(PAUSED, changed!).mail_accounts.get(5)!.paused).to.equal(null)
    expect(change(account(), { is_active: 1 })).to.deep.equal([])
  })
})
