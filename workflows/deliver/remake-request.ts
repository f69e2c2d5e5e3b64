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
import { formCall } from './form-call.ts'

type Attempted = TransactionEventData['WebhookAttempted']

/** The fields of a transaction that payloads show, after each event that changed it, newest first. */
const rowsOf = (events: readonly StoredEvent[]): TransactionRow[] => {
  const rows: TransactionRow[] = []
  for (const { type, data } of events) {
    if (type === 'TransactionCaptured') rows.unshift({ ...data, id: data.transaction_id })
    if ((type === 'TransactionCompleted' || type === 'WebhookRetryRequested') && rows[0])
      rows.unshift({ ...rows[0], order_id: data.order_id })
  }
  return rows
}

const ruleAt = (account: readonly StoredEvent[], { rule_id, account_revision }: Attempted): Rule | undefined =>
  account
    .filter(({ revision }) => revision <= account_revision)
    .reduce<Account | null>(
      (state, event) => (isReadable(event) && isEventOf(accountEvents, event) ? evolveAccount(state, event) : state),
      null,
    )
    ?.rules.get(rule_id)

/** Whether the rule's endpoint had already confirmed the transaction. */
const isReplay = (before: readonly StoredEvent[], { rule_id }: Attempted): boolean =>
  before.some(
    ({ type, data }) => type === 'WebhookAttempted' && data.rule_id === rule_id && data.outcome === 'delivered',
  )

const remake = (
  rule: Rule | undefined,
  before: readonly StoredEvent[],
  attempted: Attempted,
  correlationId: string,
  vault: Vault,
) => {
  if (!rule || attempted.renderer !== RENDERER) return null
  const now = new Date(attempted.timestamp * 1000)
  for (const transaction of rowsOf(before)) {
    const { call, body_sha256 } = formCall(
      { ...attempted, isReplay: isReplay(before, attempted), rule, transaction },
      correlationId,
      (sealed) => vault.open(sealed),
      now,
    )
    if (body_sha256 === attempted.body_sha256) return { ...call, method: attempted.method, url: attempted.url }
  }
  return null
}

/**
 * Reads the store once for all attempts of a transaction.
 * @returns requests by attempt id; requests that cannot be rebuilt are missing
 */
export const remakeRequests = async (
  { store, vault }: { store: EventStore; vault: Vault },
  userId: number,
  transactionId: number,
): Promise<ReadonlyMap<number, Call>> => {
  const slices = [{ stream: transactionStream(transactionId) }, { stream: accountStream(userId) }]
  const [events = [], account = []] = await store.read(slices)
  const requests = new Map<number, Call>()
  events.forEach((event, index) => {
    if (event.type !== 'WebhookAttempted') return
    const { data, metadata } = event
    const rule = ruleAt(account, data)
    const request = remake(rule, events.slice(0, index), data, metadata.correlation_id, vault)
    if (request) requests.set(data.attempt_id, request)
  })
  return requests
}
