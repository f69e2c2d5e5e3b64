/** Every fold stops at an event that it cannot read, and ignores one that the operator has skipped. No state is ever made without it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openIds } from '../../../adapters/system/ids.ts'
import { foldPlanOrder } from '../../../domain/plan-order/plan-order.ts'
import { asSkipped, parseEvent, UnreadableEvent, type StoredEvent } from '../../../domain/parse-event.ts'
import type { EventStore, Ids, Slice } from '../../../domain/ports.ts'
import { foldTransaction } from '../../../domain/transaction/transaction.ts'
import { accountOfEmail } from '../../../workflows/accounts/registration.ts'
import { Accounts } from '../../../workflows/accounts/accounts.ts'
import { openAffiliates } from '../../../workflows/affiliate/affiliates.ts'
import { openAlerts } from '../../../workflows/alerts/alerts.ts'
import { rereadOne, type Rereading } from '../../../workflows/capture/reparse.ts'
import { WarmWindow } from '../../../workflows/capture/warm-windows.ts'
import { LoadedMemory } from '../../../workflows/credits/memories.ts'
import { cancelJob } from '../../../workflows/jobs/bulk-retry.ts'
import { pauseGoneRule } from '../../../workflows/reactors/pause-gone-rule.ts'
import { upgradePlan } from '../../../workflows/reactors/upgrade-plan.ts'
import { releaseHeld } from '../../../workflows/transactions/release-held.ts'
import { goldenFile } from '../../corpus/golden-events.ts'

const AT = new Date('2026-01-02T00:00:00.000Z')
const clock = { now: () => AT }
const ids: Ids = { next: (count) => Promise.resolve(Array.from({ length: count }, (_, n) => n + 1)) }
const metadata = { user_id: 1, at: AT.toISOString(), correlation_id: '', causation_id: '', version: 1 }
const occasion = { user_id: 1, at: AT, correlation_id: '', causation_id: '' }

const recorded = (type: string, data: unknown, stream = 'any', revision = 0): StoredEvent =>
  parseEvent({ id: `${revision}`, type, data, metadata, stream, revision, checkpoint: '1' })

/** A store in which each stream has only these events. */
const storeOf = (events: (stream: string) => StoredEvent[]): EventStore =>
  ({
    read: (slices: readonly Slice[]) => Promise.resolve(slices.map(({ stream }) => events(stream))),
    append: () => Promise.reject(new Error('nothing must be appended')),
    isAfter: () => false,
  }) as unknown as EventStore

const golden = (type: string) => goldenFile(type, 1)!.examples[0] as never
const account = { bank_accounts: new Map([[9, { bank_account_id: 9, bank_code: 'VCB', confirmed: true }]]), user_id: 1 }
const alert = { user_id: 1, kind: 'rule_paused', subject: 'rule:5', text: '', since: AT.toISOString(), causation_id: '', correlation_id: '' } as const // prettier-ignore
const reparsing = (store: EventStore) => ({ store, clock, maxAgeMs: 1, capture: {} }) as unknown as Rereading

