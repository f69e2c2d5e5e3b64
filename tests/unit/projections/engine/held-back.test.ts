import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import type { Batch } from '../../../../domain/ports.ts'
import { heldBack } from '../../../../projections/engine/held-back.ts'

const batch = (types: readonly string[], checkpoint: string): Batch => ({
  events: types.map((type) => ({ type }) as StoredEvent),
  checkpoint,
  live: true,
})
const RESULT = batch(['WebhookAttempted'], '1')
const OTHER_RESULT = batch(['WebhookAttempted', 'WebhookStatusChanged'], '2')
const CAPTURE = batch(['TransactionCaptured'], '3')
const OTHER_CAPTURE = batch(['TransactionCaptured'], '4')

const canWait = ({ events }: Batch): boolean => events.every(({ type }) => type.startsWith('Webhook'))

/** Batches that arrive when the test says so. */
const arriving = () => {
  const waiting: ((result: IteratorResult<Batch, void>) => void)[] = []
  const asked: ((error: Error) => void)[] = []
  return {
    arrive: (value: Batch) => waiting.shift()!({ value, done: false }),
    end: () => waiting.shift()!({ value: undefined, done: true }),
    fail: (error: Error) => asked.at(-1)!(error),
    timesAsked: () => asked.length,
    batches: {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise<IteratorResult<Batch, void>>((resolve, reject) => {
            waiting.push(resolve)
            asked.push(reject)
          }),
      }),
    } as AsyncIterable<Batch>,
  }
}

/** A time that ends when the test says so. */
const time = () => {
  let end = (): void => {}
  return { end: () => end(), awaited: () => new Promise<void>((resolve) => (end = resolve)) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

const opened = () => {
  const [source, clock] = [arriving(), time()]
  const reader = heldBack(source.batches, { canWait, mostMs: () => 60_000, awaited: clock.awaited })
  return {
    source,
    clock,
    reader,
    typesOf: ({ value }: IteratorResult<Batch, void>) => value!.events.map(({ type }) => type),
  }
}

describe('batches that are held back', () => {
  it('pass at once if they cannot wait, and the next one is not asked for early', async () => {
    const { source, reader } = opened()
    const first = reader.next()
    await turn()
    source.arrive(CAPTURE)
    expect((await first).value).to.equal(CAPTURE)
    expect(source.timesAsked()).to.equal(1)
  })

  it('are joined with the ones that follow, up to one that cannot wait', async () => {
    const { source, reader, typesOf } = opened()
    const first = reader.next()
    for (const each of [RESULT, OTHER_RESULT, CAPTURE]) {
      await turn()
      source.arrive(each)
    }
    const result = await first
    expect(typesOf(result)).to.deep.equal([
      'WebhookAttempted',
      'WebhookAttempted',
      'WebhookStatusChanged',
      'TransactionCaptured',
    ])
    expect(result.value).to.include({ checkpoint: '3', live: true })
  })

  it('pass when the time is over or a caller waits, and none is skipped', async () => {
    const { source, clock, reader } = opened()
    const first = reader.next()
    await turn()
    source.arrive(RESULT)
    await turn()
    clock.end()
    expect((await first).value).to.deep.equal(RESULT)
    source.arrive(CAPTURE)
    expect((await reader.next()).value).to.equal(CAPTURE)
    // Each of them passes once.
    const third = reader.next()
    await turn()
    source.arrive(OTHER_CAPTURE)
    expect((await third).value).to.equal(OTHER_CAPTURE)
  })

  it('pass when the time is over, even if the next ones are always there', async () => {
    let isPassed = false
    async function* subscription(): AsyncGenerator<Batch> {
      while (!isPassed) {
        await turn()
        yield RESULT
      }
    }
    const reader = heldBack(subscription(), { canWait, mostMs: () => 5, awaited: time().awaited })
    expect((await reader.next()).value!.events).to.have.length.of.at.least(1)
    isPassed = true
    await reader.return()
  })

  it('pass when the subscription ends', async () => {
    const { source, reader } = opened()
    const first = reader.next()
    await turn()
    source.arrive(RESULT)
    await turn()
    source.end()
    expect((await first).value).to.deep.equal(RESULT)
    expect(await reader.next()).to.deep.equal({ value: undefined, done: true })
  })

  it('fail when the subscription fails', async () => {
    const { source, reader } = opened()
    const first = reader.next()
    await turn()
    source.arrive(RESULT)
    await turn()
    source.fail(new Error('away'))
    expect(await first.catch(({ message }: Error) => message)).to.equal('away')
  })

  /** A subscription that was not asked for its next batch would otherwise never learn that its consumer has ended. */
  it('end the subscription when the consumer ends, even if no other batch is awaited', async () => {
    let isOver = false
    async function* subscription(): AsyncGenerator<Batch> {
      try {
        yield CAPTURE
      } finally {
        isOver = true
      }
    }
    const failed = async (): Promise<void> => {
      const held = { canWait, mostMs: () => 60_000, awaited: time().awaited }
      for await (const _ of heldBack(subscription(), held)) throw new Error('not applied')
    }
    expect(await failed().catch(({ message }: Error) => message)).to.equal('not applied')
    expect(isOver).to.equal(true)
  })
})
