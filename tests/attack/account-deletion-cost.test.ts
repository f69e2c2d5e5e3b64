/**
 * Tests what the deletion of an account reads, on both event stores: the account's streams, not the store's length. Nothing
 * is left if the list of streams is old, missing or incomplete, or if a deletion was killed.
 */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { openDeletions, whileDeleting } from '../../adapters/postgres/ops/deletions.ts'
import { forgetAccount } from '../../adapters/postgres/ops/forget-account.ts'
import { emailStream } from '../../domain/account/email-claim.ts'
import { accountStream } from '../../domain/account/events.ts'
import { streamKinds } from '../../domain/catalogue.ts'
import { creditSegmentsStream, creditsStream } from '../../domain/credits/events.ts'
import { isClosing } from '../../domain/erasure.ts'
import { jobStream } from '../../domain/job/events.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import { parseEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type EventStore } from '../../domain/ports.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { listStreams } from '../../projections/account/streams-queries.ts'
import { main } from '../../projections/main.ts'
import { eraseAccount, type DeletedAccount, type EraseParts } from '../../workflows/accounts/delete-account.ts'
import { accountOfEmail, type FreshAccount } from '../../workflows/accounts/registration.ts'
import { forgetEndedDeletions, unfinishedDeletions } from '../../workflows/accounts/unfinished-deletions.ts'
import { auditStore } from '../../workflows/audit/audit.ts'
import { stamp } from '../../workflows/support/stamp.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { openApi, type ApiUnderTest, type StoresUnderTest } from '../integration/http/api-under-test.ts'
import { openParsedStores } from '../integration/eventstoredb/stand-in-stores.ts'

const PLANS = { planBank: 'VCB', planAccount: '0011000999111', planHolder: 'OPERATOR' }
const PASSWORD = 'correct horse battery staple'
/** Events of others after the registration: more than may be read. */
const OTHERS = 500
const MOST_READ = 300

/** `later` writes what this release cannot read, as another process of a later release. */
type Stores = StoresUnderTest & { later: EventStore; close(): Promise<void> }

const STORES: Record<string, (databaseUrl: string) => Promise<Stores>> = {
  Postgres: async (url) => {
    const store = await openPostgresEventStore({ url, parse: parseEvent })
    const later = await openPostgresEventStore({ url, parse: parseEvent })
    return { store, requestStore: store, later, close: () => later.close() }
  },
  EventStoreDB: async () => {
    const { store, another, close } = await openParsedStores(parseEvent)
    return { store, requestStore: store, later: await another(), close }
  },
}

describe('the streams of an account', () => {
  it('are of these kinds, and the deletion of an account must find a new kind too', () => {
    const named = ['alerts-', 'ignored-', 'affiliate-', 'book-', 'credits-', 'credit-segments-']
    const listed = ['transaction-', 'unread-', 'job-', 'plan-order-']
    const apart = ['account-', 'email-']
    const ofTheInstallation = ['installation', 'first-account', 'ids', 'parked', 'import', '']
    expect(streamKinds.map(({ stream }) => stream.replace(/<.*/, ''))).to.have.members([
      ...named,
      ...listed,
      ...apart,
      ...ofTheInstallation,
    ])
  })
})

