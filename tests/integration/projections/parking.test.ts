/** An event that cannot be used parks its stream. The rest goes on, and a rebuild gives the same rows at every position. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { parseEvent, type StoredEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openApplier } from '../../../projections/engine/applier.ts'
import type { ParkedStream } from '../../../projections/engine/parked-table.ts'
import { verify } from '../../../projections/engine/replay.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { main } from '../../../projections/main.ts'
import { parkedStreams } from '../../../projections/parked/queries.ts'
import { storeWithSkips } from '../../../workflows/parked/store-with-skips.ts'
import { retryEvent, retryReadable, skipEvent } from '../../../workflows/parked/resolve.ts'
import { capturedData } from '../../harness/captured-data.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

const AT = '2026-02-01T00:00:00.000Z'
const clock = { now: () => new Date(AT) }
const metadata = { user_id: 1, at: AT, correlation_id: 'c', causation_id: 'c', version: 1 }
const event = (type: string, data: unknown, more: object = {}) => ({
  id: randomUUID(),
  type,
  data,
  metadata: { ...metadata, ...more },
})
const captured = (transaction_id: number, more: object = {}) =>
  event('TransactionCaptured', capturedData({ transaction_id, user_id: 1, ...more }))
const status = (transaction_id: number, from: string, to: string) =>
  event('WebhookStatusChanged', { transaction_id, from, to })
const attempted = (transaction_id: number) =>
  event('WebhookAttempted', {
    transaction_id, attempt_id: 900, rule_id: 5, attempt: 1, method: 'POST', url: 'https://shop.example/', account_revision: 1,
    timestamp: 1, body_sha256: 'x', renderer: 1, http_status: 200, response_body: '', error: null, sent_at: AT, duration_ms: 1,
    outcome: 'delivered', next_attempt_at: null,
  }) // prettier-ignore

describe('parking', () => {
  let setting: Setting
  let store: EventStore
  beforeEach(async () => {
    setting = await openSetting()
    store = storeWithSkips(setting.store)
  })
  afterEach(() => setting.close())

  const append = (stream: string, ...events: ReturnType<typeof event>[]) => setting.append([{ stream, events }])
  const parked = () => parkedStreams(setting.database, main)
  const decisionOn = ({ position: _, since: __, ...row }: ParkedStream) => ({ ...row, projectors: ['main'] })
  const transactions = async () =>
    ((await setting.rows()).transaction as { id: number; webhook_status: string }[]).map(
      ({ id, webhook_status }) => `${id} ${webhook_status}`,
    )
  const expectSameAsRebuilt = async (over: EventStore = store) => {
    const { differences, incomparable } = await verify({ store: over, tables: setting.tables, definition: main })
    expect({ differences, incomparable }).to.deep.equal({ differences: [], incomparable: null })
  }

  for (const [what, bad, reason] of [
    ['an unknown type', event('NotYetInvented', { x: 1 }), 'unknown_type'],
    ['a newer version', { ...status(7, 'no_match', 'failed'), metadata: { ...metadata, version: 2 } }, 'newer_version'],
    ['data that its schema refuses', event('WebhookStatusChanged', { transaction_id: 7 }), 'invalid_data'],
    ['null data', event('WebhookStatusChanged', null), 'invalid_data'],
    ['no metadata', { ...event('WebhookStatusChanged', null), metadata: null as never }, 'invalid_metadata'],
  ] as const)
    it(`${what} parks its stream from there on, and nothing else`, async () => {
      await append('transaction-7', captured(7))
      await append('transaction-7', bad)
      await append('transaction-7', status(7, 'no_match', 'success'))
      await append('transaction-8', captured(8), status(8, 'no_match', 'success'))
      await setting.catchUp({ store })
      expect(await transactions()).to.deep.equal(['7 no_match', '8 success'])
      const rows = await parked()
      expect(rows).to.have.length(1)
      expect(rows[0]).to.include({ stream: 'transaction-7', revision: 1, reason, type: bad.type })
      await expectSameAsRebuilt()
      // A restart knows it.
      await append('transaction-7', status(7, 'success', 'failed'))
      await append('transaction-9', captured(9))
      await setting.catchUp({ store })
      expect(await transactions()).to.have.length(3)
      expect(await parked()).to.deep.equal(rows)
    })

  it('an event that the database refuses parks its stream, and all others of its batch are applied', async () => {
    const history = new History(21).grow(60)
    await setting.append(history.decided.slice(0, 30))
    await append('transaction-7007', captured(7_007, { amount: '123456789012345678901234567890.00' }))
    await append('transaction-7007', status(7_007, 'no_match', 'success'))
    await append('transaction-7008', captured(7_008), captured(7_008))
    await setting.append(history.decided.slice(30))
    await setting.catchUp({ store })
    const rows = await parked()
    expect(rows.map(({ stream, revision, reason }) => ({ stream, revision, reason }))).to.have.deep.members([
      { stream: 'transaction-7007', revision: 0, reason: 'refused' },
      { stream: 'transaction-7008', revision: 1, reason: 'refused' },
    ])
    expect(rows.find(({ stream }) => stream === 'transaction-7007')!.detail).to.contain('SQLSTATE 22003')
    await expectSameAsRebuilt()
    for (const row of rows) await skipEvent({ store, clock }, decisionOn(row))
    await setting.catchUp({ store })
    expect(await parked()).to.deep.equal([])
    await expectSameAsRebuilt()
  })

  it('a skipped event is ignored, and the events after it are applied at the position of the decision', async () => {
    await append('transaction-7', captured(7))
    await append('transaction-7', event('NotYetInvented', {}))
    await append('transaction-7', status(7, 'no_match', 'failed'))
    await append('transaction-7', event('NotYetInvented', { again: true }))
    await append('transaction-7', status(7, 'failed', 'success'))
    await setting.catchUp({ store })
    await skipEvent({ store, clock }, decisionOn((await parked())[0]!))
    await append('transaction-8', captured(8))
    await setting.catchUp({ store })
    expect(await transactions()).to.deep.equal(['7 failed', '8 no_match'])
    expect((await parked()).map(({ revision }) => revision)).to.deep.equal([3])
    await expectSameAsRebuilt()
    const last = (await parked())[0]!
    await skipEvent({ store, clock }, decisionOn(last))
    // It comes after the decision, so it is applied at its own position, and only there.
    await append('transaction-7', attempted(7))
    await setting.catchUp({ store })
    expect(await transactions()).to.deep.equal(['7 success', '8 no_match'])
    expect((await setting.rows()).attempt).to.have.length(1)
    expect(await parked()).to.deep.equal([])
    await expectSameAsRebuilt()
    expect(await skipEvent({ store, clock }, decisionOn(last))).to.equal(null)
  })

  it('a running projector applies what comes after a decision', async () => {
    await append('transaction-7', captured(7), event('NotYetInvented', {}))
    const { projector, stop } = await setting.start({ store })
    const caughtUp = async () => expect(await projector.passed((await store.end())!, 30_000)).to.equal(true)
    await caughtUp()
    await skipEvent({ store, clock }, decisionOn((await parked())[0]!))
    await caughtUp()
    await append('transaction-7', status(7, 'no_match', 'success'))
    await caughtUp()
    await stop()
    expect(await transactions()).to.deep.equal(['7 success'])
  })

  it('a retry applies the event and those after it, once the release can read it', async () => {
    const bad = status(7, 'no_match', 'failed')
    await append('transaction-7', captured(7), { ...bad, metadata: { ...metadata, version: 2 } })
    await append('transaction-7', status(7, 'failed', 'success'))
    await setting.catchUp({ store })
    const [row] = await parked()
    // The older release itself tries it again: nothing changes.
    await retryEvent({ store, clock }, decisionOn(row!))
    await setting.catchUp({ store })
    expect(await parked()).to.deep.equal([row])
    await expectSameAsRebuilt()
    const upcasters = { WebhookStatusChanged: [(data: unknown) => data] }
    const newer = storeWithSkips(
      await openPostgresEventStore({ url: setting.url, parse: (stored) => parseEvent(stored, upcasters) }),
    )
    try {
      const position = async () => (await setting.store.end())!
      const due = [decisionOn(row!)]
      const retried = [await retryReadable({ store: newer, clock }, due, await position())]
      // The projector `search` reads it too, and has not reached the decision.
      retried.push(await retryReadable({ store: newer, clock }, due, row!.position))
      expect(retried).to.deep.equal([1, 0])
      await setting.catchUp({ store: newer })
      expect(await transactions()).to.deep.equal(['7 success'])
      expect(await parked()).to.deep.equal([])
      await expectSameAsRebuilt(newer)
    } finally {
      await newer.close()
    }
  })

  it('events that wait behind a parked one are ordered after events of other streams, even in a rebuild', async () => {
    // The deletion of a rule makes its open deliveries due. A capture that waits opens its delivery after that.
    const rule = { rule_id: 5, user_id: 1 }
    await append('transaction-7', event('NotYetInvented', {}), captured(7, { rules: [5], webhook_status: 'pending' }))
    await append('transaction-8', captured(8, { rules: [5], webhook_status: 'pending' }))
    await append('account-1', event('RuleDeleted', rule, { at: '2026-03-01T00:00:00.000Z' }))
    await setting.catchUp({ store })
    await skipEvent({ store, clock }, decisionOn((await parked())[0]!))
    await setting.catchUp({ store })
    const due = ((await setting.rows()).delivery as { transaction_id: number; due_at: string }[]).map(
      ({ transaction_id, due_at }) => [transaction_id, due_at.startsWith('2026-03-01')],
    )
    expect(due).to.deep.equal([
      [7, false],
      [8, true],
    ])
    await expectSameAsRebuilt()
    // The same if the release of the rebuild can read what was skipped.
    const newer = storeWithSkips(
      await openPostgresEventStore({
        url: setting.url,
        parse: (stored): StoredEvent =>
          stored.type === 'NotYetInvented'
            ? parseEvent({ ...captured(99), ...stored, type: 'TransactionCaptured', data: captured(99).data })
            : parseEvent(stored),
      }),
    )
    try {
      await expectSameAsRebuilt(newer)
    } finally {
      await newer.close()
    }
  })

  it('a closing event ends the wait of its stream', async () => {
    await append('transaction-7', captured(7), event('NotYetInvented', {}))
    await append('transaction-7', status(7, 'no_match', 'success'))
    await setting.catchUp({ store })
    expect(await parked()).to.have.length(1)
    const deleted = { transaction_id: 7, user_id: 1, captured_at: capturedData({}).created_at, counted: true }
    await append('transaction-7', event('TransactionDeleted', deleted))
    await setting.catchUp({ store })
    expect(await transactions()).to.deep.equal([])
    expect(await parked()).to.deep.equal([])
    await expectSameAsRebuilt()
    await store.erase('transaction-7')
    await expectSameAsRebuilt()
  })

  it('gives the same rows in batches of any size, with parked, skipped and retried streams', async () => {
    const history = new History(22).grow(120)
    let at = 0
    const some = async (n: number) => setting.append(history.decided.slice(at, (at += n)))
    for (let stream = 7_001; stream <= 7_006; stream++) {
      await some(10)
      await append(`transaction-${stream}`, captured(stream))
      await append(`transaction-${stream}`, stream % 2 === 0 ? event('NotYetInvented', {}) : captured(stream))
      await append(`transaction-${stream}`, status(stream, 'no_match', 'success'))
    }
    await setting.catchUp({ store })
    const rows = await parked()
    expect(rows).to.have.length(6)
    for (const row of rows.slice(0, 4)) {
      await skipEvent({ store, clock }, decisionOn(row))
      await some(10)
    }
    await retryEvent({ store, clock }, decisionOn(rows[5]!))
    await some(1_000)
    await setting.catchUp({ store })
    const whole = await setting.rows()
    expect(whole.parked).to.have.length(2)
    await createSchema(setting.tables, main, 'in_pieces')
    const { tables } = setting
    const applier = openApplier({ store, tables, definition: main, schema: 'in_pieces', anchor: null })
    const events = await store.readAll(null, 1_000_000)
    for (let from = 0, size = 1; from < events.length; from += size, size = 1 + ((size * 7 + 3) % 23)) {
      const piece = events.slice(from, from + size)
      await applier.apply(piece, piece.at(-1)!.checkpoint)
    }
    await applier.finish()
    expect(await setting.rows('in_pieces')).to.deep.equal(whole)
    await expectSameAsRebuilt()
  })
})
