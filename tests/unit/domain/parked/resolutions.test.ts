import { expect } from 'chai'
import { PARKED_STREAM, type ParkedEvent } from '../../../../domain/parked/events.ts'
import { isResolution, Resolutions, type Resolution } from '../../../../domain/parked/resolutions.ts'
import { parseEvent } from '../../../../domain/parse-event.ts'

const decided = (type: string, revision: number, about: Partial<ParkedEvent> = {}): Resolution => {
  const data = { stream: 'transaction-7', revision: 2, event_id: 'e', type: 'X', reason: 'unknown_type', detail: '', projectors: ['main'], ...about } // prettier-ignore
  const metadata = { user_id: null, at: '2026-01-01T00:00:00.000Z', correlation_id: '', causation_id: '', version: 1 }
  const event = parseEvent({
    id: `${revision}`,
    type,
    data,
    metadata,
    stream: PARKED_STREAM,
    revision,
    checkpoint: '1',
  })
  if (!isResolution(event)) throw new Error('not a decision')
  return event
}

describe('decisions about parked events', () => {
  const event = { stream: 'transaction-7', id: 'e' }

  it('the last one about an event counts, in any order of reading', () => {
    const resolutions = new Resolutions()
    resolutions.add(decided('ParkedEventSkipped', 1))
    resolutions.add(decided('ParkedEventRetried', 0))
    expect(resolutions.about(event)?.type).to.equal('ParkedEventSkipped')
    expect(resolutions.isSkipped(event)).to.equal(true)
    expect(resolutions.isSkipped({ ...event, id: 'other' })).to.equal(false)
    expect(resolutions.isSkipped({ ...event, stream: 'transaction-72' })).to.equal(false)
  })

  it('a retried event is not skipped', () => {
    const resolutions = new Resolutions()
    resolutions.add(decided('ParkedEventRetried', 0))
    expect(resolutions.isSkipped(event)).to.equal(false)
  })

  it('an event that only the database refused is skipped by the read models, and folds keep it', () => {
    const resolutions = new Resolutions()
    resolutions.add(decided('ParkedEventSkipped', 0, { reason: 'refused' }))
    expect(resolutions.isSkipped(event)).to.equal(false)
    expect(resolutions.about(event)?.type).to.equal('ParkedEventSkipped')
  })
})
