import { expect } from 'chai'
import type { RecordedEvent } from '../../../../../domain/event.ts'
import { ReceivedEvent } from '../../../../../adapters/event-store/eventstoredb/received-event.ts'

const recorded = (data: unknown): RecordedEvent => ({
  id: 'e1',
  type: 'Noted',
  data,
  metadata: { user_id: 7, at: '', correlation_id: '', causation_id: '', version: 1 },
  stream: 'note-1',
  revision: 0,
  checkpoint: '5/5',
})
const position = { commit: 5n, prepare: 5n }

describe('an event as a subscription to EventStoreDB received it', () => {
  it('is parsed once, for the first reader', () => {
    let parsed = 0
    const received = new ReceivedEvent(position, recorded({ n: 1 }), (event) => ({
      ...event,
      type: `Parsed${++parsed}`,
    }))
    expect([received.stream, received.identity.id, received.identity.checkpoint]).to.deep.equal(['note-1', 'e1', '5/5'])
    expect(parsed).to.equal(0)
    expect(received.event.type).to.equal('Parsed1')
    expect(received.event).to.equal(received.event)
    expect(received.identity.id).to.equal('e1')
  })

  it('fails for each reader if the parser fails', () => {
    const received = new ReceivedEvent(position, recorded(null), () => {
      throw new Error('unreadable')
    })
    expect(() => received.event).to.throw('unreadable')
    expect(() => received.event).to.throw('unreadable')
  })

  it('has about the size of its JSON', () => {
    const size = (data: unknown): number => new ReceivedEvent(position, recorded(data), (event) => event).size
    const lists = { list: Array.from({ length: 1_000 }, (_, n) => ({ name: `n${n}`, text: 'x'.repeat(100) })) }
    expect(size(lists)).to.be.closeTo(JSON.stringify(lists).length, 20_000)
    expect(size('x'.repeat(50_000))).to.be.within(50_000, 51_000)
    for (const data of [undefined, null, 7, true]) expect(size(data)).to.be.lessThan(400)
  })
})
