// Tests: tests/integration/delivery/remake-request.test.ts
/**
 * Rebuilds the request of an attempt from the events: the rule at the recorded revision of the account, the transaction
 * as it was then, and the recorded timestamp. The SHA-256 of the body shows whether it is the same, byte for byte. If
 * it differs (another renderer, a deleted account), nothing is shown, rather than something that was never sent.
 */
import { evolve as evolveAccount, type Account, type Rule } from '../../domain/account/account.ts'
import { isEventOf } from '../../domain/catalogue.ts'
import { accountEvents, accountStream } from '../../domain/account/events.ts'
import { isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import type { Call, EventStore, Vault } from '../../domain/ports.ts'
import { transactionStream, type TransactionEventData } from '../../domain/transaction/events.ts'
import { RENDERER } from '../../domain/webhook/payload/render.ts'
import type { TransactionRow } from '../../domain/webhook/payload/transaction-row.ts'
import { pagesOfStream } from '../support/store-pages.ts'
import { formCall } from './form-call.ts'

type Attempted = TransactionEventData['WebhookAttempted']

const isAttempt = (event: StoredEvent) => event.type === 'WebhookAttempted'

/** Events of an account that are read at a time. Other work is done in between. */
const PAGE = 2_000
/** The most events of an account that are read. Its owner can cause any number, and then each look at a transaction would read all of them. */
const MOST_READ = 20_000

/** Accounts at these revisions, from one pass over the events of the account. Those after `MOST_READ` events are missing. */
const accountsAt = async (
  store: Pick<EventStore, 'read'>,
  stream: string,
  revisions: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Account | null>> => {
  const accounts = new Map<number, Account | null>()
  let account: Account | null = null
  const open = [...revisions].sort((a, b) => a - b)
  const keepBefore = (revision: number): void => {
    while (open.length > 0 && open[0]! < revision) accounts.set(open.shift()!, account)
  }
  if (open.length === 0) return accounts
  let read = 0
  for await (const events of pagesOfStream(store, stream, PAGE)) {
    for (const event of events) {
      keepBefore(event.revision)
      if (open.length === 0) break
      if (isReadable(event) && isEventOf(accountEvents, event)) account = evolveAccount(account, event)
    }
    if (events.length < PAGE) keepBefore(Infinity)
    read += events.length
    if (open.length === 0 || read >= MOST_READ) break
  }
  return accounts
}

/** The facts about an attempt's request in the events before it. `confirmed` is changed in place: there may be very many rules. */
interface Before {
  /** The fields that payloads show, after each event that changed them, newest first. */
  rows: readonly TransactionRow[]
  /** The rules whose endpoint had already confirmed the transaction. */
  confirmed: Set<number>
}

const evolve = (before: Before, { type, data }: StoredEvent): Before => {
  if (type === 'TransactionCaptured') return { ...before, rows: [{ ...data, id: data.transaction_id }] }
  if (type === 'TransactionCompleted' || type === 'WebhookRetryRequested') {
    const [newest] = before.rows
    if (!newest || newest.order_id === data.order_id) return before
    return { ...before, rows: [{ ...newest, order_id: data.order_id }, ...before.rows] }
  }
  if (type !== 'WebhookAttempted' || data.outcome !== 'delivered' || before.confirmed.has(data.rule_id)) return before
  return { ...before, confirmed: before.confirmed.add(data.rule_id) }
}

const remake = (
  rule: Rule | undefined,
  { rows, confirmed }: Before,
  attempted: Attempted,
  correlationId: string,
  vault: Vault,
) => {
  if (!rule || attempted.renderer !== RENDERER) return null
  const now = new Date(attempted.timestamp * 1000)
  for (const transaction of rows) {
    const { call, body_sha256 } = formCall(
      { ...attempted, isReplay: confirmed.has(attempted.rule_id), rule, transaction },
      correlationId,
      (sealed) => vault.open(sealed),
      now,
    )
    if (body_sha256 === attempted.body_sha256) return { ...call, method: attempted.method, url: attempted.url }
  }
  return null
}

/**
 * Reads each event once for all attempts of a transaction, and goes once through what it read.
 * @returns requests by attempt id; requests that cannot be rebuilt are missing
 */
export const remakeRequests = async (
  { store, vault }: { store: EventStore; vault: Vault },
  userId: number,
  transactionId: number,
): Promise<ReadonlyMap<number, Call>> => {
  const [events = []] = await store.read([{ stream: transactionStream(transactionId) }])
  const revisions = new Set(events.filter(isAttempt).map(({ data }) => data.account_revision))
  const accounts = await accountsAt(store, accountStream(userId), revisions)
  const requests = new Map<number, Call>()
  let before: Before = { rows: [], confirmed: new Set() }
  for (const event of events) {
    if (isAttempt(event)) {
      const { data, metadata } = event
      const rule = accounts.get(data.account_revision)?.rules.get(data.rule_id)
      const request = remake(rule, before, data, metadata.correlation_id, vault)
      if (request) requests.set(data.attempt_id, request)
    }
    before = evolve(before, event)
  }
  return requests
}
