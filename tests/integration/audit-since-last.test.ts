/** Tests the audit of what was stored since the last audit, on both event stores: what it reads and what it finds. */
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { keepAudit, keptAudit } from '../../adapters/postgres/ops/last-audit.ts'
import { setReaders } from '../../adapters/postgres/ops/migrated-positions.ts'
import { accountStream } from '../../domain/account/events.ts'
import type { NotificationSeen } from '../../domain/dedup/events.ts'
import { dedupStream } from '../../domain/dedup/events.ts'
import { ID_STREAM } from '../../domain/ids.ts'
import { parseEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Checkpoint, type EventStore } from '../../domain/ports.ts'
import { transactionStream, type TransactionEventData } from '../../domain/transaction/events.ts'
import { auditStore, continuedFrom, type Audited } from '../../workflows/audit/audit.ts'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { stamp } from '../../workflows/support/stamp.ts'
import { goldenFile } from '../corpus/golden-events.ts'
import { capturedData } from '../harness/captured-data.ts'
import { freshDatabase } from '../harness/postgres.ts'
import { openParsedStores } from './eventstoredb/stand-in-stores.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const SEEN = goldenFile('NotificationSeen', 1)!.examples[0] as NotificationSeen
const IDS = 1_000_000
/** More events than one page of the audit has. */
const MORE_THAN_A_PAGE = 2_000

interface Opened {
  store: EventStore
  close(): Promise<void>
}

const STORES: Record<string, () => Promise<Opened>> = {
  Postgres: async () => {
    const { url, drop } = await freshDatabase()
    await migrateDatabase(url)
    const store = await openPostgresEventStore({ url, parse: parseEvent })
    return { store, close: () => store.close().then(drop) }
  },
  EventStoreDB: () => openParsedStores(parseEvent),
}

type Event = { type: string; data: unknown }

