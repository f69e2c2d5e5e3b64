/** A reaction that cannot be done waits, and the reactors go on. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openPutOffReactions } from '../../../adapters/postgres/ops/put-off-reactions.ts'
import { openReactorCheckpoint } from '../../../adapters/postgres/ops/reactor-checkpoint.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { Accounts } from '../../../workflows/accounts/accounts.ts'
import { storeWithSkips } from '../../../workflows/parked/store-with-skips.ts'
import { retryEvent, skipEvent } from '../../../workflows/parked/resolve.ts'
import { reactor, type Reactor } from '../../../workflows/reactors/reactor.ts'
import { runReactors } from '../../../workflows/reactors/run.ts'
import { goldenFile } from '../../corpus/golden-events.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

const clock = { now: () => new Date() }
const metadata = { user_id: 1, at: '2026-03-01T00:00:00.000Z', correlation_id: 'c', causation_id: 'c', version: 1 }

describe('reactions that cannot be done', () => {
  let testDatabase: TestDatabase
  let database: Database
  let store: EventStore
  let stop: () => Promise<void>
  let done: string[]
  const logged: string[] = []

  beforeEach(async () => {
    testDatabase = await freshDatabase()
    database = openDatabase(testDatabase.url)
    store = storeWithSkips(await openPostgresEventStore({ url: testDatabase.url, parse: parseEvent }))
    done = []
    logged.length = 0
    stop = () => Promise.resolve()
  })
  afterEach(async () => {
    await stop()
    await store.close()
    await database.close()
    await testDatabase.drop()
  })

  /** @returns the id of the event */
  const happened = async (stream: string, type: string, given: object = {}, version = 1): Promise<string> => {
    const example = goldenFile(type, 1)?.examples[0] as object | undefined
    const [last] = (await store.read([{ stream, backwards: true, limit: 1 }]))[0]!
    const expectedRevision = last?.revision ?? -1
    const event = { id: randomUUID(), type, data: { ...example, ...given }, metadata: { ...metadata, version } }
    const [result] = await store.append([[{ stream, expectedRevision, events: [event] }]])
    expect(result?.ok).to.equal(true)
    return event.id
  }
  const start = (reactors: readonly Reactor[], over = store) => {
    const stopping = new AbortController()
    const line = (_: object, what: string) => void logged.push(what)
    const running = runReactors(
      {
        store: over,
        reactors,
        checkpoint: openReactorCheckpoint(database),
        putOffs: openPutOffReactions(database),
        log: { warn: line, error: line },
      },
      stopping.signal,
    )
    stop = async () => {
      stopping.abort()
      await running
    }
  }
  const waiting = () => openPutOffReactions(database).all()
  const noteOf = (accounts: Accounts): Reactor =>
    reactor('note', ['transaction-'], {
      TransactionCaptured: async ({ data: { transaction_id, user_id } }) => {
        await accounts.find(user_id)
        done.push(`captured ${transaction_id}`)
      },
      WebhookStatusChanged: ({ data: { transaction_id, to } }) => {
        done.push(`${transaction_id} is ${to}`)
        return Promise.resolve()
      },
    })
  const decision = (stream: string, revision: number, event_id: string) => ({
    stream,
    revision,
    event_id,
    type: 'NotYetInvented',
    reason: 'unknown_type',
    detail: '',
    projectors: ['main'],
  })

  it('wait for an account that cannot be read, and are done when its event is skipped', async () => {
    await happened('account-1', 'AccountRegistered', { user_id: 1 })
    const bad = await happened('account-1', 'NotYetInvented')
    await happened('transaction-1', 'TransactionCaptured', { transaction_id: 1, user_id: 1 })
    await happened('transaction-2', 'TransactionCaptured', { transaction_id: 2, user_id: 2 })
    start([noteOf(new Accounts(store))])
    await eventually(() => done.includes('captured 2'))
    expect(done).to.deep.equal(['captured 2'])
    expect(await waiting()).to.deep.equal([{ reactor: 'note', stream: 'transaction-1', revision: 0 }])
    expect(logged).to.include('reaction.put_off')
    await skipEvent({ store, clock }, decision('account-1', 1, bad))
    await eventually(() => done.length === 2)
    expect(done[1]).to.equal('captured 1')
    await eventually(async () => (await waiting()).length === 0)
  })

  it('on an event that cannot be read are done after a restart with a release that can, and later ones are done at once', async () => {
    await happened('transaction-1', 'WebhookStatusChanged', { transaction_id: 1, to: 'failed' }, 2)
    await happened('transaction-1', 'WebhookStatusChanged', { transaction_id: 1, to: 'success' })
    start([noteOf(new Accounts(store))])
    await eventually(() => done.length === 1)
    expect(done).to.deep.equal(['1 is success'])
    await stop()
    const steps = { WebhookStatusChanged: [(data: unknown) => data] }
    const newer = await openPostgresEventStore({ url: testDatabase.url, parse: (event) => parseEvent(event, steps) })
    try {
      start([noteOf(new Accounts(newer))], storeWithSkips(newer))
      await eventually(() => done.length === 2)
      expect(done[1]).to.equal('1 is failed')
      await stop()
      stop = () => Promise.resolve()
    } finally {
      await newer.close()
    }
  })

  it('that fail because of their own event wait too, and are tried again after a decision', async () => {
    let isBroken = true
    const broken = reactor('broken', ['transaction-'], {
      TransactionCaptured: ({ data: { transaction_id } }) => {
        if (isBroken && transaction_id === 1) throw new TypeError('cannot read properties of null')
        done.push(`captured ${transaction_id}`)
        return Promise.resolve()
      },
    })
    await happened('transaction-1', 'TransactionCaptured', { transaction_id: 1, user_id: 1 })
    await happened('transaction-2', 'TransactionCaptured', { transaction_id: 2, user_id: 1 })
    start([broken])
    await eventually(() => done.length === 1)
    expect(done).to.deep.equal(['captured 2'])
    isBroken = false
    await retryEvent({ store, clock }, decision('transaction-9', 0, randomUUID()))
    await eventually(() => done.length === 2)
    await eventually(async () => (await waiting()).length === 0)
  })
})
