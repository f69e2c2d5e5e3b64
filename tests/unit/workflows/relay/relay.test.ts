/** The order of the relay's steps. `tests/integration/kafka/relay.test.ts` has the rest, with a broker. */
import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import type { Batch, EventStore, Lease } from '../../../../domain/ports.ts'
import { RelayProgress, runRelay, type Publisher, type RelayCheckpoint } from '../../../../workflows/relay/relay.ts'
import type { StorePosition } from '../../../../workflows/support/store-position.ts'

const eventAt = (checkpoint: number): StoredEvent => ({
  id: `event ${checkpoint}`,
  type: 'DeliveryEnded',
  data: { transaction_id: checkpoint, rule_id: 1, reason: 'gone' },
  metadata: { user_id: 1, at: '2026-11-29T00:00:00.000Z', correlation_id: '', causation_id: '', version: 1 },
  stream: `transaction-${checkpoint}`,
  revision: 0,
  checkpoint: String(checkpoint),
})

const onlyProcess: Lease = { hold: (work, signal) => work(signal) }

interface Given {
  /** Where the relay stood before. The store has no event there. */
  known?: StorePosition
  publish?: Publisher['publish']
  advance?: RelayCheckpoint['advance']
}

/** Relays two batches of one event each. @returns what was done and logged */
const relayed = async ({ known, publish, advance }: Given, stop = new AbortController()): Promise<string[]> => {
  const steps: string[] = []
  const batchAt = (checkpoint: number): Batch => ({
    events: [eventAt(checkpoint)],
    checkpoint: String(checkpoint),
    live: true,
  })
  const progress = new RelayProgress()
  const store = {
    read: () => Promise.resolve([[]]),
    isAfter: (a: string, b: string) => Number(a) > Number(b),
    subscribe: async function* ({ after }: { after: string | null }) {
      steps.push(`reads from ${after}`)
      yield await Promise.resolve(batchAt(7))
      steps.push(`lags ${progress.lag(new Date())} ms`)
      yield batchAt(8)
    },
  } as unknown as EventStore
  const publisher: Publisher = {
    publish: async (events, signal) => {
      await publish?.(events, signal)
      // To connect takes longer than to send.
      if (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      steps.push(events.length === 0 ? 'connected' : `sent ${events[0]!.checkpoint}`)
    },
    close: () => Promise.resolve(),
  }
  const checkpoint: RelayCheckpoint = {
    load: () => Promise.resolve(known ?? null),
    advance: async (from, to) => {
      steps.push(`moves from ${from?.checkpoint ?? null} to ${to.checkpoint}`)
      return (await advance?.(from, to)) ?? true
    },
  }
  const log = (_: object, name: string): void => void (name === 'relay.started' || steps.push(name))
  const options = { store, publisher, checkpoint, progress, lease: onlyProcess, log: { info: log, warn: log } }
  await runRelay(options, stop.signal)
  return steps
}

describe('the relay', () => {
  it('connects, sends a batch and moves its checkpoint before it takes the next batch', async () => {
    expect(await relayed({})).to.deep.equal([
      'reads from null',
      'connected',
      'sent 7',
      'moves from null to 7',
      'lags 0 ms',
      'sent 8',
      'moves from 7 to 8',
    ])
  })

  it('of a replaced store begins with the first event, and moves the checkpoint from where it stood', async () => {
    const known = { checkpoint: '9', event_id: 'of another store', stream: 'transaction-9', revision: 0 }
    expect((await relayed({ known })).slice(0, 5)).to.deep.equal([
      'relay.from_the_first_event',
      'reads from null',
      'connected',
      'sent 7',
      'moves from 9 to 7',
    ])
  })

  it('does not move its checkpoint if it must stop while it sends', async () => {
    const stop = new AbortController()
    const publish = async (events: readonly StoredEvent[]): Promise<void> => {
      if (events.length === 0) return
      stop.abort()
      throw new Error('stopped')
    }
    expect(await relayed({ publish }, stop)).to.deep.equal(['reads from null', 'connected'])
  })

  it('was not overtaken if it must stop while the database is unavailable', async () => {
    const stop = new AbortController()
    const advance = async (): Promise<boolean> => {
      stop.abort()
      throw new Error('the database is unavailable')
    }
    expect((await relayed({ advance }, stop)).at(-1)).to.equal('moves from null to 7')
  })

  it('ends if another process has moved the checkpoint', async () => {
    const steps = await relayed({ advance: () => Promise.resolve(false) })
    expect(steps.slice(-2)).to.deep.equal(['moves from null to 7', 'relay.overtaken'])
  })
})
