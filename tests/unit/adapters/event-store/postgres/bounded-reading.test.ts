import { expect } from 'chai'
import { BoundedReading, type ReadPiece } from '../../../../../adapters/event-store/postgres/bounded-reading.ts'
import type { RecordedEvent } from '../../../../../domain/event.ts'
import type { Slice } from '../../../../../domain/ports.ts'

const TOO_LONG = new Error('too long')

/** Streams whose events have 100 bytes each. A statement reads at most `most` events, or takes too long. */
const openWorld = (lengths: Record<string, number>, { most = Infinity, mostBytes = 1_000 } = {}) => {
  const statements: number[] = []
  const readPiece: ReadPiece<RecordedEvent> = (slices, bounds) => {
    const events: RecordedEvent[][] = slices.map(() => [])
    let bytes = 0
    let reached = -1
    let looked = 0
    slices.forEach(({ stream, from = 0, backwards = false, limit: wanted = Infinity }, n) => {
      const all = Array.from({ length: lengths[stream] ?? 0 }, (_, revision) => ({ stream, revision }) as RecordedEvent)
      const these = (backwards ? all.toReversed() : all.slice(from, from + bounds.mostEvents)).slice(0, wanted)
      looked += these.length
      for (const event of these) {
        if (bytes >= bounds.mostBytes) return
        events[n]!.push(event)
        bytes += 100
        reached = n
      }
    })
    if (looked > most) return Promise.reject(TOO_LONG)
    statements.push(events.flat().length)
    return Promise.resolve({ events, reached, bytes })
  }
  /** Retries without end, like a patient caller. */
  const answered = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (;;)
      try {
        return await attempt()
      } catch (error) {
        if (error !== TOO_LONG) throw error
      }
  }
  const reading = new BoundedReading({ readPiece, isTooLong: (error) => error === TOO_LONG, answered, mostBytes })
  return { reading, statements }
}

const namesOf = (found: RecordedEvent[][]) =>
  found.map((events) => events.map(({ stream, revision }) => `${stream}${revision}`).join(' '))

const expected = (slices: readonly Slice[], lengths: Record<string, number>): string[] =>
  slices.map(({ stream, from = 0, backwards, limit = Infinity }) => {
    const all = Array.from({ length: lengths[stream] ?? 0 }, (_, revision) => `${stream}${revision}`)
    return (backwards ? all.toReversed() : all.slice(from)).slice(0, limit).join(' ')
  })

describe('bounded reading', () => {
  const LENGTHS = { a: 3, b: 40, c: 0, d: 25, e: 1 }
  const SLICES: Slice[] = [
    { stream: 'a' },
    { stream: 'b', from: 2 },
    { stream: 'c' },
    { stream: 'd', backwards: true },
    { stream: 'b', limit: 12 },
    { stream: 'd', backwards: true, limit: 2 },
    { stream: 'e' },
  ]

  it('is one statement if everything fits', async () => {
    const { reading, statements } = openWorld(LENGTHS, { mostBytes: 1_000_000 })
    expect(namesOf(await reading.read(SLICES))).to.deep.equal(expected(SLICES, LENGTHS))
    expect(statements).to.have.length(1)
    expect(await reading.read([])).to.deep.equal([])
  })

  it('gives the same in statements of a bounded number of bytes', async () => {
    for (const mostBytes of [100, 250, 1_000, 4_000]) {
      const { reading, statements } = openWorld(LENGTHS, { mostBytes })
      expect(namesOf(await reading.read(SLICES)), String(mostBytes)).to.deep.equal(expected(SLICES, LENGTHS))
      // A slice that is read backwards cannot be divided.
      expect(Math.max(...statements)).to.be.at.most(Math.max(LENGTHS.d, Math.ceil(mostBytes / 100)))
    }
  })

  it('reads fewer slices, and then fewer events, until a statement is short enough', async () => {
    const lengths = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`s${n}`, n === 50 ? 5_000 : 7]))
    const slices = Object.keys(lengths).map((stream): Slice => ({ stream }))
    const { reading, statements } = openWorld(lengths, { most: 600, mostBytes: 1_000_000 })
    expect(namesOf(await reading.read(slices))).to.deep.equal(expected(slices, lengths))
    expect(Math.max(...statements)).to.be.at.most(600)
  })
})
