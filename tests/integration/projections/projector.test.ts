import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { followReadModels } from '../../../adapters/postgres/ops/read-model-progress.ts'
import { parseEvent, type StoredEvent } from '../../../domain/parse-event.ts'
import { foldTransaction } from '../../../domain/transaction/transaction.ts'
import { Overtaken, openApplier } from '../../../projections/engine/applier.ts'
import { openBatchWriter } from '../../../projections/engine/batch-writer.ts'
import { readCheckpoint } from '../../../projections/engine/checkpoint.ts'
import { main } from '../../../projections/main.ts'
import { deliveriesMadeDue } from '../../../projections/delivery/made-due.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { eventually } from '../../harness/eventually.ts'
import { activeSince, dueAfterChanges, ownDue, comparable, type DeliveryRow } from './delivery-rows.ts'
import { History, type Decided } from './history.ts'
import { openSetting, type Setting } from './setting.ts'
import { succeeds } from '../../harness/outcomes.ts'

const metadata = { user_id: 1, at: '2026-02-01T00:00:00.000Z', correlation_id: 'c', causation_id: 'c', version: 1 }

/** The number of appends that start every history: three users, each with a system and a rule. */
const BEGINNING = 9

describe('projector', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  const allEvents = (): Promise<StoredEvent[]> => setting.store.readAll(null, 1_000_000)

  for (const seed of [1, 10, 11])
    it(`stores for every transaction and delivery the state that the fold of its stream gives (${seed})`, async () => {
      const history = new History(seed).grow(1_500)
      await setting.append(history.decided)
      await setting.catchUp()
      const rows = await setting.rows()
      const deliveries = rows.delivery as DeliveryRow[]
      const live = [...history.transactions.keys()].map(async (id) => {
        // Fold the events from the stream, as any reader does, and not from the writer's memory.
        const [events] = await setting.store.read([{ stream: `transaction-${id}` }])
        const folded = foldTransaction(events!)
        expect(folded).to.deep.equal(history.transactions.get(id))
        return folded?.phase === 'live' ? [folded] : []
      })
      const folds = (await Promise.all(live)).flat()

      const inFold = folds.flatMap(({ transaction_id, deliveries }) =>
        [...deliveries].map(([rule_id, each]) => comparable({ transaction_id, rule_id, round_base: 0, ...each })),
      )
      expect(deliveries.map(comparable)).to.have.deep.members(inFold)
      expect(new Set(deliveries.map(({ status }) => status))).to.include.keys('open', 'succeeded', 'failed', 'ended')
      expect(
        (rows.transaction as { id: number; webhook_status: string; order_id: string | null }[]).map(
          ({ id, webhook_status, order_id }) => ({ id, webhook_status, order_id }),
        ),
      ).to.have.deep.members(
        folds.map(({ transaction_id: id, webhook_status, order_id }) => ({ id, webhook_status, order_id })),
      )

      // Exactly the open deliveries have a due time.
      expect(deliveries.filter(({ status, due_at }) => (status === 'open') !== (due_at !== null))).to.deep.equal([])
      const rules = new Set([...history.accounts.values()].flatMap((account) => [...account.rules.keys()]))
      const byId = new Map(folds.map((fold) => [fold.transaction_id, fold]))
      const compared = deliveries.flatMap((row) => {
        const { transaction_id, rule_id, attempt, lane, due_at } = row
        const { deliveries: folded, captured_at } = byId.get(transaction_id)!
        const fold = folded.get(rule_id)!
        // The row of a deleted rule is due so that the delivery ends.
        if (fold.status !== 'open' || !rules.has(rule_id)) return []
        const own = ownDue(fold.due_at, captured_at, row)
        const isChangeable = lane === 'first' || (lane === 'retry' && attempt > 0)
        const due = isChangeable ? dueAfterChanges(history, row, own) : own
        expect(new Date(due_at!).toISOString(), `transaction ${transaction_id}, rule ${rule_id}`).to.equal(due)
        return [lane]
      })
      expect(compared).to.include.members(['first', 'retry', 'manual'])
      for (const { rule_id, user_id, active_since } of rows.rule as {
        rule_id: number
        user_id: number
        active_since: string
      }[])
        expect(new Date(active_since).toISOString()).to.equal(activeSince(history, rule_id, user_id))
    })

  for (const seed of [2, 3, 4])
    it(`gives the same rows in batches of any size (${seed})`, async () => {
      await setting.append(new History(seed).crowd(90).grow(600).decided)
      const events = await allEvents()
      await setting.catchUp()
      const whole = await setting.rows()

      const inPieces = { ...main, remaining: deliveriesMadeDue(2) }
      await createSchema(setting.tables, inPieces, 'in_pieces')
      const applier = openApplier({
        store: setting.store,
        tables: setting.tables,
        definition: inPieces,
        schema: 'in_pieces',
        anchor: null,
      })
      let size = seed
      for (let start = 0; start < events.length; start += size) {
        size = 1 + ((size * 7 + seed) % 23)
        const piece = events.slice(start, start + size)
        await applier.apply(piece, piece.at(-1)!.checkpoint)
        if (await applier.isLeft()) await applier.part()
      }
      await applier.finish()
      expect(await setting.rows('in_pieces')).to.deep.equal(whole)
      expect(whole.transaction).to.have.length.above(100)
      const waits = ({ lane, attempt }: { lane?: unknown; attempt?: unknown }) => lane === 'retry' && attempt === 0
      expect(
        whole.delivery!.filter((row) => waits(row as object)),
        'over quota',
      ).to.not.be.empty
    })

  it('makes a number of statements that does not grow with the number of events', async () => {
    await setting.append(new History(5).grow(2_200).decided)
    const events = (await allEvents()).filter(({ stream }) => stream.startsWith('transaction-'))
    const { statementsFor } = openBatchWriter(setting.tables, main, 'read_model')
    const few = statementsFor(events.slice(0, 300)).statements.length
    const many = statementsFor(events).statements.length
    expect(events.length).to.be.above(1_500)
    expect(many).to.be.below(60)
    expect(many).to.be.below(few * 3)
    const captures = events.filter(({ type }) => type === 'TransactionCaptured')
    expect(statementsFor(captures).statements).to.have.length(3)
  })

  it('makes rows only from account and transaction events, and ignores other events', async () => {
    const other: Decided = {
      stream: `book-1-VCB`,
      events: [{ id: randomUUID(), type: 'NotificationSeen', data: {}, metadata }],
    }
    const { projector } = await setting.start()
    await setting.append([...new History(6).decided, other])
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    expect(await setting.rows().then(({ account }) => account)).to.have.length(3)
  })

  it('answers waiters once their event is in the rows, and not before', async () => {
    const { projector } = await setting.start()
    const history = new History(7)
    await setting.append(history.decided)
    const end = (await setting.store.end())!
    expect(await projector.passed(end, 30_000)).to.equal(true)
    expect(projector.position()).to.equal(end)
    const later = String(Number(end) + 1)
    expect(await projector.passed(later, 30)).to.equal(false)
    const waiting = projector.passed(later, 30_000)
    await setting.append(history.grow(50).decided.slice(-1))
    expect(await waiting).to.equal(true)
  })

  it('answers waiters of another process from the checkpoint row', async () => {
    await setting.start()
    const elsewhere = followReadModels(setting.database, (a, b) => setting.store.isAfter(a, b), 'main')
    await setting.append(new History(8).decided)
    const end = (await setting.store.end())!
    expect(await elsewhere.passed(end, 30_000)).to.equal(true)
    expect(await elsewhere.passed(String(Number(end) + 1), 30)).to.equal(false)
  })

  it('keeps rows and checkpoint consistent if a batch is interrupted', async () => {
    await setting.append(new History(9).grow(300).decided)
    const events = await allEvents()
    const half = events.slice(0, 200)
    const rest = events.slice(200)
    await createSchema(setting.tables, main)
    const applier = openApplier({
      store: setting.store,
      tables: setting.tables,
      definition: main,
      schema: 'read_model',
      anchor: null,
    })
    await applier.apply(half, half.at(-1)!.checkpoint)
    const before = await setting.rows()
    // A lock on a row that the batch needs stops it in the middle of its transaction until its connection is cut.
    const cut = setting.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE read_model.attempt IN ACCESS EXCLUSIVE MODE')
      const applying = succeeds(applier.apply(rest, rest.at(-1)!.checkpoint))
      await eventually(
        async () =>
          (
            await setting.database.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            )
          ).length > 0,
      )
      return applying
    })
    expect(await cut, 'applied').to.equal(false)
    expect(await setting.rows()).to.deep.equal(before)
    expect((await readCheckpoint(setting.tables, 'read_model', 'main'))?.anchor?.event_id).to.equal(half.at(-1)!.id)
    await applier.apply(rest, rest.at(-1)!.checkpoint)
    await applier.finish()
    const repeated = await setting.rows()
    await setting.database.query('DROP SCHEMA read_model CASCADE')
    await setting.catchUp()
    expect(await setting.rows()).to.deep.equal(repeated)
  })

  it('continues by itself after its connections are cut', async () => {
    const { projector } = await setting.start()
    const history = new History(10)
    await setting.append(history.decided)
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    await setting.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    await setting.append(history.grow(100).decided.slice(BEGINNING))
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    expect(projector.health().state).to.equal('live')
  })

  it('stops if another projector has moved its checkpoint', async () => {
    const history = new History(11)
    await setting.append(history.decided)
    const first = await setting.start()
    expect(await first.projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    const stored = await readCheckpoint(setting.tables, 'read_model', 'main')
    const elsewhere = openApplier({
      store: setting.store,
      tables: setting.tables,
      definition: main,
      schema: 'read_model',
      anchor: stored!.anchor,
    })
    const loser = openApplier({
      store: setting.store,
      tables: setting.tables,
      definition: main,
      schema: 'read_model',
      anchor: stored!.anchor,
    })
    const event = parseEvent({ ...(await allEvents()).at(-1)!, id: randomUUID(), type: 'Unknown' })
    await elsewhere.apply([event], event.checkpoint)
    const refused = await loser.apply([event], event.checkpoint).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Overtaken)
    await setting.append(history.grow(20).decided.slice(BEGINNING))
    await eventually(() => first.projector.health().state === 'overtaken')
    expect(first.projector.health().reason).to.contain('another process')
    expect(first.projector.isRunning()).to.equal(false)
    expect(setting.logged.map(({ what }) => what)).to.include('projection.overtaken')
  })

  it('stops after a failure that no event explains, reports it, and continues when the cause is gone', async () => {
    let isBroken = true
    const broken = new Error('permission denied for table transaction')
    const tables: typeof setting.tables = {
      ...setting.tables,
      isAway: () => false,
      commit: (...batch) => (isBroken ? Promise.reject(broken) : setting.tables.commit(...batch)),
    }
    await setting.append(new History(12).grow(20).decided)
    const { projector } = await setting.start({ tables })
    await eventually(() => projector.health().state === 'stopped')
    expect(projector.health().reason).to.contain('permission denied')
    expect(projector.isRunning()).to.equal(false)
    const before = projector.lag()
    await eventually(() => projector.lag() > before, { what: 'the lag to grow' })
    isBroken = false
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    expect(setting.logged.filter(({ what }) => what === 'projection.stopped')).to.have.length(1)
    expect((await setting.rows()).parked).to.deep.equal([])
  })

  it('writes a single event in milliseconds', async () => {
    const { projector } = await setting.start()
    const history = new History(14).grow(60)
    await setting.append(history.decided.slice(0, 30))
    await projector.passed((await setting.store.end())!, 30_000)
    await createSchema(setting.tables, main, 'timed')
    const applier = openApplier({
      store: setting.store,
      tables: setting.tables,
      definition: main,
      schema: 'timed',
      anchor: null,
    })
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const started = performance.now()
      await work()
      return performance.now() - started
    }
    const medianOf = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!
    const [took, trips]: [number[], number[]] = [[], []]
    for (const event of (await allEvents()).slice(0, 60)) {
      trips.push(await timed(() => setting.database.query('SELECT 1')))
      took.push(await timed(() => applier.apply([event], event.checkpoint)))
    }
    // On a busy machine even the shortest statement takes milliseconds.
    expect(medianOf(took)).to.be.below(Math.max(10, 10 * medianOf(trips)))
  })
})
