import { randomUUID } from 'node:crypto'
import { jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { AppendQueue } from '../../../../../adapters/event-store/eventstoredb/append-queue.ts'
import type { Part } from '../../../../../adapters/event-store/eventstoredb/stream-writer.ts'

const MOST_BYTES = 1_000

/** A stream that answers as the server does and records each append. */
const streamAt = (start: number, known: string[] = []) => {
  let revision = start
  const asked: [expected: number, events: number][] = []
  const queue = new AppendQueue('book', {
    append: async (_stream, expected, events) => {
      asked.push([expected, events.length])
      if (expected !== revision) return { ok: false, revision }
      revision += events.length
      return { ok: true, checkpoint: `${revision}/${revision}` }
    },
    read: async ({ backwards }) => (backwards ? [] : known).map((id) => ({ id, revision, checkpoint: '1/1' })) as never,
    mostBytes: MOST_BYTES,
  })
  return { queue, asked }
}

const partAt = (expected: number, { count = 1, bytes = 100, isLast = false } = {}): Part => ({
  stream: 'book',
  expected,
  events: Array.from({ length: count }, () => jsonEvent({ id: randomUUID(), type: 'T', data: {} })),
  bytes,
  isLast,
})

const conflictAt = (revision: number) => ({ ok: false, conflict: { stream: 'book', revision } })

const appendAll = (queue: AppendQueue, parts: Part[]) => {
  const turns = parts.map((part) => queue.enter(part))
  return Promise.all(turns.map((turn) => turn.append()))
}

describe('the parts that one call appends to one stream', () => {
  it('are combined into one append if each part follows the previous one', async () => {
    const { queue, asked } = streamAt(4)
    const results = await appendAll(queue, [partAt(4, { count: 2 }), partAt(6), partAt(7)])
    expect(asked).to.deep.equal([[4, 4]])
    expect(results.every(({ ok }) => ok)).to.equal(true)
  })

  it('end an append at a part whose checkpoint is the result of its unit', async () => {
    const { queue, asked } = streamAt(-1)
    const results = await appendAll(queue, [partAt(-1), partAt(0, { isLast: true }), partAt(1)])
    expect(asked).to.deep.equal([
      [-1, 2],
      [1, 1],
    ])
    expect(results[1]).to.deep.equal({ ok: true, checkpoint: '1/1' })
  })

  it('are split if they are too large for one append', async () => {
    const { queue, asked } = streamAt(-1)
    await appendAll(queue, [partAt(-1, { bytes: 600 }), partAt(0, { bytes: 400 }), partAt(1, { bytes: 1 })])
    expect(asked).to.deep.equal([
      [-1, 2],
      [1, 1],
    ])
  })

  it('get individual results if the combined append is refused, and a part after a failed one is not attempted', async () => {
    const { queue, asked } = streamAt(5)
    expect(await appendAll(queue, [partAt(4), partAt(5), partAt(6)])).to.deep.equal([
      conflictAt(5),
      conflictAt(5),
      conflictAt(5),
    ])
    expect(asked).to.deep.equal([
      [4, 3],
      [4, 1],
    ])
  })

  it('succeed after a failed part only if the stream already contains them', async () => {
    const standing = partAt(2)
    const { queue } = streamAt(5, [standing.events[0]!.id])
    const [failed, again] = await appendAll(queue, [partAt(1), standing])
    expect([failed!.ok, again!.ok]).to.deep.equal([false, true])
  })

  it('wait for an earlier part that is not due yet, and fail if its unit is abandoned', async () => {
    const { queue, asked } = streamAt(-1)
    const [first, second, third] = [partAt(-1), partAt(0), partAt(1)].map((part) => queue.enter(part))
    const results = [first!.append(), third!.append()]
    expect(await results[0]).to.include({ ok: true })
    second!.abandon()
    expect(await results[1]).to.deep.equal(conflictAt(0))
    expect(asked).to.deep.equal([[-1, 1]])
  })

  it('are appended separately if two of them start at the same revision', async () => {
    const { queue } = streamAt(-1)
    const [won, lost] = await appendAll(queue, [partAt(-1), partAt(-1)])
    expect([won!.ok, lost]).to.deep.equal([true, conflictAt(0)])
  })
})