/** The folds, by the file that folds. Each makes a state from streams of the store. */
const FOLDS: Record<string, ((store: EventStore) => unknown)[]> = {
  'domain/transaction/transaction.ts': [async (store) => foldTransaction((await store.read([{ stream: 'any' }]))[0]!)],
  'domain/plan-order/plan-order.ts': [async (store) => foldPlanOrder((await store.read([{ stream: 'any' }]))[0]!)],
  'workflows/accounts/accounts.ts': [(store) => new Accounts(store).find(1)],
  'workflows/accounts/registration.ts': [(store) => accountOfEmail(store, 'owner@shop.example')],
  'workflows/affiliate/affiliates.ts': [(store) => openAffiliates({ store, ids }).find(1)],
  'workflows/alerts/alerts.ts': [(store) => openAlerts({ store, clock, ids }).end({ ...alert, until: alert.since })],
  'workflows/capture/reparse.ts': [(store) => rereadOne(reparsing(store), 1, 5)],
  'workflows/capture/warm-windows.ts': [
    async (store) => new WarmWindow(1, 'VCB').readOn((await store.read([{ stream: 'any' }]))[0]!),
  ],
  'workflows/credits/memories.ts': [
    (store) => new LoadedMemory(1).readOn(store),
    (store) => new LoadedMemory(1).readOn(only(store, /^credit-segments-/)),
  ],
  'workflows/jobs/bulk-retry.ts': [(store) => cancelJob(store, occasion, 5)],
  'workflows/reactors/pause-gone-rule.ts': [
    (store) => {
      const ended = { ...(golden('DeliveryEnded') as object), reason: 'gone' }
      return pauseGoneRule(store, clock).answers.DeliveryEnded!(recorded('DeliveryEnded', ended) as never)
    },
  ],
  'workflows/reactors/upgrade-plan.ts': [
    (store) =>
      upgradePlan({ store, clock, ids, commission: 0 }).answers.PlanPaid!(
        recorded('PlanPaid', golden('PlanPaid')) as never,
      ),
  ],
  'workflows/transactions/release-held.ts': [
    (store) => releaseHeld(store, account as never, occasion, { bank_account_id: 9, since: AT }),
  ],
  'adapters/system/ids.ts': [(store) => openIds({ store, clock }).next(1)],
}

const only = (store: EventStore, streams: RegExp): EventStore =>
  ({
    ...store,
    read: (slices: readonly Slice[]) =>
      Promise.all(slices.map(async (slice) => (streams.test(slice.stream) ? (await store.read([slice]))[0]! : []))),
  }) as EventStore

const UNREADABLE: Record<string, (stream: string, revision?: number) => StoredEvent> = {
  'an unknown type': (stream, revision) => recorded('NotYetInvented', {}, stream, revision),
  'a newer version': (stream, revision) =>
    parseEvent({
      id: '1',
      type: 'AccountLocked',
      data: golden('AccountLocked'),
      metadata: { ...metadata, version: 99 },
      stream,
      revision: revision ?? 0,
      checkpoint: '1',
    }),
  'data that its schema refuses': (stream, revision) => recorded('TransactionCaptured', null, stream, revision),
}

const resultOf = async (fold: (store: EventStore) => unknown, store: EventStore): Promise<unknown> => {
  try {
    return await fold(store)
  } catch (error) {
    return error
  }
}

describe('every fold', () => {
  for (const [file, folds] of Object.entries(FOLDS))
    folds.forEach((fold, n) => {
      for (const [what, event] of Object.entries(UNREADABLE))
        it(`${file} (${n + 1}) stops at an event of ${what}`, async () => {
          const error = await resultOf(
            fold,
            storeOf((stream) => [event(stream)]),
          )
          expect(error).to.be.instanceOf(UnreadableEvent)
        })

      it(`${file} (${n + 1}) ignores an event that was skipped`, async () => {
        const error = await resultOf(
          fold,
          storeOf((stream) => [asSkipped(UNREADABLE['an unknown type']!(stream))]),
        )
        expect(error).to.not.be.instanceOf(UnreadableEvent)
        const state = await resultOf(
          fold,
          storeOf(() => []),
        )
        // A fold without a result may end with an append, which this store refuses.
        expect(String(error)).to.equal(String(state))
      })
    })

  it('is tested here', () => {
    const root = new URL('../../..', import.meta.url).pathname
    const folding = ['domain', 'workflows', 'adapters', 'projections'].flatMap((layer) =>
      readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(layer, name))
        .filter((name) => /\bfoldCache[<(]|\bisFoldable\b/.test(readFileSync(join(root, name), 'utf8'))),
    )
    const mechanism = ['domain/parse-event.ts', 'workflows/support/fold-cache.ts']
    expect(Object.keys(FOLDS).sort()).to.deep.equal(folding.filter((name) => !mechanism.includes(name)).sort())
  })
})
