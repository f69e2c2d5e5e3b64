import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { issue } from '../../../../domain/account/mail-tokens.ts'
import type { AccountEvent } from '../../../../domain/account/events.ts'
import { parseEvent, type StoredEvent } from '../../../../domain/parse-event.ts'
import type { EventStore, Mailer } from '../../../../domain/ports.ts'
import { HOUR_MS } from '../../../../domain/time.ts'
import { mailLinks } from '../../../../workflows/accounts/mail-links.ts'
import { Accounts } from '../../../../workflows/accounts/accounts.ts'
import { sendAccountMails } from '../../../../workflows/reactors/send-account-mails.ts'

const NOW = new Date('2026-01-05T02:30:00.000Z')
const ago = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS)
const links = mailLinks('a secret of more than thirty-two bytes', 'https://baoco.example')

const REGISTERED: AccountEvent = {
  type: 'AccountRegistered',
  data: { user_id: 5, email: 'owner@shop.vn', name: null, operator: false, registered_at: ago(48).toISOString() },
}
const linkOf = (purpose: 'verify_email' | 'reset_password', hours: number) =>
  issue(5, purpose, links.make(purpose, 5), ago(hours))
const repeated = (hours: number): AccountEvent => ({
  type: 'RegistrationRepeated',
  data: { user_id: 5, at: ago(hours).toISOString() },
})

/** Meets all events of an account when all of them are stored. @returns for each event but the first, whether a mail was sent */
const mailed = async (...facts: AccountEvent[]): Promise<boolean[]> => {
  const metadata = { user_id: 5, at: NOW.toISOString(), correlation_id: '', causation_id: '', version: 1 }
  const events = [REGISTERED, ...facts].map((fact, revision): StoredEvent =>
    parseEvent({ id: randomUUID(), ...fact, metadata, stream: 'account-5', revision, checkpoint: '' }),
  )
  const store = { read: () => Promise.resolve([events]) } as unknown as EventStore
  const mails: Parameters<Mailer['send']>[0][] = []
  const mailer: Mailer = { send: (mail) => Promise.resolve(void mails.push(mail)) }
  const { answers } = sendAccountMails({ accounts: new Accounts(store), clock: { now: () => NOW }, mailer, links })
  for (const event of events) await answers[event.type as keyof typeof answers]?.(event as never)
  expect(mails.every(({ to }) => to === 'owner@shop.vn')).to.equal(true)
  return events.slice(1).map(({ id }) => mails.some(({ key }) => key === id))
}

describe('the mails about an account', () => {
  it('have no link that a newer one has replaced, or that was used', async () => {
    const [first, second] = [linkOf('verify_email', 2), linkOf('verify_email', 1)]
    expect(await mailed(first, second)).to.deep.equal([false, true])
    expect(await mailed(first, { type: 'EmailVerified', data: { user_id: 5 } })).to.deep.equal([false, false])
  })

  it('are not sent a day later, after the loss of a checkpoint', async () => {
    for (const purpose of ['verify_email', 'reset_password'] as const) {
      expect(await mailed(linkOf(purpose, 25))).to.deep.equal([false])
      expect(await mailed(linkOf(purpose, 23))).to.deep.equal([true])
    }
    expect(await mailed(repeated(25), repeated(23))).to.deep.equal([false, true])
  })
})
