import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { Books, type WarmBook } from '../../../../workflows/capture/books.ts'
import { sighting, sms } from '../../domain/dedup/sightings.ts'

const filled = (books: Books, userId: number, count: number): WarmBook => {
  const warm = books.take(userId, 'VCB')
  const events = Array.from({ length: count }, (_, revision) => ({
    revision,
    data: { ...sighting(sms({ ref: `FT:${revision}` })), transaction_id: revision + 1, verdict: 'new', copy_of: null },
  }))
  warm.readOn(events as unknown as StoredEvent[])
  books.put(warm)
  return warm
}

describe('cached deduplication windows', () => {
  it('are limited by their notifications, and the least recently used is dropped first', () => {
    const books = new Books(25)
    const [one, two] = [filled(books, 1, 10), filled(books, 2, 10)]
    books.put(books.take(1, 'VCB'))
    const three = filled(books, 3, 10)
    expect(books.take(1, 'VCB')).to.equal(one)
    expect(books.take(2, 'VCB')).to.not.equal(two)
    expect(books.take(3, 'VCB')).to.equal(three)
  })

  it('keep a window that alone exceeds the limit', () => {
    const books = new Books(5)
    expect(books.take(1, 'VCB')).to.not.equal(filled(books, 1, 10))
    const large = filled(books, 2, 10)
    expect(books.take(2, 'VCB')).to.equal(large)
  })

  it('continue from their revision, and skip events they already contain', () => {
    const warm = filled(new Books(100), 1, 3)
    expect(warm.slice()).to.deep.equal({ stream: 'book-1-VCB', from: 3 })
    filled(new Books(100), 1, 3)
    warm.readOn([{ revision: 2 }] as unknown as StoredEvent[])
    expect(warm.book.size).to.equal(3)
  })

  it('accept the revision of a conflict if no newer event can be read', () => {
    const warm = new Books(100).take(1, 'VCB')
    warm.told(41)
    expect(warm.slice().from).to.equal(0)
    warm.readOn([])
    expect(warm.revision).to.equal(41)
  })
})