for (const [name, open] of Object.entries(STORES))
  describe(`the audit of what was stored since the last one, on ${name}`, function () {
    let opened: Opened
    let store: EventStore
    let read: { pages: number; slices: number }
    let serial: number

    beforeEach(async () => {
      opened = await open()
      read = { pages: 0, slices: 0 }
      serial = 0
      store = {
        ...opened.store,
        readAll: async (after, limit) => {
          const events = await opened.store.readAll(after, limit)
          read.pages += events.length
          return events
        },
        read: async (slices) => {
          const found = await opened.store.read(slices)
          read.slices += found.flat().length
          return found
        },
      }
      await append(ID_STREAM, null, [{ type: 'IdsReserved', data: { from: 1, to: IDS } }])
      await register(1)
    })
    afterEach(() => opened.close())

    const append = async (stream: string, user_id: number | null, events: readonly Event[]): Promise<void> => {
      const [[newest] = []] = await opened.store.read([{ stream, backwards: true, limit: 1 }])
      const stamped = stamp(events, { user_id, at: NOW, correlation_id: 'test', causation_id: 'test' })
      const unit = [{ stream, expectedRevision: newest?.revision ?? NO_STREAM, events: stamped }]
      const [result] = await opened.store.append([unit])
      if (!result?.ok) throw new Error(`conflict on ${stream}`)
    }
    const verified = (user_id: number): Event => ({ type: 'EmailVerified', data: { user_id } })
    const deleted = (transaction_id: number, user_id = 1): Event => ({
      type: 'TransactionDeleted',
      data: { transaction_id, user_id, captured_at: NOW.toISOString(), counted: false },
    })
    const register = (user_id: number) =>
      append(accountStream(user_id), user_id, [
        {
          type: 'AccountRegistered',
          data: {
            user_id,
            email: `${user_id}'\`id\`@a.vn`,
            name: null,
            operator: false,
            registered_at: NOW.toISOString(),
          },
        },
      ])
    const sees = (transaction_id: number, user_id = 1) =>
      append(dedupStream(user_id, 'VCB'), user_id, [
        { type: 'NotificationSeen', data: { ...SEEN, transaction_id, verdict: 'new', copy_of: null } },
      ])
    const captures = async (transaction_id: number, user_id = 1) => {
      const created_at = NOW.toISOString()
      const data = capturedData({ transaction_id, user_id, rules: [5], webhook_status: 'pending', created_at })
      await append(transactionStream(transaction_id), user_id, [{ type: 'TransactionCaptured', data }])
    }
    /** A correct payment. @returns its id */
    const pay = async (user_id = 1): Promise<number> => {
      const id = ++serial
      await sees(id, user_id)
      await captures(id, user_id)
      return id
    }
    const attempt = (transaction_id: number, number: number, changed: object = {}) => {
      const data: TransactionEventData['WebhookAttempted'] = {
        transaction_id, attempt_id: 900_000 + ++serial, rule_id: 5, attempt: number, method: 'POST', account_revision: 0,
        url: 'http://127.0.0.1:9/', timestamp: 1, body_sha256: 'x', renderer: 1, http_status: 500, response_body: '',
        error: null, sent_at: NOW.toISOString(), duration_ms: 1, outcome: 'retrying', next_attempt_at: NOW.toISOString(),
        ...changed,
      } // prettier-ignore
      return append(transactionStream(transaction_id), 1, [{ type: 'WebhookAttempted', data }])
    }
    /** Makes the audit read more than one page. */
    const fillPage = async () => {
      for (let some = 0; some < MORE_THAN_A_PAGE; some += 500)
        await append(accountStream(1), 1, Array<Event>(500).fill(verified(1)))
    }

    const audit = async (after: Checkpoint | null = null): Promise<Audited & { faults: string[] }> => {
      read = { pages: 0, slices: 0 }
      const faults: string[] = []
      const audited = await auditStore(store, NOW, (fault) => faults.push(fault), after)
      return { ...audited, faults }
    }
    /** Audits everything, which has these faults. @returns where the next audit begins */
    const auditedBefore = async (...faults: string[]): Promise<Checkpoint> => {
      const whole = await audit()
      expect(whole.faults).to.deep.equal(faults)
      const after = await continuedFrom(store, whole.end!)
      expect(after).to.equal(whole.end!.checkpoint)
      return after!
    }

    it('reads only what was stored since, and reports no earlier faults', async () => {
      for (let n = 0; n < 40; n++) await pay()
      await append('odd', 1, [{ type: 'Odd', data: {} }])
      const after = await auditedBefore('odd@0: this release does not know the event Odd; its stream is parked')
      expect(read.pages).to.be.greaterThan(80)
      await attempt(await pay(), 1)
      const { faults, events, transactions, end } = await audit(after)
      expect({ faults, events, transactions }).to.deep.equal({ faults: [], events: 3, transactions: 1 })
      expect(read.pages).to.equal(3)
      expect(read.slices).to.be.lessThan(10)
      expect(await audit(end!.checkpoint)).to.deep.include({ faults: [], events: 0, transactions: 0, end: null })
    })

    it('reads the whole of a transaction that was captured before and has a new event', async () => {
      const [id, other] = [await pay(), await pay()]
      await attempt(id, 3)
      await attempt(other, 3)
      const faultsOf = (of: number) => [1, 2].map((n) => `transaction-${of}: attempt ${n} for rule 5 is missing`)
      const after = await auditedBefore(...faultsOf(id), ...faultsOf(other))
      await attempt(id, 4)
      const { faults, transactions } = await audit(after)
      expect({ faults, transactions }).to.deep.equal({ faults: faultsOf(id), transactions: 1 })
    })

    it('checks a transaction once, even if its events are on several pages', async () => {
      const old = await pay()
      const after = await auditedBefore()
      const fresh = await pay()
      for (const id of [old, fresh]) await attempt(id, 2)
      await fillPage()
      for (const id of [old, fresh]) await attempt(id, 3)
      const { faults, transactions } = await audit(after)
      expect(transactions).to.equal(2)
      expect(faults).to.have.members([old, fresh].map((id) => `transaction-${id}: attempt 1 for rule 5 is missing`))
    })

    it('finds a transaction that is in no deduplication window, and knows earlier entries', async () => {
      await sees(7_001)
      await append(accountStream(1), 1, [verified(1)])
      const after = await auditedBefore()
      await captures(7_001)
      await captures(7_002)
      expect((await audit(after)).faults).to.deep.equal([
        'transaction-7002: its notification is in no deduplication window',
      ])
    })

    it('finds a deleted transaction whose events are still there', async () => {
      const [kept, erased] = [await pay(), await pay()]
      const after = await auditedBefore()
      for (const id of [kept, erased]) await append(transactionStream(id), 1, [deleted(id)])
      await store.erase(transactionStream(erased))
      expect((await audit(after)).faults).to.deep.equal([
        `transaction-${kept}: it was deleted, and its events are still there`,
      ])
    })

    it('knows earlier ids and revisions of the account', async () => {
      await append(accountStream(1), 1, [verified(1)])
      const after = await auditedBefore()
      const id = await pay()
      await attempt(id, 1, { account_revision: 1 })
      expect((await audit(after)).faults).to.deep.equal([])
      await attempt(id, 2, { account_revision: 4_000 })
      await sees(IDS + 1)
      expect((await audit(after)).faults).to.deep.equal([
        'account-1: attempts name its revision 4000, which is not there',
        `ids: ${IDS + 1} is used, and only ids up to ${IDS} are given out`,
      ])
    })

    it('finds that earlier events of an account are missing', async () => {
      await register(6)
      const after = await auditedBefore()
      for (const user of [1, 6]) await append(accountStream(user), user, [verified(user), verified(user)])
      expect((await audit(after)).faults).to.deep.equal([])
      await append(accountStream(6), 6, [verified(6)])
      const later = (await audit()).end!
      await append(accountStream(6), 6, [verified(6)])
      await store.erase(accountStream(6))
      expect((await audit(later.checkpoint)).faults).to.deep.equal([
        'account-6@4: its revision 3 is missing',
        'account-6: cut off: its first visible event is EmailVerified at revision 4',
      ])
    })

    it('finds leftovers of accounts that were deleted since, or before', async () => {
      for (const user of [6, 7, 8]) await register(user)
      const paid = await pay(6)
      await append(accountStream(8), 8, [{ type: 'AccountDeleted', data: { user_id: 8 } }])
      await store.erase(accountStream(8))
      const after = await auditedBefore()
      for (const user of [6, 7])
        await append(accountStream(user), user, [{ type: 'AccountDeleted', data: { user_id: user } }])
      await append(transactionStream(paid), 6, [deleted(paid, 6)])
      await append('job-500', 8, [{ type: 'JobCancelled', data: { job_id: 500 } }])
      await store.erase(transactionStream(paid))
      await store.erase(accountStream(6))
      expect((await audit(after)).faults).to.deep.equal([
        `account-7: not erased, although its account 7 was deleted: run baoco account delete '7'\\''\`id\`@a.vn' --yes again`,
        'job-500: not closed, although its account 8 was deleted',
      ])
    })

    it('records the position of an event that does not expire, and can continue there at any time', async () => {
      const id = await pay()
      await sees(id + 1)
      const { end } = await audit()
      expect(end!.stream).to.equal(transactionStream(id))
    })

    it('cannot continue in a store that went back, or in another one', async () => {
      await pay()
      const end = (await audit()).end!
      const elsewhere: Record<string, StorePosition> = {
        'another event': { ...end, event_id: '00000000-0000-4000-8000-000000000000' },
        'a later event': { ...end, revision: end.revision + 1 },
        'another stream': { ...end, stream: 'transaction-77' },
        'another kind of store': { ...end, checkpoint: 'x' },
      }
      for (const [what, position] of Object.entries(elsewhere))
        expect(await continuedFrom(store, position), what).to.equal(null)
      // The stream was erased since, so the store did not go back.
      await append(end.stream, 1, [deleted(serial)])
      await store.erase(end.stream)
      expect(await continuedFrom(store, end)).to.equal(end.checkpoint)
    })
  })

describe('the position of the last audit', () => {
  it('is forgotten when the events are imported into another store', async () => {
    const { url, drop } = await freshDatabase()
    await migrateDatabase(url)
    const database = openDatabase(url)
    const at = NOW.toISOString()
    const event_id = '00000000-0000-4000-8000-000000000001'
    const position: StorePosition = { checkpoint: '7', event_id, stream: 'transaction-1', revision: 0 }
    const kept = { ended_at: at, events: 7, transactions: 1, faults: 3, whole_at: at, event_faults: 2, position }
    expect(await keptAudit(database)).to.equal(null)
    await keepAudit(database, kept)
    expect(await keptAudit(database)).to.deep.equal(kept)
    await setReaders(database, {}, { group: 'x', checkpoint: '9/9' })
    expect(await keptAudit(database)).to.deep.equal({ ...kept, position: null })
    await database.close()
    await drop()
  })
})
