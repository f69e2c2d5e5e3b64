import { expect } from 'chai'
import { asStored, isReadable, parseEvent, UnreadableEvent } from '../../../domain/parse-event.ts'

const stored = (type: string, data: unknown, version = 1) => ({
  id: 'id',
  type,
  data,
  metadata: { user_id: 1, at: '2026-01-01T00:00:00.000Z', correlation_id: '', causation_id: '', version },
  stream: 'ids',
  revision: 3,
  checkpoint: '17',
})

describe('parseEvent', () => {
  it('returns an event of the newest version as it is', () => {
    const event = stored('IdsReserved', { from: 1, to: 100 })
    expect(parseEvent(event)).to.equal(event)
    expect(isReadable(parseEvent(event))).to.equal(true)
  })

  it('upcasts the data of an older version step by step', () => {
    const steps = {
      IdsReserved: [
        (data: unknown) => ({ from: 1, until: (data as { last: number }).last }),
        (data: unknown) => ({ from: 1, to: (data as { until: number }).until + 1 }),
      ],
    }
    expect(parseEvent(stored('IdsReserved', { last: 99 }), steps).data).to.deep.equal({ from: 1, to: 100 })
    expect(parseEvent(stored('IdsReserved', { from: 1, until: 99 }, 2), steps).data).to.deep.equal({ from: 1, to: 100 })
    expect(parseEvent(stored('IdsReserved', { from: 1, to: 100 }, 3), steps).data).to.deep.equal({ from: 1, to: 100 })
  })

  it('passes over an event of an unknown type, which a later release wrote', () => {
    const event = parseEvent(stored('NotYetInvented', { x: 1 }))
    expect(event.type).to.equal('Unreadable')
    expect(isReadable(event)).to.equal(false)
    expect(asStored(event)).to.deep.equal(stored('NotYetInvented', { x: 1 }))
  })

  for (const [what, event, detail] of [
    [
      'of a newer version',
      stored('IdsReserved', { from: 1, to: 100 }, 2),
      'IdsReserved has version 2, this release knows 1',
    ],
    [
      'whose data the schema refuses',
      stored('IdsReserved', { from: 1, to: '100' }),
      'IdsReserved is not as its schema says: to',
    ],
    ['whose data is missing', stored('IdsReserved', null), 'IdsReserved is not as its schema says'],
  ] as const)
    it(`never lets an event through ${what}, and keeps it as it is stored`, () => {
      const parsed = parseEvent(event)
      expect(parsed).to.include({ type: 'Unreadable', revision: 3, checkpoint: '17' })
      expect(() => isReadable(parsed)).to.throw(UnreadableEvent, `ids@3: ${detail}`)
      expect(asStored(parsed)).to.deep.equal(event)
    })
})
