import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openIds } from '../../../adapters/system/ids.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openPutOffReactions } from '../../../adapters/postgres/ops/put-off-reactions.ts'
import { openReactorCheckpoint } from '../../../adapters/postgres/ops/reactor-checkpoint.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import { openSender } from '../../../adapters/webhook-sender/sender.ts'
import { accountStream } from '../../../domain/account/events.ts'
import { alertStream } from '../../../domain/alert/events.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { EventStore, Mail, Mailer } from '../../../domain/ports.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { mailLinks } from '../../../workflows/accounts/mail-links.ts'
import { allReactors } from '../../../workflows/reactors/all.ts'
import { reactor, type Reactor } from '../../../workflows/reactors/reactor.ts'
import { runReactors } from '../../../workflows/reactors/run.ts'
import { goldenFile } from '../../corpus/golden-events.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

const USER = 1
const RULE = 5

describe('reactors', () => {
  let place: TestDatabase
  let database: Database
  let store: EventStore
  let logged: { what: string; fields: Record<string, unknown> }[]
  let stops: (() => Promise<void>)[]
  let minute: number
  let mails: Mail[]

  beforeEach(async () => {
    place = await freshDatabase()
    database = openDatabase(place.url)
    store = await openPostgresEventStore({ url: place.url, parse: parseEvent })
    logged = []
    stops = []
    minute = 0
    mails = []
  })
  afterEach(async () => {
    for (const stop of stops) await stop()
    await store.close()
    await database.close()
    await place.drop()
  })

  /** Appends one event per minute and returns its id. */
  const happened = async (stream: string, type: string, given: object): Promise<string> => {
    const data = { ...(goldenFile(type, 1)!.examples[0] as object), ...given }
    const [last] = (await store.read([{ stream, backwards: true, limit: 1 }]))[0]!
    const expectedRevision = last?.revision ?? -1
    const at = new Date(Date.parse('2026-03-01T00:00:00Z') + ++minute * 60_000).toISOString()
    const metadata = { user_id: USER, at, correlation_id: `c${minute}`, causation_id: 'test', version: 1 }
    const id = randomUUID()
    const [result] = await store.append([[{ stream, expectedRevision, events: [{ id, type, data, metadata }] }]])
    expect(result?.ok).to.equal(true)
    return id
  }

  const account = (type: string, data: object = {}) =>
    happened(accountStream(USER), type, { user_id: USER, rule_id: RULE, ...data })
  const transaction = (transaction_id: number, type: string, data: object = {}) =>
    happened(transactionStream(transaction_id), type, { transaction_id, ...data })
  const gone = (transaction_id: number) =>
    transaction(transaction_id, 'DeliveryEnded', { rule_id: RULE, reason: 'gone' })

  const all = (): readonly Reactor[] => {
    const clock = { now: () => new Date() }
    const mailer: Mailer = { send: async (mail) => void mails.push(mail) }
    const links = mailLinks('secret', 'https://x')
    return allReactors({
      store,
      clock,
      ids: openIds({ store, clock }),
      vault: openVault(['ab'.repeat(32)]),
      mailer,
      links,
      sender: openSender({ allowPrivate: true }),
      log: { warn: () => {} },
      adminEmail: 'owner@baoco.local',
      commission: 20,
      plans: null,
      maxAgeMs: 86_400_000,
    })
  }

  const start = (reactions: readonly Reactor[] = all()) => {
    const stopping = new AbortController()
    const line = (fields: object, what: string) => void logged.push({ what, fields: fields as Record<string, unknown> })
    const running = runReactors(
      {
        store,
        reactors: reactions,
        checkpoint: openReactorCheckpoint(database),
        putOffs: openPutOffReactions(database),
        log: { warn: line, error: line },
        mostFailures: 4,
      },
      stopping.signal,
    )
    const stop = async () => {
      stopping.abort()
      await running
    }
    stops.push(stop)
    return stop
  }

  /** Waits until this event was handled with all its effects. Events that follow from it may then be handled too. */
  const met = async (eventId: string) => {
    const { checkpoint } = (await store.readAll(null, 1_000)).find(({ id }) => id === eventId)!
    const reached = async () => (await openReactorCheckpoint(database).load())?.checkpoint
    await eventually(
      async () => {
        const at = await reached()
        return at !== undefined && !store.isAfter(checkpoint, at)
      },
      { what: 'the event' },
    )
  }

  const typesOf = async (stream: string): Promise<string[]> =>
    (await store.read([{ stream }]))[0]!.map(({ type }) => type)
  const pauses = async () =>
    (await store.read([{ stream: accountStream(USER) }]))[0]!.filter(({ type }) => type === 'RulePaused')

  it('erase a deleted transaction except for its deletion', async () => {
    await transaction(1, 'TransactionCaptured', { description: 'personal' })
    await transaction(2, 'TransactionCaptured', { description: 'personal' })
    await transaction(1, 'TransactionDeleted')
    start()
    await eventually(async () => (await typesOf(transactionStream(1))).length === 1)
    expect(await typesOf(transactionStream(1))).to.deep.equal(['TransactionDeleted'])
    expect(await typesOf(transactionStream(2))).to.deep.equal(['TransactionCaptured'])
  })

  it('pause the rule of an endpoint that is gone once, however often it answers 410', async () => {
    await account('RuleCreated', { is_active: 1 })
    const cause = await gone(1)
    await gone(2)
    start()
    await met(await gone(3))
    const paused = await pauses()
    expect(paused).to.have.length(1)
    expect(paused[0]!.data).to.deep.equal({ user_id: USER, rule_id: RULE, reason: 'gone', caused_by: cause })
    expect(paused[0]!.metadata).to.include({ user_id: USER, causation_id: cause, correlation_id: 'c2' })
  })

  it('ignore a rule that is deleted, inactive, or whose delivery ended because of its deletion', async () => {
    await account('RuleCreated', { is_active: 0 })
    await gone(1)
    await account('RuleChanged', { is_active: 1 })
    await transaction(2, 'DeliveryEnded', { rule_id: RULE, reason: 'rule_deleted' })
    await account('RuleDeleted')
    const last = await gone(3)
    start()
    await met(last)
    expect(await pauses()).to.deep.equal([])
  })

  it('leave a rule on that has a new url, whether the old one answered 410 before or after the change', async () => {
    const attempted = (transaction_id: number, url: string, rule_id = RULE) =>
      transaction(transaction_id, 'WebhookAttempted', { rule_id, url, http_status: 410, outcome: 'exhausted' })
    const [old, present] = ['https://old.vn/hook', 'https://new.vn/hook']
    await account('RuleCreated', { is_active: 1, url: old })
    await attempted(1, old)
    await gone(1)
    await account('RuleChanged', { url: present, is_active: undefined })
    await attempted(2, old)
    await gone(2)
    const later = await attempted(2, present)
    start()
    await met(later)
    expect(await pauses()).to.deep.equal([])
    await attempted(3, old)
    await attempted(3, present)
    await attempted(3, old, RULE + 1)
    const cause = await gone(3)
    await met(cause)
    expect((await pauses()).map(({ data }) => data)).to.deep.include.members([
      { user_id: USER, rule_id: RULE, reason: 'gone', caused_by: cause },
    ])
  })

  it('mail the operator once that a quota is nearly used, and not about quotas of long ago', async () => {
    await account('AccountRegistered', {
      email: 'shop@example.com',
      name: null,
      operator: false,
      registered_at: '2026-03-01T00:00:00.000Z',
    })
    await account('QuotaWarned', { month: '2026-03', transactions: 80, limit: 100 })
    minute = Math.floor((Date.now() - Date.parse('2026-03-01T00:00:00Z')) / 60_000) - 10
    const warned = await account('QuotaWarned', { month: '2026-11', transactions: 81, limit: 100 })
    start()
    await met(warned)
    const toOwner = mails.filter(({ to }) => to === 'owner@baoco.local')
    expect(toOwner).to.have.length(1)
    expect(toOwner[0]).to.include({ key: warned })
    expect(toOwner[0]!.subject).to.include('shop@example.com').and.include('81%')
  })

  it('release a completed transaction when the copy is stored that prints its confirmed bank account', async () => {
    const number = { bank_code: 'VCB', account_number: '0099000888777' }
    const captured = {
      ...number,
      user_id: USER,
      transaction_type: 'credit',
      amount: '5.00',
      created_at: new Date().toISOString(),
    }
    const unmatched = { order_id: null, prefix: null, rules: [], webhook_status: 'skipped', already_run_of: null }
    const held = { order_id: 'DH7', prefix: 'DH', rules: [], webhook_status: 'no_match', held: 'unconfirmed_account' }
    await account('AccountRegistered')
    await account('SystemAdded', { system_id: 3, payment_prefix: 'DH', is_active: 1 })
    const filters = { system_id: null, is_active: 1, filter_banks: [], filter_type: 'both', min_amount: null }
    await account('RuleCreated', filters)
    await account('BankAccountSeen', { ...number, bank_account_id: 9, waits: true })
    await account('BankAccountConfirmed', { bank_account_id: 9 })
    await transaction(1, 'TransactionCaptured', {
      ...captured,
      ...unmatched,
      account_number: null,
      content: null,
      description: '',
    })
    await transaction(3, 'TransactionCaptured', { ...captured, ...unmatched })
    await transaction(3, 'TransactionCompleted', { ...held, completed_by: 4 })
    minute = Math.floor((Date.now() - Date.parse('2026-03-01T00:00:00Z')) / 60_000) - 10
    await transaction(1, 'TransactionCompleted', { ...held, completed_by: 2 })
    start()
    const failures = () => logged.filter(({ fields }) => fields.reaction === 'release_held')
    await eventually(() => failures().length > 0, { what: 'a look for the copy' })
    await transaction(2, 'TransactionCaptured', {
      ...captured,
      ...unmatched,
      already_run_of: 1,
      webhook_status: 'already_run',
    })
    await eventually(async () => (await typesOf(transactionStream(1))).includes('WebhookRetryRequested'))
    const [events = []] = await store.read([{ stream: transactionStream(1) }])
    expect(events[2]?.data).to.include({ order_id: 'DH7', webhook_status: 'pending', released: true })
    // Nothing waits for the copy of an old one.
    expect(new Set(failures().map(({ fields }) => fields.reason))).to.deep.equal(
      new Set(['the copy 2 is not stored yet']),
    )
  })

  it('repeat no effect if all events are handled again after a crash', async () => {
    await account('RuleCreated', { is_active: 1 })
    await gone(1)
    await transaction(2, 'TransactionCaptured')
    const deleted = await transaction(2, 'TransactionDeleted')
    const stop = start()
    await met(deleted)
    // What follows from the pause.
    await eventually(async () => (await typesOf(alertStream(USER))).includes('AlertRaised'))
    await stop()
    expect(await pauses()).to.have.length(1)
    // The owner reports that the shop is back. Then the checkpoint is lost.
    const changed = await account('RuleChanged', { is_active: 1 })
    await database.query('DELETE FROM ops.reaction_checkpoint')
    const before = await store.end()
    const again = start()
    await met(changed)
    await again()
    expect(await store.end()).to.equal(before)
    expect(await typesOf(transactionStream(2))).to.deep.equal(['TransactionDeleted'])
  })

  it('continue from their checkpoint, even if the last handled event was erased since', async () => {
    const seen: string[] = []
    const watching = reactor('watching', ['transaction-'], {
      TransactionCaptured: async ({ data }) => void seen.push(`captured ${data.transaction_id}`),
      TransactionDeleted: async ({ data }) => void seen.push(`deleted ${data.transaction_id}`),
    })
    const captured = await transaction(1, 'TransactionCaptured')
    const stop = start([watching])
    await met(captured)
    await stop()
    await transaction(1, 'TransactionDeleted')
    await store.erase(transactionStream(1))
    start([watching])
    await eventually(() => seen.length === 2)
    expect(seen).to.deep.equal(['captured 1', 'deleted 1'])
    expect(logged).to.deep.equal([])
  })

  it('save their checkpoint once for many events without effects', async () => {
    let met = 0
    const idle = reactor('idle', ['transaction-'], { WebhookAttempted: () => (met++, 'nothing') })
    let saves = 0
    const counting = openReactorCheckpoint({ query: (...statement) => (saves++, database.query(...statement)) })
    const stopping = new AbortController()
    const line = () => expect.fail('nothing fails')
    const log = { warn: line, error: line }
    const running = runReactors(
      { store, reactors: [idle], checkpoint: counting, putOffs: openPutOffReactions(database), log },
      stopping.signal,
    )
    const began = performance.now()
    for (let number = 1; number <= 20; number++) {
      await transaction(number, 'WebhookAttempted')
      await eventually(() => met === number)
    }
    expect(saves).to.be.at.most(3 + (performance.now() - began) / 1_000)
    stopping.abort()
    await running
  })

  it('handle all events again in another store, and log that', async () => {
    await transaction(1, 'TransactionCaptured')
    await transaction(1, 'TransactionDeleted')
    await openReactorCheckpoint(database).save({
      checkpoint: '2',
      event_id: randomUUID(),
      stream: transactionStream(1),
      revision: 1,
    })
    start()
    await eventually(async () => (await typesOf(transactionStream(1))).length === 1)
    expect(logged.map(({ what }) => what)).to.deep.equal(['reactors.from_the_first_event'])
  })

  it('are retried until they succeed, and log which one failed', async () => {
    let tries = 0
    const failing = reactor('failing', ['transaction-'], {
      TransactionDeleted: async () => {
        if (++tries < 3) throw new Error('not yet')
      },
    })
    const deleted = await transaction(1, 'TransactionDeleted')
    start([failing])
    await met(deleted)
    expect(tries).to.equal(3)
    expect(logged.map(({ what, fields }) => [what, fields.reaction, fields.reason])).to.deep.equal([
      ['reaction.failed', 'failing', 'not yet'],
      ['reaction.failed', 'failing', 'not yet'],
    ])
  })

  it('continue without a reaction that keeps failing, and do it later', async () => {
    let isBroken = true
    const done: number[] = []
    const failing = reactor('failing', ['transaction-'], {
      TransactionDeleted: async ({ data: { transaction_id } }) => {
        if (isBroken) throw new Error('out of order')
        done.push(transaction_id)
      },
    })
    await transaction(1, 'TransactionDeleted')
    await transaction(2, 'TransactionCaptured')
    const deleted = await transaction(2, 'TransactionDeleted')
    start([failing, ...all()])
    await met(deleted)
    expect(await typesOf(transactionStream(2))).to.deep.equal(['TransactionDeleted'])
    expect(logged.map(({ what }) => what)).to.include.members(['reaction.failed', 'reaction.put_off'])
    isBroken = false
    // The list is tried at each start.
    start([failing])
    await eventually(() => done.length === 2)
    expect(done).to.deep.equal([1, 2])
  })

  it('end with the subscription that the store refuses, and do nothing that was put off afterwards', async () => {
    await transaction(1, 'TransactionDeleted')
    const done: number[] = []
    const late = reactor('late', ['transaction-'], {
      TransactionDeleted: async ({ data: { transaction_id } }) => void done.push(transaction_id),
    })
    let list = () => {}
    const isListed = new Promise<void>((resolve) => (list = resolve))
    const putOff = { reactor: 'late', stream: transactionStream(1), revision: 0 }
    const all = () => isListed.then(() => [putOff])
    const refusing: EventStore = {
      ...store,
      subscribe: () => {
        setImmediate(list)
        throw new Error('refused')
      },
    }
    const stopping = new AbortController()
    let tries = 0
    const running = runReactors(
      {
        store: { ...refusing, read: (slices) => (tries++, store.read(slices)) },
        reactors: [late],
        checkpoint: { load: async () => null, save: async () => {} },
        putOffs: { ...openPutOffReactions(database), all },
        log: { warn: () => {}, error: () => {} },
      },
      stopping.signal,
    )
    expect(await running.catch(({ message }: Error) => message)).to.equal('refused')
    await store.read([{ stream: transactionStream(1) }])
    expect({ tries, done }).to.deep.equal({ tries: 0, done: [] })
    stopping.abort()
  })

  it('wait for a store that is away, however long', async () => {
    let tries = 0
    const failing = reactor('failing', ['transaction-'], {
      TransactionDeleted: async () => {
        if (++tries < 6) throw new StoreUnavailable('away')
      },
    })
    const deleted = await transaction(1, 'TransactionDeleted')
    start([failing])
    await met(deleted)
    expect(logged.map(({ what }) => what)).not.to.include('reaction.put_off')
  })

  it('mail an alert, and continue, if the secret of the address for alerts cannot be opened', async () => {
    minute = Math.floor((Date.now() - Date.parse('2026-03-01T00:00:00Z')) / 60_000) - 10
    await account('AccountRegistered', { email: 'shop@example.com', name: null, operator: false })
    const sealed_secret = openVault(['cd'.repeat(32)]).seal('a secret under a lost key')
    await account('AlertWebhookSet', { webhook_url: 'https://shop.example/alerts', sealed_secret })
    await account('RulePaused')
    start()
    await eventually(() => logged.length > 0)
    // The outbox keeps one mail for each key.
    expect(new Set(mails.map((mail) => JSON.stringify(mail))).size).to.equal(1)
    await transaction(1, 'TransactionCaptured')
    const deleted = await transaction(1, 'TransactionDeleted')
    await met(deleted)
    expect(await typesOf(transactionStream(1))).to.deep.equal(['TransactionDeleted'])
    expect(logged.map(({ what }) => what)).to.deep.equal(['reaction.put_off'])
  })
})
