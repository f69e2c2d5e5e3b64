/**
 * The behaviour that every log adapter must have. Users, transactions and groups are random, so that the suite also runs against a used
 * log. The claims decide which of several consumers makes a call. They have tests of their own.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { NewEvent } from '../../../domain/event.ts'
import { NO_STREAM, type EventStore, type Log, type LogEntry } from '../../../domain/ports.ts'
import { bestTime, timeOf } from '../../harness/best-time.ts'
import { forkBundled } from '../../harness/bundled-script.ts'
import { eventually } from '../../harness/eventually.ts'

export interface LogHarness {
  log: Log
  /** Another client, as in another process. The harness closes it. */
  another(): Promise<Log>
  /** Events that are appended here appear in the log. */
  store: EventStore
  /** A module with `openLog(argument): Promise<Log>`, with which a child process opens the same log. */
  child: { module: string; argument: string }
  close(): Promise<void>
}

const someId = (): number => randomInt(1, 2 ** 40)

const event = (userId: number, transactionId: number): NewEvent => ({
  id: randomUUID(),
  type: 'TransactionCaptured',
  data: { transaction_id: transactionId, user_id: userId, raw_data: 'SD TK 0071000888888 +1,500,000VND' },
  metadata: {
    user_id: userId,
    at: '2026-11-21T02:15:27.000Z',
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
    version: 1,
  },
})

/** Appends new transactions of a user, each in its own stream. @returns their ids, in the order of the store */
const capture = async (store: EventStore, userId: number, count: number): Promise<number[]> => {
  const ids = Array.from({ length: count }, someId)
  const results = await store.append(
    ids.map((id) => [{ stream: `transaction-${id}`, expectedRevision: NO_STREAM, events: [event(userId, id)] }]),
  )
  expect(results.every(({ ok }) => ok)).to.equal(true)
  return ids
}

/** A consumer that records what it receives. */
const consume = (
  log: Log,
  group: string,
  handler: (entries: readonly LogEntry[]) => void | Promise<void> = () => {},
) => {
  const stop = new AbortController()
  const entries: LogEntry[] = []
  const ended = log.consume(
    group,
    async (batch) => {
      await handler(batch)
      entries.push(...batch)
    },
    stop.signal,
  )
  ended.catch(() => {})
  return {
    of: (userId: number): number[] =>
      entries.filter((entry) => entry.user_id === userId).map(({ transaction_id }) => transaction_id),
    entries,
    stop: async (): Promise<void> => {
      stop.abort()
      await ended
    },
  }
}

const newGroup = (): string => `contract-${randomUUID()}`

