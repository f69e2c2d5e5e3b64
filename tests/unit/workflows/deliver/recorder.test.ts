import { expect } from 'chai'
import { encode } from '../../../../adapters/event-store/encoding.ts'
import { StoreUnavailable } from '../../../../domain/errors.ts'
import type { NewEvent } from '../../../../domain/event.ts'
import { parseEvent, type StoredEvent } from '../../../../domain/parse-event.ts'
import { NO_STREAM, type EventStore, type Unit } from '../../../../domain/ports.ts'
import type { AttemptResult } from '../../../../domain/transaction/decide.ts'
import { foldTransaction } from '../../../../domain/transaction/transaction.ts'
import { openRecorder } from '../../../../workflows/deliver/recorder.ts'
import type { DeliveryQueue } from '../../../../workflows/deliver/queue.ts'
import { TrackedTransactions } from '../../../../workflows/deliver/tracked.ts'
import { eventually } from '../../../harness/eventually.ts'
import { captured, deleted, NOW, resultOf } from '../../domain/transaction/sentences.ts'

const STREAM = 'transaction-42'

/** A store with one stream. It can be unavailable, and it counts its appends. */
const openStore = () => {
  const events: StoredEvent[] = []
  const appends: number[] = []
  let isAway = false
  const put = (added: readonly NewEvent[]) => {
    for (const event of added)
      events.push(parseEvent({ ...event, stream: STREAM, revision: events.length, checkpoint: '' }))
  }
  const metadata = { user_id: 5, at: NOW.toISOString(), correlation_id: '', causation_id: '', version: 1 }
  const store = {
    append: (units: readonly Unit[]) => {
      if (isAway) return Promise.reject(new Error('away'))
      encode(units)
      appends.push(units.length)
      return Promise.resolve(
        units.map(([part]) => {
          const revision = events.length - 1
          if (part!.expectedRevision !== revision) return { ok: false, conflict: { stream: STREAM, revision } }
          put(part!.events)
          return { ok: true, checkpoint: '' }
        }),
      )
    },
    read: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([[...events]])),
  } as unknown as EventStore
  return {
    store,
    events,
    appends,
    types: () => events.map(({ type }) => type),
    away: (away: boolean) => (isAway = away),
    happened: (fact: { type: string; data: unknown }) => put([{ id: crypto.randomUUID(), ...fact, metadata }]),
  }
}

const setUp = () => {
  const store = openStore()
  store.happened(captured([7, 8]))
  const tracked = new TrackedTransactions()
  let id = 100
  const ids = { next: (count: number) => Promise.resolve(Array.from({ length: count }, () => id++)) }
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const { url } = resultOf(7, 1, 500)
  const queue: Pick<DeliveryQueue, 'presentRules'> = {
    presentRules: (rules) => Promise.resolve(rules.map((rule_id) => ({ rule_id, account_revision: 1, url }))),
  }
  const recorder = openRecorder({
    store: store.store,
    queue,
    ids,
    tracked,
    schedule: [60, 300],
    random: () => 0.5,
    onError,
  })
  const outcomes: (string | null)[] = []
  const submit = (result: AttemptResult) =>
    recorder.submit({
      transaction_id: 42,
      rule_id: result.rule_id,
      at: NOW,
      result,
      recorded: (attempted) => outcomes.push(attempted?.outcome ?? null),
    })
  const hold = (rule_id: number) => tracked.holdRead({ transaction_id: 42, rule_id, user_id: 5 }, [...store.events])
  return { ...store, tracked, queue, recorder, outcomes, submit, hold, errors }
}

const result = (rule: number, attempt: number, status: number) => resultOf(rule, attempt, status)