for (const [name, openStores] of Object.entries(STORES))
  describe(`attack: the deletion of an account, on ${name}`, () => {
    let api: ApiUnderTest
    let stores: Stores
    let database: Database
    let serial = 0
    let reasons: string[]

    before(async () => {
      api = await openApi(PLANS, 'real', { openStores: async (url) => (stores = await openStores(url)) })
      database = openDatabase(api.databaseUrl)
    })
    after(async () => {
      await database?.close()
      await api?.close()
      await stores?.close()
    })
    beforeEach(() => {
      reasons = []
    })

    const partsWith = (changed: Partial<EraseParts> = {}): EraseParts => ({
      store: api.store,
      accounts: api.accounts,
      list: listStreams(database, api.store, main),
      onFullRead: (reason) => reasons.push(reason),
      forget: forgetAccount(database),
      ...changed,
    })
    const occasionOf = (user_id: number) => ({
      user_id,
      at: new Date(),
      correlation_id: 'delete',
      causation_id: 'delete',
    })
    const erase = ({ user_id, email }: FreshAccount, changed: Partial<EraseParts> = {}) =>
      eraseAccount(partsWith(changed), occasionOf(user_id), email)

    const append = async (
      stream: string,
      userId: number | null,
      events: readonly { type: string; data: unknown }[],
      store = api.store,
    ) => {
      const [[newest] = []] = await api.store.read([{ stream, backwards: true, limit: 1 }])
      const stamped = stamp(events, { ...occasionOf(1), user_id: userId })
      const expectedRevision = newest?.revision ?? NO_STREAM
      const [result] = await store.append([[{ stream, expectedRevision, events: stamped }]])
      if (!result?.ok) throw new Error(`conflict on ${stream}`)
      return { checkpoint: result.checkpoint, event: stamped[0]!, revision: expectedRevision + 1 }
    }

    const post = (account: FreshAccount, text: string) =>
      api.ask('POST', fromVietcombank(`/api/receive/u/${account.receive_token}`), { body: text })

    /** An account with a stream of each kind that an account has. */
    const filledAccount = async (): Promise<FreshAccount> => {
      const account = await api.newAccount(`shop${++serial}@example.com`, 'Free', PASSWORD)
      const { api_key: key, user_id } = account
      const json = { name: 'shop', url: 'http://127.0.0.1:9/hook' }
      await api.ask('POST', '/api/webhooks', { key, json })
      for (const n of [1, 2]) await post(account, vietcombankText(n, `DH${n}`))
      await post(account, 'Ma OTP cua ban la 123456')
      await post(account, 'TK 0011000415567 co bien dong la')
      await api.ask('POST', '/api/affiliate/links', { key, json: { label: 'blog' } })
      expect((await api.ask('POST', '/api/plans/order', { key, json: { plan: 'Pro' } })).status).to.equal(201)
      expect((await api.ask('POST', '/api/webhooks/bulk-retry', { key, json: { filter: {} } })).status).to.be.below(300)
      await append(`alerts-${user_id}`, user_id, [
        { type: 'AlertRaised', data: { user_id, alert_id: await api.nextId(), kind: 'source_silent', subject: 'receive_url', text: 'x', since: new Date().toISOString(), ends_at: null } },
      ]) // prettier-ignore
      // A notification that was given up, as the scheduled work does it.
      const notification_id = await api.nextId()
      const given = { notification_id, user_id, source_type: 'sms', received_at: new Date().toISOString() }
      await append(`unread-${notification_id}`, user_id, [{ type: 'NotificationGivenUp', data: given }])
      const block = { user_id, credits: Buffer.alloc(16).toString('base64'), total: 1 }
      await append(creditsStream(user_id, 0), user_id, [{ type: 'CreditsRemembered', data: { ...block, segment: 0 } }])
      await append(creditSegmentsStream(user_id), user_id, [
        { type: 'CreditSegmentBegun', data: { user_id, segment: 1 } },
      ])
      await append(creditsStream(user_id, 1), user_id, [{ type: 'CreditsRemembered', data: { ...block, segment: 1 } }])
      await api.decree(user_id, { type: 'EmailVerified', data: { user_id } })
      return account
    }

    const eventsOf = async (userId: number) =>
      (await api.store.readAll(null, 100_000)).filter(({ metadata }) => metadata.user_id === userId)

    const kindsOf = async (userId: number) =>
      new Set((await eventsOf(userId)).map(({ stream }) => stream.replace(/\d.*|(?<=^(?:book|email)-).*/, '')))

    /** Every stream with an event of the account has one visible event, which closes it. */
    const expectNothingLeft = async ({ user_id }: FreshAccount) => {
      const streams = [...new Set((await eventsOf(user_id)).map(({ stream }) => stream))]
      const left = await api.store.read(streams.map((stream) => ({ stream })))
      streams.forEach((stream, index) => {
        const types = left[index]!.map(({ type }) => type)
        expect(types.length, `${stream}: ${types.join()}`).to.be.at.most(1)
        for (const type of types)
          expect(isClosing(type) || type === 'EmailReleased', `${stream}: ${type}`).to.equal(true)
      })
      expect(await faults(user_id)).to.deep.equal([])
      // At this event, the read models remove the rows that writes in progress have added meanwhile.
      const last = (await eventsOf(user_id)).findLast(({ stream }) => !stream.startsWith('email-'))
      expect([last?.stream, last?.type]).to.deep.equal([accountStream(user_id), 'AccountDeleted'])
    }

    const faults = async (userId: number): Promise<string[]> => {
      const found: string[] = []
      await auditStore(api.store, new Date(), (fault) => found.push(fault))
      return found.filter((fault) => fault.includes(`although its account ${userId} was deleted`))
    }

    const expectKilled = (deletion: Promise<unknown>) =>
      deletion.then(
        () => expect.fail('it was not killed'),
        (error: Error) => expect(error.message).to.equal('killed'),
      )

    it('also reads what the read models have not processed', async () => {
      const account = await filledAccount()
      const old = await listStreams(database, api.store, main)(account.user_id)
      await post(account, vietcombankText(3, 'DH3'))
      expect((await erase(account, { list: () => Promise.resolve(old) })).transactions).to.equal(3)
      expect(reasons).to.deep.equal([])
      await expectNothingLeft(account)
    })

    it('reads every event since the registration if there are no read models', async () => {
      const account = await filledAccount()
      const elsewhere = listStreams(database, api.store, { ...main, schema: 'not_there' })
      expect((await erase(account, { list: elsewhere })).transactions).to.equal(2)
      expect(reasons).to.deep.equal(['the read models cannot be used: there are none yet'])
      await expectNothingLeft(account)
    })

    it('reads every event since the registration if an earlier deletion was killed, and audit names what was left', async () => {
      const account = await filledAccount()
      const { user_id } = account
      let appends = 0
      const store = {
        ...api.store,
        append: (units: Parameters<EventStore['append']>[0]) => {
          if (++appends > 3) throw new Error('killed')
          return api.store.append(units)
        },
      }
      const deletions = openDeletions(database)
      const begun = async () => (await deletions.all()).map((deletion) => deletion.user_id)
      const unfinished = async () =>
        (await unfinishedDeletions(api.store, deletions)).map((each) => [each.user_id, each.command])
      const killed = whileDeleting(database, user_id, async () => {
        expect(await unfinished(), 'while it runs').to.deep.equal([[user_id, null]])
        await erase(account, { store }).finally(async () => {
          expect(await unfinished(), 'until its process ends').to.deep.equal([[user_id, null]])
          await forgetEndedDeletions(api.store, deletions)
        })
      })
      await expectKilled(killed)
      expect(await unfinished()).to.deep.equal([[user_id, `baoco account delete '${account.email}' --yes`]])
      await api.decree(api.owner.user_id, { type: 'EmailVerified', data: { user_id: api.owner.user_id } })
      const rows = 'SELECT FROM read_model.transaction WHERE user_id = $1'
      await eventually(async () => (await database.query(rows, [user_id])).length === 0)
      const left = await faults(user_id)
      expect(left).to.include(`affiliate-${user_id}: not closed, although its account ${user_id} was deleted`)
      expect(left).to.include(
        `account-${user_id}: not erased, although its account ${user_id} was deleted: run baoco account delete '${account.email}' --yes again`,
      )
      await erase(account)
      expect(reasons).to.deep.equal(['an earlier deletion of the account did not finish'])
      await expectNothingLeft(account)
      expect(await unfinished()).to.deep.equal([])
      expect(await begun(), 'after a look').to.include(user_id)
      await forgetEndedDeletions(api.store, deletions)
      expect(await begun(), 'after a start').to.not.include(user_id)
      // Only the release of the e-mail may be missing after that, so nothing is read again.
      reasons = []
      expect(await erase(account)).to.deep.equal({ transactions: 0, others: 0 })
      expect(reasons).to.deep.equal([])
    })

    it('frees the email address if it was killed just before that, and a second run releases no other claim', async () => {
      const account = await filledAccount()
      const append: EventStore['append'] = (units) => {
        if (units.flat().some(({ events }) => events.some(({ type }) => type === 'EmailReleased')))
          throw new Error('killed')
        return api.store.append(units)
      }
      await expectKilled(erase(account, { store: { ...api.store, append } }))
      expect(await accountOfEmail(api.store, account.email)).to.equal(account.user_id)
      const { user_id } = await api.newAccount(account.email, 'Free', PASSWORD)
      expect(user_id).to.not.equal(account.user_id)
      expect(await erase(account)).to.deep.equal({ transactions: 0, others: 0 })
      expect(await accountOfEmail(api.store, account.email)).to.equal(user_id)
      expect(await faults(account.user_id)).to.deep.equal([])
    })

    it('forgets all that the account ever had, even if an earlier run was killed just before that', async () => {
      const account = await filledAccount()
      const { user_id } = account
      const paired = { user_id, device_id: 1, token_hash: 'a'.repeat(64), platform: null, model: null }
      await api.decree(user_id, { type: 'DevicePaired', data: paired })
      const transactions = (await eventsOf(user_id)).flatMap((event) =>
        event.type === 'TransactionCaptured' ? [event.data.transaction_id] : [],
      )
      await expectKilled(erase(account, { forget: () => Promise.reject(new Error('killed')) }))
      let forgotten: DeletedAccount | undefined
      await erase(account, { forget: async (deleted) => void (forgotten = deleted) })
      expect(transactions).to.have.length(2)
      expect(forgotten!.transactions).to.have.members(transactions)
      expect(forgotten!.token_hashes).to.deep.equal([paired.token_hash])
      expect(forgotten!.rules).to.have.length(1)
    })

    it('is refused for a claim without an account, and does not release it', async () => {
      const user_id = await api.nextId()
      const email = `interrupted${user_id}@example.com`
      await append(emailStream(email), user_id, [{ type: 'EmailClaimed', data: { user_id } }])
      const refused = await eraseAccount(partsWith(), occasionOf(user_id), email).catch((error: unknown) => error)
      expect(refused).to.include({ name: 'AccountGone', code: 'NOT_FOUND' })
      expect(await accountOfEmail(api.store, email)).to.equal(user_id)
    })

    it('erases streams that are parked, and those whose first event was skipped', async () => {
      const account = await filledAccount()
      const { user_id } = account
      const parked = async () =>
        (await database.query<{ stream: string }>('SELECT stream FROM read_model.parked')).map(({ stream }) => stream)
      const streams: string[] = []
      const unknown = [{ type: 'CapturedByALaterRelease', data: {} }]
      for (const skipped of [false, true]) {
        const stream = transactionStream(await api.nextId())
        streams.push(stream)
        const { event, revision } = await append(stream, user_id, unknown, stores.later)
        await eventually(async () => (await parked()).includes(stream))
        if (!skipped) continue
        const data = {
          stream, revision, event_id: event.id, type: event.type, reason: 'unknown_type', detail: '', projectors: ['main'],
        } // prettier-ignore
        await append(PARKED_STREAM, null, [{ type: 'ParkedEventSkipped', data }])
        await eventually(async () => !(await parked()).includes(stream))
      }
      await erase(account)
      expect(reasons).to.deep.equal([])
      const closed = await api.store.read(streams.map((stream) => ({ stream })))
      expect(closed.map((events) => events.map(({ type }) => type))).to.deep.equal([['StreamErased'], ['StreamErased']])
      await expectNothingLeft(account)
    })

    it('leaves nothing that audit does not name', async () => {
      const account = await filledAccount()
      const { user_id } = account
      await erase(account)
      expect(await faults(user_id)).to.deep.equal([])
      const stream = jobStream(await api.nextId())
      await append(stream, user_id, [{ type: 'JobCancelled', data: { job_id: 1 } }])
      expect(await faults(user_id)).to.deep.equal([
        `${stream}: not closed, although its account ${user_id} was deleted`,
      ])
    })

    // The last one, because every other test reads the whole store.
    it('reads only events of the account, however many events of others follow its registration', async () => {
      const account = await filledAccount()
      const { user_id } = api.owner
      await append(accountStream(user_id), user_id, Array(OTHERS).fill({ type: 'EmailVerified', data: { user_id } }))
      await api.decree(user_id, { type: 'EmailVerified', data: { user_id } })
      expect([...(await kindsOf(account.user_id))]).to.include.members([
        'account-', 'affiliate-', 'alerts-', 'book-', 'credit-segments-', 'credits-', 'ignored-', 'job-', 'plan-order-',
        'transaction-', 'unread-',
      ]) // prettier-ignore
      let read = 0
      const readAll: EventStore['readAll'] = async (after, limit) => {
        const events = await api.store.readAll(after, limit)
        read += events.length
        return events
      }
      const erased = await erase(account, { store: { ...api.store, readAll } })
      expect(erased.transactions).to.equal(2)
      expect(erased.others).to.be.at.least(10)
      expect(read).to.be.lessThan(MOST_READ)
      expect(reasons).to.deep.equal([])
      await expectNothingLeft(account)
    })
  })
