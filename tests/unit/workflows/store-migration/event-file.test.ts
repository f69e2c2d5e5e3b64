import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { PARKED_STREAM, REFUSED } from '../../../../domain/parked/events.ts'
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

/** @returns the lines of a file with these events */
const fileOf = (events: readonly FiledEvent[]): string[] => {
  const writer = new FileWriter()
  return [...events.map((each) => writer.line(each)), writer.end({}).text].map((line) => line.trimEnd())
}

/** @returns how many events the file has, or why it is refused */
const check = (lines: readonly string[]): Promise<string> => {
  const knows = (type: string) => type !== 'FromTomorrow'
  return checkFile(
    (async function* () {
      yield* lines
    })(),
    knows,
  ).then(
    ({ events }) => `${events} events`,
    ({ message }: Error) => message,
  )
}
const checkOf = (events: readonly FiledEvent[]): Promise<string> => check(fileOf(events))

describe('the check of a file of events', () => {
  const odd = event('odd', 0, 'FromTomorrow')
  const decision = (revision: number, type: string, reason = 'unknown_type') => {
    const { stream, id: event_id } = odd
    const parked = {
      stream,
      revision: 0,
      event_id,
      type: 'FromTomorrow',
      reason,
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
    expect(await checkOf([event('one', 0, 'Known'), odd])).to.equal(refused)
    expect(await checkOf([event('one', 0, 'Known'), odd, other])).to.equal(refused)
    expect(await checkOf([odd, other, skipped])).to.equal(refused)
  })

  it('accepts one that is skipped, unless it was retried afterwards', async () => {
    expect(await checkOf([odd, skipped])).to.equal('2 events')
    expect(await checkOf([odd, skipped, retried])).to.equal(
      'line 1 is an event this version does not know: FromTomorrow',
    )
    expect(await checkOf([odd, skipped, retried, decision(2, 'ParkedEventSkipped')])).to.equal('4 events')
  })

  it('refuses one that only the read models leave out, because everything else reads it', async () => {
    expect(await checkOf([odd, decision(0, 'ParkedEventSkipped', REFUSED)])).to.match(/does not know: FromTomorrow$/)
  })

  describe('refuses a file', () => {
    const whole = fileOf(
      [1, 2, 3, 4].map((n) => event(`transaction-${n}`, 0, 'TransactionCaptured', { amount: '150000.00' })),
    )
    const [first, second, ...others] = whole as [string, string, ...string[]]
    const another = `"readers":{"reactions":"${randomUUID()}"}`
    const cases: [string, readonly string[], RegExp][] = [
      ['without its last line', whole.slice(0, -1), /cut off/],
      ['cut in the middle of a line', [first, second.slice(0, -9)], /line 2 is not JSON/],
      ['that is empty', [], /cut off/],
      ['with a line doubled', [first, ...whole], /contains 5 events/],
      ['with a line gone', whole.toSpliced(3, 1), /contains 3 events/],
      ['with two lines changed about', [second, first, ...others], /SHA-256/],
      ['with an altered amount', whole.map((line) => line.replace('"150000.00"', '"950000.00"')), /SHA-256/],
      ['whose last line names another reader', whole.map((line) => line.replace('"readers":{}', another)), /SHA-256/],
      ['of something else', ['{"hello":"world"}', '{}'], /line 1 is not an event/],
    ]
    for (const [name, lines, reason] of cases)
      it(name, async () => {
        expect(await check(whole)).to.equal('4 events')
        expect(await check(lines)).to.match(reason)
      })
  })
})
