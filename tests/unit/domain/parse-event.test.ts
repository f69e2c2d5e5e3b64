import { expect } from 'chai'
import {
  asStored,
  asSkipped,
  isFoldable,
  isReadable,
  parseEvent,
  UnreadableEvent,
} from '../../../domain/parse-event.ts'

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

  it('lets a fold ignore an event only if the operator has skipped it', () => {
    const skipped = asSkipped(parseEvent(stored('NotYetInvented', { x: 1 })))
    expect(isFoldable(skipped)).to.equal(false)
    expect(isReadable(skipped)).to.equal(false)
    expect(asStored(skipped)).to.deep.equal(stored('NotYetInvented', { x: 1 }))
  })

  for (const [what, event, detail] of [
    ['of an unknown type', stored('NotYetInvented', { x: 1 }), 'this release does not know the event NotYetInvented'],
    [
      'of a newer version',
      stored('IdsReserved', { from: 1, to: 100 }, 2),
      'IdsReserved has version 2, but this release knows only versions up to 1',
    ],
    [
      'whose data the schema refuses',
      stored('IdsReserved', { from: 1, to: '100' }),
      'IdsReserved does not match its schema: to',
    ],
    ['whose data is missing', stored('IdsReserved', null), 'IdsReserved does not match its schema'],
    ['whose data is not JSON', stored('IdsReserved', undefined), 'IdsReserved does not match its schema'],
  ] as const)
    it(`never lets an event through ${what}, and keeps it as it is stored`, () => {
      const parsed = parseEvent(event)
      expect(parsed).to.include({ type: 'Unreadable', revision: 3, checkpoint: '17' })
      expect(isReadable(parsed)).to.equal(false)
      expect(() => isFoldable(parsed)).to.throw(UnreadableEvent, `ids@3: ${detail}`)
      expect(asStored(parsed)).to.deep.equal(event)
    })

  for (const [what, metadata] of [
    ['none', undefined],
    ['null', null],
    ['no object', 'text'],
    ['no time', { user_id: 1, correlation_id: '', causation_id: '', version: 1 }],
    ['a time that is none', { user_id: 1, at: 'today', correlation_id: '', causation_id: '', version: 1 }],
    ['a user that is none', { user_id: 'me', at: '2026-01-01T00:00:00Z', correlation_id: '', causation_id: '' }],
    ['version 0', { user_id: 1, at: '2026-01-01T00:00:00Z', correlation_id: '', causation_id: '', version: 0 }],
  ] as const)
    it(`gives an event whose metadata is ${what} metadata that any reader can use`, () => {
      const parsed = parseEvent({ ...stored('IdsReserved', { from: 1, to: 2 }), metadata: metadata as never })
      expect(parsed.data).to.include({ problem: 'invalid_metadata' })
      expect(parsed.metadata).to.include({ user_id: null, at: '' })
    })

  it('marks a stream that was deleted in the store', () => {
    const tombstone = { ...stored('$streamDeleted', {}), metadata: undefined as never }
    expect(parseEvent(tombstone).data).to.include({ problem: 'stream_deleted' })
  })

  it('treats metadata without a version as version 1', () => {
    const { version: _, ...metadata } = stored('IdsReserved', {}).metadata
    const event = { ...stored('IdsReserved', { from: 1, to: 2 }), metadata: metadata as never }
    expect(isReadable(parseEvent(event))).to.equal(true)
  })

  it('does not fail if damaged data breaks an upcaster', () => {
    const steps = { IdsReserved: [(data: unknown) => ({ from: 1, to: (data as { last: { of: number } }).last.of })] }
    expect(parseEvent(stored('IdsReserved', {}), steps).data).to.include({ problem: 'invalid_data' })
  })
})
