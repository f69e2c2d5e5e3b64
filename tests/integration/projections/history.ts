/**
 * Makes random histories, the same for the same seed, as the domain's own deciders would write them: accounts with rules that are
 * added, changed, paused and removed, and locks that begin and end; transactions that are captured, completed, attempted, retried by hand and deleted.
 */
import { randomUUID } from 'node:crypto'
import { evolve as evolveAccount, type Account } from '../../../domain/account/account.ts'
import { accountStream, type AccountEvent } from '../../../domain/account/events.ts'
import { Refused } from '../../../domain/errors.ts'
import type { NewEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { endDelivery, recordAttempt, remove, retry } from '../../../domain/transaction/decide.ts'
import { transactionStream, type TransactionEvent } from '../../../domain/transaction/events.ts'
import { evolveAll, type Transaction } from '../../../domain/transaction/transaction.ts'
import { capturedData } from '../../harness/captured-data.ts'

/** One append. */
export interface Decided {
  stream: string
  events: NewEvent[]
}

/** Random numbers from 0 up to 1, the same sequence for the same seed (mulberry32). */
const randomNumbers = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

const SCHEDULE = [60, 300, 1800]
const TEXTS = [
  'SD TK 0011 +150,000VND',
  'quote " and \\ and {brace}, comma',
  'chuyển khoản đơn hàng ✓',
  'a\0b',
  '',
  'NULL',
]

export class History {
  readonly #random: () => number
  readonly accounts = new Map<number, Account>()
  readonly transactions = new Map<number, Transaction>()
  readonly decided: Decided[] = []
  #clock = Date.parse('2026-01-01T00:00:00Z')
  #ids = 0

  constructor(seed: number) {
    this.#random = randomNumbers(seed)
    for (let user = 1; user <= 3; user++) this.#register(user)
  }

  /** Adds the given number of random appends. */
  grow(steps: number): this {
    for (let step = 0; step < steps; step++) this.#step()
    return this
  }

  /** Adds the given number of captures to each account, so that its quota is soon used up. */
  crowd(count: number): this {
    for (const account of this.accounts.values()) for (let more = 0; more < count; more++) this.#capture(account)
    return this
  }

  #at(): Date {
    this.#clock += Math.floor(this.#random() * 30_000)
    return new Date(this.#clock)
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #pick<Item>(items: Iterable<Item>): Item | undefined {
    const all = [...items]
    return all[this.#below(all.length)]
  }

  #append(stream: string, userId: number, facts: readonly { type: string; data: unknown }[], at: Date): void {
    if (facts.length === 0) return
    const metadata = {
      user_id: userId,
      at: at.toISOString(),
      correlation_id: 'history',
      causation_id: 'history',
      version: 1,
    }
    this.decided.push({ stream, events: facts.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata })) })
  }

  #account(userId: number, ...events: AccountEvent[]): void {
    const before = this.accounts.get(userId) ?? null
    this.accounts.set(userId, events.reduce<Account | null>(evolveAccount, before)!)
    this.#append(accountStream(userId), userId, events, this.#at())
  }

  #transaction(id: number, userId: number, facts: readonly TransactionEvent[], at: Date): void {
    this.transactions.set(id, evolveAll(this.transactions.get(id) ?? null, facts, at.toISOString()))
    this.#append(transactionStream(id), userId, facts, at)
  }

  #register(user_id: number): void {
    const registered_at = this.#at().toISOString()
    this.#account(user_id, {
      type: 'AccountRegistered',
      data: { user_id, email: `user-${user_id}@example.com`, name: null, operator: user_id === 1, registered_at },
    })
    this.#addSystem(user_id)
    this.#addRule(user_id)
  }

  #addSystem(user_id: number): void {
    const system_id = ++this.#ids
    this.#account(user_id, {
      type: 'SystemAdded',
      data: {
        user_id,
        system_id,
        name: 'Shop',
        type: 'woocommerce',
        payment_prefix: `P${system_id}`,
        is_active: 1,
        created_at: this.#at().toISOString(),
      },
    })
  }

  #addRule(user_id: number): void {
    const rule_id = ++this.#ids
    this.#account(user_id, {
      type: 'RuleCreated',
      data: {
        user_id, rule_id, name: `Rule ${rule_id}`, url: 'https://shop.example/hook', system_id: null, http_method: 'POST',
        filter_banks: this.#pick([[], ['MB'], ['VCB', 'a"b\\c,{d}']])!, filter_type: 'both', min_amount: null,
        payload_format: 'standard', custom_template: null, is_active: 1, is_auto: 0, sealed_secret: 'sealed',
        created_at: this.#at().toISOString(),
      },
    }) // prettier-ignore
  }

  #step(): void {
    const chance = this.#random()
    if (chance < 0.35) return this.#capture()
    if (chance < 0.7) return this.#attempt()
    if (chance < 0.76) return this.#byHand()
    if (chance < 0.8) return this.#complete()
    if (chance < 0.84) return this.#delete()
    if (chance < 0.88) return this.#endOfDeletedRule()
    return this.#changeAccount()
  }

  #capture(account = this.#pick(this.accounts.values())!): void {
    const at = this.#at()
    const transaction_id = ++this.#ids
    const rules = [...account.rules.keys()].filter(() => this.#random() < 0.7)
    const text = this.#pick(TEXTS)!
    this.#transaction(
      transaction_id,
      account.user_id,
      [
        {
          type: 'TransactionCaptured',
          data: capturedData({
            transaction_id, user_id: account.user_id, source: 'device-7:sms', amount: `${this.#below(1e9)}.00`,
            account_number: '0011', transaction_date: at.toISOString(), counterpart_name: text, description: text,
            content: text, raw_data: JSON.stringify({ text }), balance_after: '-1.50',
            order_id: rules.length > 0 ? `P1${transaction_id}` : null, rules,
            webhook_status: rules.length > 0 ? 'pending' : 'no_match', created_at: at.toISOString(),
          }),
        },
      ],
      at,
    ) // prettier-ignore
  }

  #live() {
    const some = this.#pick(this.transactions.values())
    return some?.phase === 'live' ? some : undefined
  }

  #attempt(): void {
    const transaction = this.#live()
    const delivery = transaction && this.#pick(transaction.deliveries)
    if (!delivery) return
    const [rule_id, { attempt }] = delivery
    const at = this.#at()
    // Sometimes a result arrives late or twice, after a takeover. Its number is then known, and it changes little.
    const number = Math.max(1, attempt + this.#pick([1, 1, 1, 1, 0, -1])!)
    const http_status = this.#pick([200, 200, 500, 500, 500, 404, 410, 0])!
    const facts = recordAttempt(
      transaction,
      {
        transaction_id: transaction.transaction_id, rule_id, attempt: number, method: 'POST',
        url: 'https://shop.example/hook', account_revision: 1, timestamp: 1, body_sha256: 'x', renderer: 1, http_status,
        response_body: this.#pick(TEXTS)!, error: null, sent_at: at.toISOString(), duration_ms: this.#random() * 100,
        retry_after_s: null,
      },
      { attempt_id: ++this.#ids, at, schedule: SCHEDULE, random: this.#random() },
    ) // prettier-ignore
    this.#transaction(transaction.transaction_id, transaction.user_id, facts, at)
  }

  #byHand(): void {
    const transaction = this.#live()
    if (!transaction) return
    const account = this.accounts.get(transaction.user_id)!
    const at = this.#at()
    try {
      const prefix = this.#pick(account.systems.values())?.payment_prefix ?? null
      const find = () => (this.#random() < 0.5 ? null : { order_id: `${prefix}7`, prefix })
      this.#transaction(
        transaction.transaction_id,
        transaction.user_id,
        retry(transaction, { by: 'manual', at, account, find, again: true }),
        at,
      )
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }

  #complete(): void {
    const transaction = this.#live()
    if (!transaction || transaction.deliveries.size > 0) return
    const { transaction_id, user_id } = transaction
    const rules = [...this.accounts.get(user_id)!.rules.keys()]
    const webhook_status = rules.length > 0 ? 'pending' : 'no_match'
    const data = { transaction_id, completed_by: 1, order_id: 'P9', prefix: 'P9', rules, webhook_status } as const
    this.#transaction(transaction_id, user_id, [{ type: 'TransactionCompleted', data }], this.#at())
  }

  #delete(): void {
    const transaction = this.#live()
    if (transaction) this.#transaction(transaction.transaction_id, transaction.user_id, remove(transaction), this.#at())
  }

  #endOfDeletedRule(): void {
    const transaction = this.#live()
    if (!transaction) return
    const gone = [...transaction.deliveries.keys()].find((id) => !this.accounts.get(transaction.user_id)!.rules.has(id))
    const at = this.#at()
    if (gone !== undefined)
      this.#transaction(transaction.transaction_id, transaction.user_id, endDelivery(transaction, gone, at), at)
  }

  #changeAccount(): void {
    const account = this.#pick(this.accounts.values())!
    const { user_id } = account
    const rule = this.#pick(account.rules.values())
    const system = this.#pick(account.systems.values())
    const chance = this.#random()
    if (!rule || chance < 0.3) return this.#addRule(user_id)
    const { rule_id } = rule
    if (chance < 0.5)
      return this.#account(user_id, {
        type: 'RuleChanged',
        data: { user_id, rule_id, name: `n${this.#ids}`, is_active: 1 },
      })
    if (chance < 0.6)
      return this.#account(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    if (chance < 0.75) return this.#account(user_id, { type: 'RuleDeleted', data: { user_id, rule_id } })
    if (chance < 0.8) return this.#addSystem(user_id)
    if (chance < 0.85 && system)
      return this.#account(user_id, { type: 'SystemRemoved', data: { user_id, system_id: system.system_id } })
    if (chance < 0.9 && system)
      return this.#account(user_id, {
        type: 'SystemChanged',
        data: { user_id, system_id: system.system_id, name: 'Renamed' },
      })
    if (chance < 0.95)
      return this.#account(user_id, {
        type: 'PlanChanged',
        data: {
          user_id,
          plan: this.#pick(['Free', 'Free', 'Basic', 'Pro'])!,
          expires_at: this.#pick([null, new Date(this.#clock + 3_600_000).toISOString()])!,
        },
      })
    if (account.locked) return this.#account(user_id, { type: 'AccountUnlocked', data: { user_id } })
    return this.#account(user_id, { type: 'AccountLocked', data: { user_id, reason: 'test' } })
  }
}

/** Writes appends in order, many per call. */
export const appendAll = async (store: EventStore, decided: readonly Decided[], revisions: Map<string, number>) => {
  const CALL = 200
  for (let start = 0; start < decided.length; start += CALL) {
    const units = decided.slice(start, start + CALL).map(({ stream, events }) => {
      const expectedRevision = revisions.get(stream) ?? -1
      revisions.set(stream, expectedRevision + events.length)
      return [{ stream, expectedRevision, events }]
    })
    const results = await store.append(units)
    if (!results.every(({ ok }) => ok))
      throw new Error(`not appended: ${JSON.stringify(results.find(({ ok }) => !ok))}`)
  }
}
