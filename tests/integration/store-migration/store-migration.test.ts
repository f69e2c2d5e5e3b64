import { expect } from 'chai'
import { alone, enter } from '../../../adapters/database/presence.ts'
import { KEPT_UNREAD_S } from '../../../domain/arrival/events.ts'
import { emailStream, isEmailStream } from '../../../domain/account/email-claim.ts'
import { parseEvent, type StoredEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { main } from '../../../projections/main.ts'
import { replay } from '../../../projections/engine/replay.ts'
import { exportEvents } from '../../../workflows/store-migration/export.ts'
import { importState, NotImportable } from '../../../workflows/store-migration/import.ts'
import { auditStore } from '../../../workflows/audit/audit.ts'
import { gatherCredits } from '../../../workflows/credits/remember-credits.ts'
import { isPositionIn, storePositionOf, type StorePosition } from '../../../workflows/support/store-position.ts'
import { applyRetention } from '../../../workflows/scheduled/expire-events.ts'
import { eventually } from '../../harness/eventually.ts'
import { openParsedStores, type StandInStores } from '../eventstoredb/stand-in-stores.ts'
import { openSetting, type Setting } from '../projections/setting.ts'
import { eventAt, exported, fill, ignoredBefore, imported, NOW, type EventFile } from './stores.ts'

const refusal = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => expect.fail('it was not refused'),
    (error: Error) => error,
  )

/** The rows that both stores still have. Only the old store has expired rows. */
const lasting = async (setting: Setting): Promise<Record<string, unknown[]>> => {
  const rows = await setting.rows()
  const hasExpired = (row: unknown) => new Date((row as { expires_at: string | null }).expires_at ?? NOW) < NOW
  // Each store has positions of its own.
  const delivery = rows.delivery!.map((row) => ({ ...(row as object), set_at: null }))
  return { ...rows, delivery, notification: rows.notification!.filter((row) => !hasExpired(row)) }
}

