/** A store, its read models and shops, with any number of delivery workers. All times are short. */
import { randomUUID } from 'node:crypto'
import { openIds } from '../../../adapters/system/ids.ts'
import { openEmbeddedLog } from '../../../adapters/log/embedded.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { BY_KEY } from '../../../adapters/database/session.ts'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import { openSender } from '../../../adapters/webhook-sender/sender.ts'
import { accountStream, type AccountEvent } from '../../../domain/account/events.ts'
import type { RuleFields } from '../../../domain/account/rules.ts'
import { NO_STREAM, type EventStore, type Vault } from '../../../domain/ports.ts'
import {
  transactionStream,
  type TransactionEvent,
  type TransactionEventData,
} from '../../../domain/transaction/events.ts'
import { foldTransaction, type LiveTransaction, type Transaction } from '../../../domain/transaction/transaction.ts'
import type { AttemptReport } from '../../../workflows/deliver/attempts.ts'
import { openDelivery, type Delivery } from '../../../workflows/deliver/deliver.ts'
import type { DeliveryOptions } from '../../../workflows/deliver/delivery-options.ts'
import { BEAT_EVERY } from '../../../workflows/deliver/heartbeat.ts'
import type { ClaimsOpen } from '../../../workflows/deliver/open-claims.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshReadModels } from '../../harness/postgres.ts'
import { openShop, type Answer, type Shop } from '../../harness/shop.ts'
import { openSetting } from '../projections/setting.ts'
import { capturedData } from '../../harness/captured-data.ts'

export const SECRET = '0123456789abcdef0123456789abcdef0123456789abcdef'
export const USER = 5

/** Options of workers that must not take each other for dead: with the heartbeat of the tests, they may do so on a busy machine. */
export const ALIVE = { beatEvery: BEAT_EVERY }

const clock = { now: () => new Date() }
export const vault: Vault = { seal: (text) => `sealed ${text}`, open: (sealed) => sealed.replace('sealed ', '') }

export interface Worker {
  reports: AttemptReport[]
  /** Announced at the start and at takeovers. */
  claimsOpen: ClaimsOpen[]
  /** How often it looked for due deliveries. */
  looks: number
  isBusy(): boolean
  claimAhead: Delivery['claimAhead']
  errors: unknown[]
  /** Resolves when it has begun to read the log. What is captured afterwards is new to it. */
  started: Promise<void>
  /** Resolves to the time it took, in milliseconds. */
  stop(): Promise<number>
}

export type WorkerOptions = Partial<DeliveryOptions> & { /** Seconds. */ probeEvery?: number }

type AccountFact = AccountEvent extends infer Event ? Event : never

