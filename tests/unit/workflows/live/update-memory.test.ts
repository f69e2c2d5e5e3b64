/** Callers with old ids, who make the memory of live updates read from the store. */
import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { openUpdateMemory } from '../../../../workflows/live/update-memory.ts'

describe('the memory of live updates', () => {
  const event = (at: number) =>
    ({
      stream: 'transaction-1',
      type: 'TransactionDeleted',
      data: { transaction_id: 1 },
      metadata: { user_id: 1 },
      checkpoint: String(at),
    }) as unknown as StoredEvent
  const events = (from: number, count: number) => Array.from({ length: count }, (_, index) => event(from + index))

  it('reads no more than the most events in ten seconds, however often it forgets what it read', async () => {
    let read = 0
    let end = 0
    const store = {
      isAfter: (a: string, b: string) => Number(a) > Number(b),
      readAll: (after: string | null, most: number) => {
        const found = events(Number(after) + 1, Math.min(most, end - Number(after)))
        read += found.length
        return Promise.resolve(found)
      },
    }
    const memory = openUpdateMemory(store, 20_000)
    memory.begin('0')
    memory.add(events(1, (end = 20_000)))
    memory.forget()
    await memory.readFrom('1000')
    expect(memory.missedBy(1, '1000')).to.have.length(19_000)
    for (let time = 0; time < 5; time++) {
      memory.add([event(++end)])
      memory.forget()
      await memory.readFrom('1000')
    }
    expect(read).to.be.within(14_000, 20_100)
    expect(memory.missedBy(1, '1000')).to.equal(null)
  })
})