describe('store migration', () => {
  let from: Setting
  let to: Setting
  let standIn: StandInStores<StoredEvent>
  let file: EventFile
  before(async () => {
    from = await openSetting()
    await fill(from)
    await replay({ store: from.store, tables: from.tables, definition: main })
    file = await exported(from.store)
  })
  after(() => from.close())
  beforeEach(async () => {
    ;[to, standIn] = await Promise.all([openSetting(), openParsedStores(parseEvent)])
  })
  const others: Setting[] = []
  const another = async (): Promise<Setting> => {
    const setting = await openSetting()
    others.push(setting)
    return setting
  }
  afterEach(() => Promise.all([to, standIn, ...others.splice(0)].map((each) => each.close())))

  it('writes no last line if the database has ended the connection that kept other processes away', async () => {
    const { database, store } = from
    const written: string[] = []
    const write = async (text: string) => {
      written.push(text)
      await database.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'baoco (export-events)%'",
      )
      // A process that could not start before captures a payment that the file lacks.
      const presence = await eventually(() => enter(database, 'serve').catch(() => false as const))
      await presence.leave()
    }
    const exporting = alone(database, 'export-events', (stillAlone) =>
      exportEvents({ store, readers: {}, now: NOW, keepUnread: KEPT_UNREAD_S, write, beforeEnd: stillAlone }),
    )
    expect((await refusal(exporting)).message).to.match(
      /^the database ended the connection that kept other processes from starting/,
    )
    expect(written).to.have.length(1)
    expect(await alone(database, 'export-events', (stillAlone) => stillAlone())).to.equal(undefined)
  })

  it('copies everything except data that must be deleted', async () => {
    const all = await from.store.readAll(null, 100_000)
    const events = file.lines
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { stream: string; type: string; id: string })
    const closed = new Set(all.filter(({ type }) => type === 'TransactionDeleted').map(({ stream }) => stream))
    expect(closed.size).to.be.greaterThan(2)
    const kept = all.filter(
      ({ stream, type }) => !/^(book|ignored)-/.test(stream) && (!closed.has(stream) || type === 'TransactionDeleted'),
    )
    expect(events.filter(({ stream }) => !/^(book|ignored)-/.test(stream)).map(({ id }) => id)).to.deep.equal(
      kept.map(({ id }) => id),
    )
    expect(kept.length).to.be.lessThan(all.length - 6)
    const texts = file.lines.filter((line) => line.includes('days ago')).map((line) => /\d+ days/.exec(line)![0])
    expect(texts).to.deep.equal(['6 days', '1 days', '29 days'])
  })

  it('copies unparsed notifications that are older than a year if KEEP_UNREAD is longer', async () => {
    const { reason: _, ...notification } = ignoredBefore(400)
    const fields = {
      posted_as: null,
      title: null,
      sender: null,
      package: null,
      from: null,
      subject: null,
      raw_data: '',
    }
    const events = [eventAt(400, 'NotificationUnread', { ...notification, ...fields })]
    await to.store.append([[{ stream: 'unread-9000400', expectedRevision: -1, events }]])
    expect((await exported(to.store, {}, 500 * 86_400)).summary).to.include({ events: 1 })
    expect((await exported(to.store)).summary).to.include({ events: 0 })
  })

  it('goes to EventStoreDB and back with nothing lost and the same read models, row for row', async () => {
    await applyRetention(standIn.store)
    await imported(standIn.store, file)
    const there = await exported(standIn.store)
    expect(past(there)).to.deep.equal(past(file))
    await imported(to.store, there)
    expect((await exported(to.store)).lines).to.deep.equal(there.lines)
    await replay({ store: to.store, tables: to.tables, definition: main })
    expect(await lasting(to)).to.deep.equal(await lasting(from))

    const other = await another()
    await replay({ store: standIn.store, tables: other.tables, definition: main })
    expect(await lasting(other)).to.deep.equal(await lasting(from))
  })

  it('keeps the revisions by which attempts name the state of an account', async () => {
    await imported(standIn.store, file)
    for (const user of [1, 2, 3]) {
      const stream = `account-${user}`
      const [[before = []], [after = []]] = await Promise.all([
        from.store.read([{ stream }]),
        standIn.store.read([{ stream }]),
      ])
      expect(before.length).to.be.greaterThan(3)
      expect(after.map(({ id, revision }) => [id, revision])).to.deep.equal(
        before.map(({ id, revision }) => [id, revision]),
      )
    }
  })

  it('leaves a position of the old store without meaning, so that the memory of credits is gathered from the first event on', async () => {
    const all = await from.store.readAll(null, 100_000)
    const closed = new Set(all.filter(({ type }) => type === 'TransactionDeleted').map(({ stream }) => stream))
    const old = storePositionOf(all.findLast(({ type, stream }) => type === 'TransactionCaptured' && !closed.has(stream))!) // prettier-ignore
    expect(await isPositionIn(from.store, old)).to.equal(true)
    for (const { store } of [standIn, to]) {
      await imported(store, file)
      expect(await isPositionIn(store, old)).to.equal(null)
      let saved: StorePosition | undefined
      const save = (position: StorePosition) => Promise.resolve(void (saved = position))
      const checkpoint = { load: () => Promise.resolve(old), save }
      await gatherCredits({ store, clock: { now: () => NOW }, checkpoint }, new AbortController().signal)
      expect(await isPositionIn(store, saved!)).to.equal(true)
    }
  })

  it('leaves the number of transactions that an audit counts as it was, without those that are deleted', async () => {
    const counted = async (store: EventStore) => (await auditStore(store, NOW, () => {})).transactions
    await imported(to.store, file)
    const all = await from.store.readAll(null, 100_000)
    const live = new Set(all.filter(({ type }) => type === 'TransactionCaptured').map(({ stream }) => stream))
    for (const { type, stream } of all) if (type === 'TransactionDeleted') live.delete(stream)
    expect([await counted(from.store), await counted(to.store)]).to.deep.equal([live.size, live.size])
  })

  it('reports the position of each reader of the old store', async () => {
    const all = await from.store.readAll(null, 100_000)
    const middle = all[Math.floor(all.length / 2)]!
    const read = await exported(from.store, { reactions: middle.checkpoint, 'relay topic': all.at(-1)!.checkpoint })
    const { readers, end } = await imported(standIn.store, read)
    const next = await standIn.store.readAll(readers.reactions!.checkpoint, 1)
    const ids = read.lines.slice(0, -1).map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids.indexOf(next[0]!.id)).to.equal(ids.indexOf(readers.reactions!.event_id) + 1)
    const later = all.slice(all.indexOf(middle) + 1).map(({ id }) => id)
    expect(later).to.include(next[0]!.id).and.not.to.include(readers.reactions!.event_id)
    expect(await standIn.store.readAll(end!.checkpoint, 100)).to.satisfy((rest: { stream: string }[]) =>
      rest.every(({ stream }) => /^(book|ignored|import)/.test(stream)),
    )
  })

  it('refuses a store that is not empty, and writes nothing to it', async () => {
    await fill(to, 3, 10)
    const before = await to.store.end()
    expect(await refusal(imported(to.store, file))).to.be.instanceOf(NotImportable)
    expect(await to.store.end()).to.equal(before)
    await imported(standIn.store, file)
    expect((await refusal(imported(standIn.store, file))).message).to.contain('not empty')
  })

  const stores: [string, () => EventStore][] = [
    ['Postgres', () => to.store],
    ['EventStoreDB', () => standIn.store],
  ]
  for (const [name, open] of stores)
    it(`moves the email addresses of deleted accounts, also registered again, from ${name}`, async () => {
      const store = open()
      const streams = ['released@shop.example', 'again@shop.example', 'owner@shop.example'].map(emailStream)
      const [released, again, owned] = streams as [string, string, string]
      const types = async (of: EventStore) =>
        (await of.read(streams.map((stream) => ({ stream })))).map((events) => events.map(({ type }) => type))
      const claim = (user_id: number) => eventAt(1, 'EmailClaimed', { user_id })
      const release = (user_id: number) => eventAt(1, 'EmailReleased', { user_id })
      await store.append([
        [{ stream: released, expectedRevision: -1, events: [claim(1), release(1)] }],
        [{ stream: again, expectedRevision: -1, events: [claim(2), release(2)] }],
        [{ stream: owned, expectedRevision: -1, events: [claim(3)] }],
      ])
      for (const stream of [released, again]) await store.erase(stream)
      await store.append([[{ stream: again, expectedRevision: 1, events: [claim(4)] }]])
      const left = [['EmailReleased'], ['EmailReleased', 'EmailClaimed'], ['EmailClaimed']]
      expect(await types(store)).to.deep.equal(left)

      const moved = await exported(store)
      expect(moved.lines).to.have.length(4 + 1)
      for (const target of [await standIn.another({ prefix: 'other.' }), (await another()).store]) {
        await imported(target, moved)
        expect(await types(target)).to.deep.equal(left)
        expect(past(await exported(target))).to.deep.equal(past(moved))
      }
    })

  for (const [name, open] of stores)
    it(`resumes an interrupted import, and refuses another file in its place: ${name}`, async () => {
      const store = open()
      await applyRetention(store)
      let calls = 0
      const dying: EventStore = {
        ...store,
        append: (units) => (++calls > 2 ? Promise.reject(new Error('killed')) : store.append(units)),
      }
      expect((await refusal(imported(dying, file))).message).to.equal('killed')
      expect(await importState(store)).to.deep.include({ is: 'unfinished' })
      const other = await exported(from.store, { reactions: (await from.store.end())! })
      expect((await refusal(imported(store, other))).message).to.contain('another file')
      await imported(store, file)
      expect(await importState(store)).to.deep.include({ is: 'finished' })
      expect(past(await exported(store))).to.deep.equal(past(file))
    })

  it('makes few calls to a store that keeps their order, however its streams alternate', async () => {
    const counted = async (store: EventStore): Promise<number> => {
      let calls = 0
      const append: EventStore['append'] = (units) => (calls++, store.append(units))
      await imported({ ...store, append }, file)
      return calls
    }
    const [one, other] = [await counted(to.store), await counted(standIn.store)]
    expect(one).to.equal(Math.ceil((file.lines.length - 1) / 500) + 2)
    expect(other).to.be.above(2 * one)
    expect(past(await exported(to.store))).to.deep.equal(past(file))
  })

  const alertAt = (alert_id: number, text: string) =>
    eventAt(1, 'AlertRaised', { user_id: 9, alert_id, kind: 'source_silent', subject: 'url', text, since: NOW.toISOString(), ends_at: null }) // prettier-ignore

  it('sends no more in one call, or of one stream, than a server accepts', async () => {
    const { store } = await another()
    const events = Array.from({ length: 25 }, (_, n) => alertAt(n + 1, 'x'.repeat(200_000)))
    await store.append([[{ stream: 'alerts-9', expectedRevision: -1, events }]])
    const large = await exported(store)
    for (const target of [to.store, standIn.store]) {
      const sent: number[] = []
      const append: EventStore['append'] = (units) => (sent.push(JSON.stringify(units).length), target.append(units))
      await imported({ ...target, append }, large)
      expect(Math.max(...sent)).to.be.below(4.3e6)
      expect((await exported(target)).lines).to.deep.equal(large.lines)
    }
  })

  it('is refused if the file becomes shorter, or if something else writes to the store meanwhile', async () => {
    const lines = async function* () {
      yield* file.lines.slice(0, -2)
    }
    expect((await refusal(imported(to.store, file, { lines }))).message).to.contain('became shorter')
    expect(await importState(to.store)).to.deep.include({ is: 'unfinished' })

    let isMeddled = false
    const readAll: EventStore['readAll'] = async (after, limit) => {
      if (!isMeddled) await to.store.append([[{ stream: 'alerts-9', expectedRevision: -1, events: [alertAt(1, 'x')] }]])
      isMeddled = true
      return to.store.readAll(after, limit)
    }
    const meddled = { ...to.store, readAll }
    expect((await refusal(imported(meddled, file))).message).to.contain('something else has written')
    expect(await importState(to.store)).to.deep.include({ is: 'unfinished' })
  })

  it('is not finished until the positions of the readers are set', async () => {
    const settle = () => Promise.reject(new Error('no database'))
    await refusal(imported(to.store, file, { settle }))
    expect(await importState(to.store)).to.deep.include({ is: 'unfinished' })
  })

  it('stops if the server changes the order, which cannot happen with --one-by-one', async () => {
    const scrambling: EventStore = {
      ...standIn.store,
      append: async (units) => {
        const answers = new Map<(typeof units)[number], Awaited<ReturnType<EventStore['append']>>[number]>()
        for (const unit of [...units].reverse()) answers.set(unit, (await standIn.store.append([unit]))[0]!)
        return units.map((unit) => answers.get(unit)!)
      },
    }
    expect((await refusal(imported(scrambling, file))).message).to.contain('--one-by-one')
    const other = await standIn.another({ prefix: 'other.' })
    await imported(
      {
        ...scrambling,
        end: () => other.end(),
        read: (slices) => other.read(slices),
        readAll: (after, limit) => other.readAll(after, limit),
        append: async (units) => {
          const answers = []
          for (const unit of [...units].reverse()) answers.unshift((await other.append([unit]))[0]!)
          return answers
        },
      },
      file,
      { oneByOne: true },
    )
    expect(await importState(other)).to.deep.include({ is: 'finished' })
  })
})

/** The content of a file. Closing events, emails and streams with a retention time are numbered anew. The latter do not keep their order. */
const past = ({ lines }: EventFile) => {
  const events = lines
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { stream: string; type: string; id: string; revision?: number })
  const isKept = ({ stream }: { stream: string }) => !/^(book|ignored)-/.test(stream)
  for (const event of events)
    if (!isKept(event) || isEmailStream(event.stream) || event.type === 'TransactionDeleted') delete event.revision
  return [events.filter(isKept), events.filter((event) => !isKept(event)).sort((a, b) => a.id.localeCompare(b.id))]
}
