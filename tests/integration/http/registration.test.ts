/** The first account is made once, over restarts, races and crashes. A claim without its account is completed later. */
import { expect } from 'chai'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openIds } from '../../../adapters/system/ids.ts'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openUnshownSecrets, type OpenUnshownSecrets } from '../../../adapters/postgres/ops/unshown-secrets.ts'
import { openPasswords } from '../../../adapters/secrets/passwords.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import { emailStream, FIRST_ACCOUNT_STREAM } from '../../../domain/account/email-claim.ts'
import { formToken, isToken } from '../../../domain/account/tokens.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { NO_STREAM, type EventStore } from '../../../domain/ports.ts'
import { accountCache, Accounts } from '../../../workflows/accounts/accounts.ts'
import { askForLinkByMail, registerByMail, resetPassword } from '../../../workflows/accounts/by-mail.ts'
import { mailLinks } from '../../../workflows/accounts/mail-links.ts'
import {
  accountOfEmail,
  createAccount,
  registerFirstAccount,
  registerNew,
  type RegistrationParts,
  type UnshownSecrets,
} from '../../../workflows/accounts/registration.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

describe('registration', () => {
  let database: TestDatabase
  let connections: Database
  let store: EventStore
  let parts: RegistrationParts & { unshown: UnshownSecrets }
  const processes: OpenUnshownSecrets[] = []
  /** As another process on the same servers. */
  const inAnotherProcess = () => {
    const unshown = openUnshownSecrets(connections, parts.vault)
    processes.push(unshown)
    return { ...parts, unshown }
  }
  const clock = { now: () => new Date() }
  const email = 'owner@baoco.local'

  beforeEach(async () => {
    database = await freshDatabase()
    store = await openPostgresEventStore({ url: database.url, parse: parseEvent })
    const vault = openVault(['cd'.repeat(32)])
    connections = openDatabase(database.url)
    const unshown = openUnshownSecrets(connections, vault)
    processes.push(unshown)
    parts = { store, clock, vault, ids: openIds({ store, clock }), passwords: openPasswords(), unshown }
  })
  afterEach(async () => {
    for (const { close } of processes.splice(0)) await close()
    await connections.close()
    await store.close()
    await database.drop()
  })

  const claim = async (stream: string, type: string, user_id: number) => {
    const occasion = { user_id, at: clock.now(), correlation_id: 'test', causation_id: 'test' }
    const events = stamp([{ type, data: { user_id } }], occasion)
    const [result] = await store.append([[{ stream, expectedRevision: NO_STREAM, events }]])
    expect(result?.ok).to.equal(true)
  }

  it('shows the secrets once, and later starts find the account, whatever their email', async () => {
    const fresh = await registerFirstAccount(parts, { email })
    expect(fresh!.password).to.match(/^[a-z0-9]{24}$/)
    await parts.unshown.forget()
    expect(await registerFirstAccount(parts, { email })).to.equal(null)
    expect(await registerFirstAccount(parts, { email: 'another@baoco.local', password: 'long enough' })).to.equal(null)
    expect(await accountOfEmail(store, 'another@baoco.local')).to.equal(null)
    const account = await new Accounts(store).find(fresh!.user_id)
    expect(account).to.include({ email, operator: true, verified: true, plan: 'Pro' })
    expect(isToken(fresh!.api_key, account!.key_hash!)).to.equal(true)
    expect(isToken(fresh!.receive_token, account!.receive_url!.token_hash)).to.equal(true)
    expect(await parts.passwords.verify(fresh!.password!, account!.password_hash)).to.equal(true)
  })

  it('makes one account if several processes start at the same moment', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(() => registerFirstAccount(inAnotherProcess(), { email, password: 'long enough' })),
    )
    expect(made.filter((each) => each !== null)).to.have.lengthOf(1)
  })

  it('shows the same secrets again until a process has shown them, but never in two processes', async () => {
    const dead = inAnotherProcess()
    const fresh = await registerFirstAccount(dead, { email })
    expect(fresh).to.not.equal(null)
    expect(await registerFirstAccount(inAnotherProcess(), { email }), 'while another shows them').to.equal(null)
    await dead.unshown.close()
    const next = inAnotherProcess()
    expect(await registerFirstAccount(next, { email })).to.deep.equal(fresh)
    await next.unshown.forget()
    expect(await registerFirstAccount(inAnotherProcess(), { email })).to.equal(null)
  })

  it('shows no secrets of a start that did not write the account', async () => {
    const dead = inAnotherProcess()
    await dead.unshown.keep({ user_id: 4711, email, api_key: 'bck_x', receive_token: 'bcu_x', password: 'x' })
    await dead.unshown.close()
    const fresh = await registerFirstAccount(inAnotherProcess(), { email })
    expect(fresh!.api_key).to.not.equal('bck_x')
  })

  it('completes a registration that broke off after either claim, under its id', async () => {
    await claim(FIRST_ACCOUNT_STREAM, 'FirstAccountClaimed', 4711)
    const fresh = await registerFirstAccount(parts, { email })
    expect(fresh!.user_id).to.equal(4711)
    expect(await accountOfEmail(store, email)).to.equal(4711)
    await claim(emailStream('late@example.com'), 'EmailClaimed', 4712)
    const late = await createAccount(parts, { email: 'Late@example.com', plan: 'Free' })
    expect(late.user_id).to.equal(4712)
    await claim(emailStream('late@example.net'), 'EmailClaimed', 4713)
    const byMail = { ...parts, accounts: new Accounts(store), links: mailLinks('a secret', 'https://baoco.example') }
    await registerByMail(byMail, { email: 'late@example.net', password: 'long enough', name: null })
    expect(await byMail.accounts.find(4713)).to.include({ email: 'late@example.net', verified: false })
  })

  it('gives a registered account its personal URL from the start', async () => {
    const newLink = () => ({ token_hash: 'f'.repeat(64), nonce: 'nonce' })
    const given = { email: 'shop@example.com', password: 'long enough', name: null }
    const password_hash = await parts.passwords.hash(given.password)
    expect(await registerNew({ ...parts, newLink }, { ...given, password_hash })).to.equal(true)
    const id = await accountOfEmail(store, given.email)
    const account = await new Accounts(store).find(id!)
    expect(parts.vault.open(account!.receive_url!.sealed_token)).to.match(/^bcu_/)
  })

  it('uses the newest registration if two of one address overlap', async () => {
    const links = mailLinks('secret', 'https://pay.example')
    const byMail = { ...parts, accounts: new Accounts(store), links }
    const given = (password: string) => ({ email: 'twice@example.com', password, name: null })
    let first: Promise<void> | undefined
    const ids: RegistrationParts['ids'] = {
      // The other one is written after this one has found no account.
      next: async (count) => {
        await (first ??= registerByMail(byMail, given('the first password')))
        return parts.ids.next(count)
      },
    }
    await registerByMail({ ...byMail, ids }, given('the second password'))
    expect(first, 'the other registration').to.be.instanceOf(Promise)
    const id = await accountOfEmail(store, 'twice@example.com')
    const { password_hash } = (await byMail.accounts.find(id!))!
    expect(await parts.passwords.verify('the second password', password_hash)).to.equal(true)
  })

  it('that broke off answers a request for a link like any address without an account', async () => {
    await claim(emailStream('broken@example.com'), 'EmailClaimed', 4714)
    const byMail = { ...parts, accounts: new Accounts(store), links: mailLinks('secret', 'https://pay.example') }
    await askForLinkByMail(byMail, 'reset_password', 'broken@example.com')
    expect(await byMail.accounts.find(4714)).to.equal(null)
  })

  it('computes no password for a reset token that is made up', async () => {
    const { user_id } = await createAccount(parts, { email: 'reset@example.com', plan: 'Free' })
    const passwords = { ...parts.passwords, hash: () => Promise.reject(new Error('computed')) }
    const byMail = {
      ...parts,
      passwords,
      accounts: new Accounts(store),
      links: mailLinks('secret', 'https://pay.example'),
    }
    const token = formToken('reset_password', user_id, 'x'.repeat(43))
    const refused = await resetPassword(byMail, { token, password: 'long enough' }).catch((error: Error) => error)
    expect(refused).to.include({ name: 'Refused', code: 'VALIDATION_FAILED' })
  })

  it('allows one account per email', async () => {
    await createAccount(parts, { email: 'one@example.com', plan: 'Free' })
    const again = await createAccount(parts, { email: ' ONE@example.com', plan: 'Free' }).catch((error: Error) => error)
    expect(again).to.include({ name: 'Refused', code: 'CONFLICT' })
  })

  it('writes no account whose secrets could not be shown', async () => {
    const email = 'unseen@example.com'
    const show = () => Promise.reject(new Error('the output is closed'))
    const refused = await createAccount(parts, { email, plan: 'Free' }, show).catch((error: Error) => error.message)
    expect(refused).to.equal('the output is closed')
    expect(await accountOfEmail(store, email)).to.equal(null)
  })

  it('never answers a request from a read that began before the request', async () => {
    const { user_id } = await createAccount(parts, { email: 'busy@example.com', plan: 'Free' })
    let reads = 0
    const gates: (() => void)[] = []
    const slow: EventStore = {
      ...store,
      read: async (slices) => {
        reads++
        const events = await store.read(slices)
        await new Promise<void>((resolve) => gates.push(resolve))
        return events
      },
    }
    const accounts = new Accounts(slow)
    const early = accounts.find(user_id)
    while (gates.length < 1) await new Promise((resolve) => setImmediate(resolve))
    // Written after the first read and before the other requests.
    const occasion = { user_id, at: clock.now(), correlation_id: 'test', causation_id: 'test' }
    await new Accounts(store).change(occasion, () => [{ type: 'AccountLocked', data: { user_id, reason: 'test' } }])
    const later = Promise.all(Array.from({ length: 10 }, () => accounts.find(user_id)))
    gates[0]!()
    while (gates.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const began = performance.now()
    await new Promise((resolve) => setTimeout(resolve, 20))
    gates[1]!()
    expect((await early)!.locked).to.equal(false)
    expect((await later).map((account) => account!.locked)).to.deep.equal(Array.from({ length: 10 }, () => true))
    expect(reads, 'ten requests share one read').to.equal(2)
    expect(accounts.confirmed(user_id, performance.now() - began), 'as old as its read').to.equal(null)
    expect(accounts.confirmed(user_id, Infinity)!.account.locked).to.equal(true)
    expect(await new Accounts(store).find(999_999)).to.equal(null)
  })

  it('keeps accounts in memory while ids without an account are read', async () => {
    const { user_id } = await createAccount(parts, { email: 'kept@example.com', plan: 'Free' })
    const accounts = new Accounts(store, accountCache(2))
    for (const id of [user_id, 999_997, 999_998, 999_999]) await accounts.find(id)
    expect(accounts.seen(user_id)!.user_id).to.equal(user_id)
  })

  it('lets requests that wait behind a failed read fail with it, and reads again for later ones', async () => {
    const { user_id } = await createAccount(parts, { email: 'waiting@example.com', plan: 'Free' })
    let fail: (() => void) | null = null
    const silent: EventStore = {
      ...store,
      read: (slices) =>
        fail === null
          ? new Promise((_resolve, reject) => (fail = () => reject(new StoreUnavailable('silent'))))
          : store.read(slices),
    }
    const accounts = new Accounts(silent)
    const waiting = [1, 2, 3].map(() => accounts.find(user_id).catch((error: unknown) => error))
    fail!()
    for (const one of waiting) expect(await one).to.be.instanceOf(StoreUnavailable)
    expect((await accounts.find(user_id))!.user_id).to.equal(user_id)
  })
})
