/** A store with one account, and any number of processes that capture into it. */
import { randomUUID } from 'node:crypto'
import { openIds } from '../../../adapters/system/ids.ts'
import { accountStream } from '../../../domain/account/events.ts'
import type { Fact } from '../../../domain/event.ts'
import type { StoredEvent } from '../../../domain/parse-event.ts'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { NO_STREAM, type EventStore } from '../../../domain/ports.ts'
import { foldTransaction, type LiveTransaction } from '../../../domain/transaction/transaction.ts'
import { openCapture, type Capture, type CaptureOptions } from '../../../workflows/capture/capture.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { accountFacts, shownOf } from '../../harness/accounts.ts'
import { STORES, type Mortal } from './stores.ts'

export const USER = 7
export const NOW = new Date('2026-11-20T03:00:10.000Z')

export interface World {
  store: EventStore
  /** A separate process, with empty caches and its own block of ids. */
  process(options?: Partial<CaptureOptions>): Capture
  /** The store as another process sees it. It fails on command. */
  mortal(): Promise<Mortal>
  write(stream: string, facts: readonly Fact[], expectedRevision?: number): Promise<void>
  events(prefix: string): Promise<StoredEvent[]>
  /** Live transactions by id. Throws if a stream was started twice. */
  transactions(): Promise<Map<number, LiveTransaction>>
  close(): Promise<void>
}

/** @param openStore  one of `STORES` */
export const openWorld = async (openStore = STORES['Postgres, stream by stream']!): Promise<World> => {
  const { store, mortal, close } = await openStore()
  const clock = { now: () => NOW }
  const write: World['write'] = async (stream, facts, expectedRevision = NO_STREAM) => {
    const occasion = { user_id: USER, at: NOW, correlation_id: randomUUID(), causation_id: randomUUID() }
    const [result] = await store.append([[{ stream, expectedRevision, events: stamp(facts, occasion) }]])
    if (!result?.ok) throw new Error(`conflict on ${stream}`)
  }
  const events: World['events'] = async (prefix) =>
    (await store.readAll(null, 1_000_000)).filter(({ stream }) => stream.startsWith(prefix))
  await write(accountStream(USER), accountFacts(USER))
  return {
    store,
    process: (options = {}) => {
      const through = options.store ?? store
      return openCapture({
        store: through,
        ids: openIds({ store, clock }),
        clock,
        plans: null,
        unfinishedMs: 150,
        // A busy machine may take longer than the production limit.
        mostWaitMs: 60_000,
        ...options,
      })
    },
    write,
    events,
    transactions: async () => {
      const streams = new Map<string, StoredEvent[]>()
      for (const event of await events('transaction-'))
        streams.set(event.stream, [...(streams.get(event.stream) ?? []), event])
      const folded = new Map<number, LiveTransaction>()
      for (const [stream, of] of streams) {
        if (of.filter(({ type }) => type === 'TransactionCaptured').length > 1)
          throw new Error(`captured twice: ${stream}`)
        const state = foldTransaction(of)
        if (state?.phase === 'live') folded.set(state.transaction_id, state)
      }
      return folded
    },
    mortal,
    close,
  }
}

/** Sends again like a phone while the store does not answer: on a busy machine it may miss the short deadline of a mortal store. */
export const takeUntilAnswered = async (capture: Capture, arrivals: readonly Arrival[]): Promise<Taken[]> => {
  for (;;)
    try {
      return await capture.take(arrivals)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
}

interface Given {
  device?: number
  posted_as?: Arrival['posted_as']
  sender?: string
  package?: string
  title?: string
  /** Milliseconds after NOW. */
  stamp?: number | null
  arrived?: number
}

export const arrival = (text: string, given: Given = {}): Arrival => {
  const { device = 1, posted_as = 'sms', stamp: late = 0, arrived = late ?? 0, ...around } = given
  const incoming = { text, ...around }
  return {
    credential: shownOf(USER, device),
    incoming,
    posted_as: device === 0 ? null : posted_as,
    stamp: late === null ? null : new Date(NOW.getTime() + late),
    arrived_at: new Date(NOW.getTime() + arrived),
    raw: JSON.stringify(incoming),
  }
}

/** A Vietcombank SMS and the push of the same event: reference, balance and time are printed in both. */
export const vietcombankSms = (number: number, memo = `DH${1000 + number}`, given: Given = {}): Arrival =>
  arrival(
    `SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD ${(1_000_000 + number * 150).toLocaleString('en-US')}VND. ` +
      `Ref MBVCB.${900_000_000 + number}.${memo}`,
    { sender: 'Vietcombank', ...given },
  )

export const vietcombankPush = (number: number, memo = `DH${1000 + number}`, given: Given = {}): Arrival =>
  arrival(
    `Số dư TK VCB 0011000415567 +150,000 VND lúc 20-11-2026 10:00:05. Số dư ${(1_000_000 + number * 150).toLocaleString('en-US')} VND. ` +
      `Ref MBVCB.${900_000_000 + number}.${memo}`,
    { posted_as: 'notification', package: 'com.VCB', title: 'Biến động số dư', stamp: 2_000, ...given },
  )