describe('the recorder', () => {
  it('writes simultaneous results of one transaction in one append, decided in order', async () => {
    const { recorder, hold, submit, types, appends, outcomes, tracked } = setUp()
    hold(7)
    hold(8)
    submit(result(7, 1, 200))
    submit(result(8, 1, 200))
    await recorder.end()
    expect(types().slice(1)).to.deep.equal(['WebhookAttempted', 'WebhookAttempted', 'WebhookStatusChanged'])
    expect(appends).to.deep.equal([1])
    expect(outcomes).to.deep.equal(['delivered', 'delivered'])
    expect(tracked.held).to.deep.equal([])
  })

  it('appends a single result at once, and combines the results right after it unless a caller waits for one', async () => {
    const { recorder, hold, submit, appends, outcomes } = setUp()
    for (let attempt = 1; attempt <= 31; attempt++) hold(7)
    submit(result(7, 1, 500))
    await eventually(() => outcomes.length === 1)
    for (let attempt = 2; attempt <= 20; attempt++) {
      submit(result(7, attempt, 500))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(() => outcomes.length === 20)
    expect(appends.length).to.be.below(10)
    recorder.submit({ transaction_id: 42, rule_id: 7, at: NOW, result: result(7, 21, 500), isAwaited: true })
    const before = appends.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(appends.length).to.equal(before + 1)
    for (let attempt = 22; attempt <= 31; attempt++) {
      submit(result(7, attempt, 500))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(appends.length).to.be.below(before + 5)
    await recorder.end()
  })

  it('keeps each append below the size limit of the store for any response', async () => {
    const { recorder, hold, submit, outcomes, appends } = setUp()
    // JSON writes each of these characters as six.
    const longest = { response_body: '\u0001'.repeat(4_096), url: `https://shop.vn/${'x'.repeat(2_032)}` }
    for (let attempt = 1; attempt <= 1_500; attempt++) {
      hold(7)
      submit({ ...result(7, attempt, 500), ...longest })
    }
    const ended = recorder.end()
    await eventually(() => outcomes.length === 1_500)
    await ended
    expect(appends.length).to.be.below(5)
  })

  it('decides again if the stream changed meanwhile', async () => {
    const { recorder, hold, submit, types, happened, outcomes } = setUp()
    hold(7)
    happened(deleted())
    submit(result(7, 1, 200))
    await recorder.end()
    expect(types()).to.deep.equal(['TransactionCaptured', 'TransactionDeleted'])
    expect(outcomes).to.deep.equal([null])
  })

  it('assigns attempt ids once, and keeps them if it decides again', async () => {
    const { recorder, hold, submit, happened, events } = setUp()
    hold(7)
    happened({ type: 'DeliveryEnded', data: { transaction_id: 42, rule_id: 8, reason: 'rule_deleted' } })
    submit(result(7, 1, 500))
    await recorder.end()
    expect(events.at(-1)!.data).to.include({ attempt_id: 100, outcome: 'retrying' })
  })

  const { url: calledUrl, account_revision: called } = resultOf(7, 1, 500)
  const present = (account_revision: number, url: string) => Promise.resolve([{ rule_id: 7, account_revision, url }])
  for (const [what, answer, seconds] of [
    ['does not wait if its rule has another url', () => present(called + 1, 'https://shop.vn/other'), 0],
    ['does not wait if its rule is gone', () => Promise.resolve([]), 0],
    ['follows the schedule if its rule has the same url', () => present(called + 1, calledUrl), 60],
    ['follows the schedule if the database still has a former url', () => present(called - 1, 'https://old.vn'), 60],
    ['follows the schedule if the database is away', () => Promise.reject(new Error('away')), 60],
    ['follows the schedule if the database does not answer', () => new Promise<never>(() => {}), 60],
  ] as const)
    it(`records a retry that ${what}`, async () => {
      const { recorder, hold, submit, queue, events } = setUp()
      queue.presentRules = answer
      hold(7)
      submit(result(7, 1, 500))
      await recorder.end()
      const next_attempt_at = new Date(NOW.getTime() + seconds * 1_000).toISOString()
      expect(events.at(-1)!.data).to.include({ outcome: 'retrying', next_attempt_at })
    })

  it('is behind while the store is unavailable, and records everything when it is back', async () => {
    const { recorder, hold, submit, away, types } = setUp()
    hold(7)
    away(true)
    submit(result(7, 1, 500))
    await eventually(() => recorder.isBehind())
    expect(recorder.backlog()).to.equal(1)
    away(false)
    await eventually(() => !recorder.isBehind())
    await recorder.end()
    expect(types()).to.deep.equal(['TransactionCaptured', 'WebhookAttempted'])
  })

  it('records an attempt that was taken over, even if its next attempt was already claimed here', async () => {
    const { recorder, hold, submit, events, tracked } = setUp()
    hold(7)
    hold(7)
    submit(result(7, 1, 500))
    await eventually(() => events.length === 2)
    submit(result(7, 2, 200))
    await recorder.end()
    const state = foldTransaction(events)
    expect(state?.phase === 'live' && state.deliveries.get(7)).to.deep.equal({ status: 'succeeded', attempt: 2 })
    expect(tracked.held).to.deep.equal([])
  })

  it('ends the delivery of a rule that no longer exists', async () => {
    const { recorder, hold, types } = setUp()
    hold(7)
    recorder.submit({ transaction_id: 42, rule_id: 7, at: NOW, result: null })
    await recorder.end()
    expect(types()).to.deep.equal(['TransactionCaptured', 'DeliveryEnded'])
  })

  it('keeps the newest state if another rule of the transaction was claimed at an earlier position', async () => {
    const { events, hold, submit, tracked, recorder, outcomes } = setUp()
    const earlier = [...events]
    hold(7)
    hold(7)
    submit(result(7, 1, 500))
    await recorder.end()
    tracked.holdRead({ transaction_id: 42, rule_id: 8, user_id: 5 }, earlier)
    expect(tracked.get(42)).to.include({ revision: 1 })
    expect(tracked.get(42)!.state).to.deep.equal(foldTransaction(events))
    expect(outcomes).to.deep.equal(['retrying'])
  })

  it('has no state for a stream without events', () => {
    const tracked = new TrackedTransactions()
    tracked.holdRead({ transaction_id: 42, rule_id: 7, user_id: 5 }, [])
    expect(tracked.get(42)).to.include({ state: null, revision: NO_STREAM })
  })

  it('reports once that the store fails in a way that is not an outage, because all deliveries wait for the store', async () => {
    const { recorder, hold, submit, store, errors, outcomes } = setUp()
    const { append } = store
    const answers = [new StoreUnavailable('away'), new TypeError('broken'), new TypeError('broken')]
    store.append = (units) => {
      const failure = answers.shift()
      return failure ? Promise.reject(failure) : append(units)
    }
    hold(7)
    hold(7)
    submit(result(7, 1, 500))
    await recorder.end()
    expect(outcomes).to.deep.equal(['retrying'])
    expect(errors.map(String)).to.deep.equal(['TypeError: broken'])
    answers.push(new TypeError('broken again'))
    submit(result(7, 2, 200))
    await recorder.end()
    expect(errors.map(String)).to.deep.equal(['TypeError: broken', 'TypeError: broken again'])
  })
})