/** @param open  called once for the whole suite */
export const logContract = (name: string, open: () => Promise<LogHarness>): void => {
  describe(`log contract: ${name}`, () => {
    let harness: LogHarness
    before(async () => {
      harness = await open()
    })
    after(() => harness?.close())

    it('delivers past entries and then new ones, in order per user', async () => {
      const { log, store } = harness
      const [one, two] = [someId(), someId()]
      const ofOne = await capture(store, one, 30)
      const ofTwo = await capture(store, two, 30)
      const consumer = consume(log, newGroup())
      await eventually(() => consumer.of(two).length === 30)
      for (let round = 0; round < 10; round++) {
        ofOne.push(...(await capture(store, one, 3)))
        ofTwo.push(...(await capture(store, two, 2)))
      }
      await eventually(() => consumer.of(one).length >= 60 && consumer.of(two).length >= 50)
      await consumer.stop()
      expect(consumer.of(one)).to.deep.equal(ofOne)
      expect(consumer.of(two)).to.deep.equal(ofTwo)
    })

    it('carries the fields that identify the event, and no personal data', async () => {
      const { log, store } = harness
      const [user, id] = [someId(), someId()]
      const stream = `transaction-${id}`
      const events = [event(user, id), { ...event(user, id), type: 'TransactionDeleted' }]
      const [result] = await store.append([[{ stream, expectedRevision: NO_STREAM, events }]])
      const consumer = consume(log, newGroup())
      await eventually(() => consumer.of(user).length === 2)
      await consumer.stop()
      const [first, second] = consumer.entries.filter(({ user_id }) => user_id === user)
      const { checkpoint, ...rest } = second!
      expect(rest).to.deep.equal({
        event_id: events[1]!.id,
        type: 'TransactionDeleted',
        user_id: user,
        transaction_id: id,
        revision: 1,
        at: events[1]!.metadata.at,
        correlation_id: events[1]!.metadata.correlation_id,
      })
      expect(result).to.deep.equal({ ok: true, checkpoint })
      expect(store.isAfter(checkpoint, first!.checkpoint)).to.equal(true)
    })

    it('carries only transactions', async () => {
      const { log, store } = harness
      const user = someId()
      const other = { ...event(user, someId()), data: { transaction_id: 1 } }
      await store.append([[{ stream: `book-${randomUUID()}`, expectedRevision: NO_STREAM, events: [other] }]])
      const ids = await capture(store, user, 1)
      const consumer = consume(log, newGroup())
      await eventually(() => consumer.of(user).length > 0)
      await consumer.stop()
      expect(consumer.of(user)).to.deep.equal(ids)
    })

    it('delivers the same entries again if the handler fails, and skips none', async () => {
      const { log, store } = harness
      const user = someId()
      const group = newGroup()
      let failures = 0
      const consumer = consume(log, group, (entries) => {
        if (entries.some(({ user_id }) => user_id === user) && failures < 3) {
          failures++
          throw new Error('no room')
        }
      })
      const ids = await capture(store, user, 5)
      await eventually(() => consumer.of(user).length >= 5)
      ids.push(...(await capture(store, user, 5)))
      await eventually(() => consumer.of(user).length >= 10)
      await consumer.stop()
      expect(failures).to.equal(3)
      expect([...new Set(consumer.of(user))]).to.deep.equal(ids)
    })

    it('delivers entries again that were not completely handled', async () => {
      const { log, store } = harness
      const user = someId()
      const group = newGroup()
      const ids = await capture(store, user, 5)
      let isHanded = false
      const failing = consume(log, group, (entries) => {
        if (!entries.some(({ user_id }) => user_id === user)) return
        isHanded = true
        throw new Error('the process is about to end')
      })
      await eventually(() => isHanded)
      await failing.stop()
      const next = consume(log, group)
      await eventually(() => next.of(user).length >= 5)
      await next.stop()
      expect(next.of(user)).to.deep.equal(ids)
    })

    it('continues from the offset of the group, separately for each group', async () => {
      const { log, another, store } = harness
      const [group, apart] = [newGroup(), newGroup()]
      const user = someId()
      const first = await capture(store, user, 5)
      const before = consume(log, group)
      await eventually(() => before.of(user).length === 5)
      await before.stop()
      const later = await capture(store, user, 5)
      const after = consume(await another(), group)
      await eventually(() => after.of(user).length >= 5)
      await after.stop()
      expect(after.of(user)).to.deep.equal(later)
      const whole = consume(log, apart)
      await eventually(() => whole.of(user).length >= 10)
      await whole.stop()
      expect(whole.of(user)).to.deep.equal([...first, ...later])
    })

    it('misses nothing between two consumers of a group', async () => {
      const { log, another, store } = harness
      const user = someId()
      const group = newGroup()
      const consumers = [consume(log, group), consume(await another(), group)]
      const ids: number[] = []
      for (let round = 0; round < 10; round++) ids.push(...(await capture(store, user, 20)))
      const seen = (): Set<number> => new Set(consumers.flatMap((consumer) => consumer.of(user)))
      await eventually(() => seen().size === ids.length)
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      expect([...seen()].sort()).to.deep.equal([...ids].sort())
      // A later consumer finds all entries handled.
      const user2 = someId()
      await capture(store, user2, 1)
      const next = consume(log, group)
      await eventually(() => next.of(user2).length === 1)
      await next.stop()
      expect(next.of(user)).to.deep.equal([])
    })

    it('is not blocked by an endpoint that hangs', async () => {
      const { log, store } = harness
      const [hanging, fine] = [someId(), someId()]
      const group = newGroup()
      const answered: number[] = []
      const call = async ({ user_id, transaction_id }: LogEntry): Promise<void> => {
        if (user_id === hanging) await new Promise(() => {})
        answered.push(transaction_id)
      }
      const consumer = consume(log, group, (entries) => entries.forEach((entry) => void call(entry)))
      const held: number[] = []
      const sent: number[] = []
      for (let round = 0; round < 10; round++) {
        held.push(...(await capture(store, hanging, 2)))
        sent.push(...(await capture(store, fine, 2)))
      }
      await eventually(() => sent.every((id) => answered.includes(id)))
      await eventually(() => consumer.of(hanging).length === held.length)
      await consumer.stop()
      expect(answered.filter((id) => held.includes(id))).to.deep.equal([])
    })

    it('delivers everything at least once, in order, across kills of the consumer', async () => {
      const { store, child } = harness
      const user = someId()
      const group = newGroup()
      const ids: number[] = []
      const seen = new Set<number>()
      const runs: number[][] = []
      for (let kills = 0; kills < 4; kills++) {
        const run: number[] = []
        runs.push(run)
        const script = fileURLToPath(new URL('consuming-child.ts', import.meta.url))
        const consumer = await forkBundled(script, child.module, [child.argument, group])
        consumer.on('message', ({ user_id, transaction_id }: LogEntry) => {
          if (user_id !== user) return
          run.push(transaction_id)
          seen.add(transaction_id)
        })
        const goal = seen.size + 20 + randomInt(40)
        await eventually(async () => {
          ids.push(...(await capture(store, user, 3)))
          return seen.size >= goal
        })
        // This entry arrives in a batch of its own, so the batches before it were handled completely.
        const [oneMore] = await capture(store, user, 1)
        ids.push(oneMore!)
        await eventually(() => seen.has(oneMore!))
        // The last consumer may finish.
        if (kills === 3) await eventually(() => ids.every((id) => seen.has(id)))
        consumer.kill('SIGKILL')
        await once(consumer, 'exit')
      }
      expect(runs).to.have.length(4)
      for (const run of runs) {
        const from = ids.indexOf(run[0]!)
        expect(run).to.deep.equal(ids.slice(from, from + run.length))
      }
      // Each consumer continued approximately from the end of the one before, not from the beginning.
      runs.slice(1).forEach((run, n) => expect(ids.indexOf(run[0]!)).to.be.greaterThan(ids.indexOf(runs[n]![0]!)))
    })

    it('ends at once on request', async () => {
      const early = () => timeOf(consume(harness.log, newGroup()).stop)
      expect(await bestTime(2_000, early)).to.be.lessThan(2_000)
      const busy = async (): Promise<number> => {
        const consumer = consume(harness.log, newGroup())
        await eventually(() => consumer.entries.length > 0)
        return timeOf(consumer.stop)
      }
      expect(await bestTime(2_000, busy)).to.be.lessThan(2_000)
    })
  })
}
