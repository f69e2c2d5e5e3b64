import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { PARKED_STREAM } from '../../../../domain/parked/events.ts'
import { checkFile, FileWriter, type FiledEvent } from '../../../../workflows/store-migration/event-file.ts'

const event = (stream: string, revision: number, type: string, data: object = {}): FiledEvent => {
  const metadata = {
    user_id: 1,
    at: '2026-11-20T12:00:00.000Z',
    correlation_id: 'test',
    causation_id: 'test',
    version: 1,
  }
  return { stream, revision, id: randomUUID(), type, data, metadata }
}

const check = async (events: readonly FiledEvent[]): Promise<string> => {
  const writer = new FileWriter()
  const lines = [...events.map((each) => writer.line(each)), writer.end({}).text].map((line) => line.trimEnd())
  const knows = (type: string) => type !== 'FromTomorrow'
  return checkFile(
    (async function* () {
      yield* lines
    })(),
    knows,
  ).then(
    ({ events: count }) => `${count} events`,
    ({ message }: Error) => message,
  )
}

describe('the check of a file of events', () => {
  const odd = event('odd', 0, 'FromTomorrow')
  const decision = (revision: number, type: string) => {
    const { stream, id: event_id } = odd
    const parked = {
      stream,
      revision: 0,
      event_id,
      type: 'FromTomorrow',
      reason: 'unknown_type',
      detail: '',
      projectors: [],
    }
    return event(PARKED_STREAM, revision, type, parked)
  }
  const skipped = decision(0, 'ParkedEventSkipped')
  const retried = decision(1, 'ParkedEventRetried')

  it('refuses events that this version does not know, and names the first one', async () => {
    const other = event('odd', 1, 'FromTomorrow')
    const refused = 'line 2 is an event this version does not know: FromTomorrow'
    expect(await check([event('one', 0, 'Known'), odd])).to.equal(refused)
    expect(await check([event('one', 0, 'Known'), odd, other])).to.equal(refused)
    expect(await check([odd, other, skipped])).to.equal('line 2 is an event this version does not know: FromTomorrow')
  })

  it('accepts one that is skipped, unless it was retried afterwards', async () => {
    expect(await check([odd, skipped])).to.equal('2 events')
    expect(await check([odd, skipped, retried])).to.equal('line 1 is an event this version does not know: FromTomorrow')
    expect(await check([odd, skipped, retried, decision(2, 'ParkedEventSkipped')])).to.equal('4 events')
  })
})