export const openDeliverySetting = async () => {
  const base = await openSetting(freshReadModels)
  const { store, url } = base
  const database = openDatabase(url, { poolSize: 10 })
  const byKey = openDatabase(url, { poolSize: 2, session: BY_KEY })
  const { projector } = await base.start()
  const ids = openIds({ store, clock })
  const workers = new Set<Worker>()
  const shops: Shop[] = []
  const revisions = new Map<number, number>()

  const metadata = (user_id: number, at = clock.now()) => ({
    user_id,
    at: at.toISOString(),
    correlation_id: 'test',
    causation_id: 'test',
    version: 1,
  })

  const appendTo = async (
    stream: string,
    expectedRevision: number,
    user: number,
    facts: readonly { type: string; data: unknown }[],
  ) => {
    const events = facts.map((fact) => ({ id: randomUUID(), ...fact, metadata: metadata(user) }))
    const [result] = await store.append([[{ stream, expectedRevision, events }]])
    if (!result?.ok) throw new Error(`conflict on ${stream}: ${JSON.stringify(result)}`)
    await projector.passed(result.checkpoint, 30_000)
  }

  const setting = {
    ...base,
    projector,
    ids,

    shop: async (answer?: Answer): Promise<Shop> => {
      const shop = await openShop(answer)
      shops.push(shop)
      return shop
    },

    /** Appends events to an account. The first call for a user also registers the account. */
    account: async (user: number, ...facts: AccountFact[]): Promise<void> => {
      const last = revisions.get(user) ?? NO_STREAM
      const registered: AccountFact = {
        type: 'AccountRegistered',
        data: {
          user_id: user,
          email: `u${user}@shop.vn`,
          name: null,
          operator: false,
          registered_at: clock.now().toISOString(),
        },
      }
      const unlimited: AccountFact = { type: 'PlanChanged', data: { user_id: user, plan: 'Pro', expires_at: null } }
      const all = last === NO_STREAM ? [registered, unlimited, ...facts] : facts
      await appendTo(accountStream(user), last, user, all)
      revisions.set(user, last + all.length)
    },

    /** @returns the rule's id */
    rule: async (
      shopUrl: string,
      { user = USER, ...fields }: { user?: number } & Partial<RuleFields> = {},
    ): Promise<number> => {
      const [rule_id] = await ids.next(1)
      await setting.account(user, {
        type: 'RuleCreated',
        data: {
          user_id: user, rule_id: rule_id!, name: 'a rule', url: shopUrl, system_id: null, http_method: 'POST',
          filter_banks: [], filter_type: 'both', min_amount: null, payload_format: 'standard', custom_template: null,
          is_active: 1, is_auto: 0, sealed_secret: vault.seal(SECRET), created_at: clock.now().toISOString(), ...fields,
        },
      }) // prettier-ignore
      return rule_id!
    },

    /**
     * Captures transactions that fire these rules, dated `age` seconds ago.
     * @param more.ahead  called with them before their append
     * @returns their ids
     */
    capture: async (
      rules: number[],
      {
        user = USER,
        count = 1,
        age = 0,
        correlation_id = 'test',
        ahead = (_captured: readonly TransactionEventData['TransactionCaptured'][]): void | Promise<void> => {},
      } = {},
    ): Promise<number[]> => {
      const transactions = await ids.next(count)
      const at = new Date(Date.now() - age * 1000)
      const data = (transaction_id: number) =>
        capturedData({
          transaction_id,
          user_id: user,
          source: 'device-1:sms',
          transaction_date: at.toISOString(),
          transaction_date_source: 'arrival',
          description: `text of ${transaction_id}`,
          order_id: `DH${transaction_id}`,
          prefix: 'DH',
          rules,
          webhook_status: 'pending',
          created_at: at.toISOString(),
        })
      await ahead(transactions.map(data))
      const results = await store.append(
        transactions.map((id) => [
          {
            stream: transactionStream(id),
            expectedRevision: NO_STREAM,
            events: [
              {
                id: randomUUID(),
                type: 'TransactionCaptured',
                data: data(id),
                metadata: { ...metadata(user, at), correlation_id },
              },
            ],
          },
        ]),
      )
      if (!results.every((result) => result.ok)) throw new Error('captures conflicted')
      return transactions
    },

    events: async (transaction: number): Promise<TransactionEvent[]> => {
      const [events] = await store.read([{ stream: transactionStream(transaction) }])
      return events as unknown as TransactionEvent[]
    },
    attempts: async (transaction: number): Promise<TransactionEventData['WebhookAttempted'][]> =>
      (await setting.events(transaction)).flatMap((event) => (event.type === 'WebhookAttempted' ? [event.data] : [])),
    transaction: async (transaction: number): Promise<Transaction> => {
      const [events] = await store.read([{ stream: transactionStream(transaction) }])
      return foldTransaction(events!)
    },
    untilStatus: (transaction: number, status: LiveTransaction['webhook_status'], within = 15_000) =>
      eventually(
        async () => {
          const state = await setting.transaction(transaction)
          if (state?.phase === 'live' && state.webhook_status === status) return state
          throw new Error(JSON.stringify(state))
        },
        { what: `transaction ${transaction} becomes ${status}`, within },
      ),

    /** Runs a command on a transaction as the API does. */
    command: async (transaction: number, decide: (state: Transaction) => readonly TransactionEvent[], user = USER) => {
      const [events] = await store.read([{ stream: transactionStream(transaction) }])
      await appendTo(transactionStream(transaction), events!.at(-1)!.revision, user, decide(foldTransaction(events!)))
    },

    worker: async ({ probeEvery, ...options }: WorkerOptions = {}): Promise<Worker> => {
      const schedule = options.schedule ?? [0.05, 0.1]
      const sender = openSender({ allowPrivate: true })
      let hasStarted = (): void => {}
      const log = openEmbeddedLog({ store, database })
      const worker: Worker = {
        started: new Promise((resolve) => (hasStarted = resolve)),
        reports: [],
        errors: [],
        claimsOpen: [],
        looks: 0,
        isBusy: () => false,
        claimAhead: () => {},
        stop: () => Promise.resolve(0),
      }
      const queue = openDeliveryQueue(database, byKey, { schedule, ...(probeEvery && { probeEvery }) })
      const delivery = openDelivery({
        store,
        log: {
          consume: (...args) => {
            hasStarted()
            return log.consume(...args)
          },
        },
        queue: {
          ...queue,
          claimDue: async (...wanted) => {
            const due = await queue.claimDue(...wanted)
            worker.looks++
            return due
          },
        },
        sender,
        ids,
        vault,
        readModels: projector,
        schedule,
        onAttempt: (attempt) => worker.reports.push(attempt),
        onClaimsOpen: (claims) => worker.claimsOpen.push(claims),
        onError: (error) => worker.errors.push(error),
        beatEvery: 200,
        cutOffAfter: 200,
        ...options,
      })
      worker.isBusy = () => delivery.isBusy()
      worker.claimAhead = (captured) => delivery.claimAhead(captured)
      const stopping = new AbortController()
      const run = delivery.run(stopping.signal)
      worker.stop = async () => {
        workers.delete(worker)
        const began = performance.now()
        stopping.abort()
        await run
        await sender.close()
        return performance.now() - began
      }
      workers.add(worker)
      return worker
    },

    /** Forgets a worker without stopping it. This is the state that a kill leaves behind. */
    abandon: (worker: Worker) => workers.delete(worker),

    database,
    byKey,
    query: database.query,

    close: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()))
      await Promise.all(shops.map((shop) => shop.close()))
      await database.close()
      await byKey.close()
      await base.close()
    },
  }
  return setting
}

export type DeliverySetting = Awaited<ReturnType<typeof openDeliverySetting>>

/** A store whose reads and appends a test can make fail. */
export const holdable = (store: EventStore) => {
  let isDown = false
  return {
    set down(down: boolean) {
      isDown = down
    },
    store: {
      ...store,
      append: (units) => (isDown ? Promise.reject(new Error('the store is down')) : store.append(units)),
      read: (slices) => (isDown ? Promise.reject(new Error('the store is down')) : store.read(slices)),
      readAll: store.readAll.bind(store),
      subscribe: store.subscribe.bind(store),
      end: store.end.bind(store),
      isAfter: store.isAfter.bind(store),
    } satisfies EventStore as EventStore,
  }
}
