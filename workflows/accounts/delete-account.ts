// Tests: tests/attack/account-deletion.test.ts
/**
 * Deletes an account. First the account ends, so that nothing gives access to it. Then every stream with an event of its owner is closed by
 * an event without personal data, and erased up to that event. The read models list the streams up to the position that they have passed
 * (`streams-of-account.ts`). The store is read from there on: events that the read models have not processed, and writes that were in
 * progress meanwhile. A last event on the account's own stream makes the read models remove what was added in between.
 *
 * The list is made before the account ends, because the read models then remove its rows. If a crash interrupts the deletion,
 * running it again finishes it. That run, and one without usable read models, reads the store from the registration on.
 * This also finds everything, because only claims precede the registration, but costs as much as the store is long.
 *
 * The claim of the email is released last, because the next run finds the account by it.
 */
import { deleteAccount } from '../../domain/account/access.ts'
import { emailStream } from '../../domain/account/email-claim.ts'
import { accountStream } from '../../domain/account/events.ts'
import { isClosing } from '../../domain/erasure.ts'
import { Refused } from '../../domain/errors.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Checkpoint, type EventStore } from '../../domain/ports.ts'
import { pages } from '../support/store-pages.ts'
import type { NewEvent } from '../../domain/event.ts'
import { CONFLICT, untilNoConflict } from '../support/conflicts.ts'
import { stamp } from '../support/stamp.ts'
import { transactionIn, transactionStream } from '../../domain/transaction/events.ts'
import { deleteTransactions } from '../transactions/by-hand.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import { streamsOfAccount, type Listing } from './streams-of-account.ts'

const AT_A_TIME = 200

/** The number of streams that were closed. */
export interface Erased {
  transactions: number
  others: number
}

/** The identifiers by which the operational tables may know an account. */
export interface DeletedAccount {
  user_id: number
  email: string
  /** All that it ever had, including removed ones. */
  rules: number[]
  mail_accounts: number[]
  transactions: number[]
  /** SHA-256 of the tokens of its devices, hexadecimal. */
  token_hashes: string[]
}

export interface EraseParts {
  store: EventStore
  accounts: Accounts
  /** The streams of an account, from the read models. */
  list: (userId: number) => Promise<Listing>
  /** The store is read from the account's registration on, for this reason. */
  onFullRead: (reason: string) => void
  /** Removes everything that is kept about the account outside the events and the read models. */
  forget: (account: DeletedAccount) => Promise<void>
}

/** @param email  the email of its claim · @throws {Refused} CONFLICT for the operator's own account · {StoreUnavailable} */
export const eraseAccount = async (parts: EraseParts, occasion: OwnersOccasion, email: string): Promise<Erased> => {
  const { store, forget } = parts
  const { user_id } = occasion
  const own = accountStream(user_id)
  const apart = new Set([own, emailStream(email)])
  let { streams, after } = await begin(parts, occasion)
  // A stream may be found again if a write was in progress.
  const closed = { transactions: new Set<number>(), others: new Set<string>() }
  const met: number[] = []
  for (;;) {
    for await (const page of pages(store, after)) {
      for (const { stream, type, data, metadata } of page) {
        if (metadata.user_id !== user_id || apart.has(stream)) continue
        if (!isClosing(type)) streams.add(stream)
        else if (type === 'TransactionDeleted') met.push(data.transaction_id)
      }
      after = page.at(-1)!.checkpoint
    }
    if (streams.size === 0) break
    const transactions = [...streams].flatMap((stream) => transactionIn(stream) ?? [])
    for (let from = 0; from < transactions.length; from += AT_A_TIME) {
      const unreadable = await deleteTransactions(store, occasion, transactions.slice(from, from + AT_A_TIME))
      for (const id of unreadable) await closeStream(store, occasion, transactionStream(id))
    }
    const others = [...streams].filter((stream) => transactionIn(stream) === null)
    for (const stream of others) await closeStream(store, occasion, stream)
    transactions.forEach((id) => closed.transactions.add(id))
    others.forEach((stream) => closed.others.add(stream))
    streams = new Set()
  }
  await closeAgain(store, occasion)
  await forget({
    user_id,
    email,
    ...(await ownOf(store, own)),
    transactions: [...new Set([...closed.transactions, ...met])],
  })
  await store.erase(own)
  // From now on, a registration takes the address over by itself.
  const isFree = ({ type, metadata }: StoredEvent) => type === 'EmailReleased' || metadata.user_id !== user_id
  await close(store, occasion, emailStream(email), 'EmailReleased', isFree)
  await store.erase(emailStream(email))
  return { transactions: closed.transactions.size, others: closed.others.size }
}

/** Lists the account's streams and ends the account. @returns the streams, and from where on the store must be read for more */
const begin = async (
  { store, accounts, list, onFullRead }: EraseParts,
  occasion: OwnersOccasion,
): Promise<{ streams: Set<string>; after: Checkpoint | null }> => {
  const { user_id } = occasion
  const own = accountStream(user_id)
  const [[first] = []] = await store.read([{ stream: own, limit: 1 }])
  let found = await streamsOfAccount(store, user_id, await list(user_id))
  try {
    await accounts.change(occasion, deleteAccount)
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'NOT_FOUND') throw error
    const [[newest] = []] = await store.read([{ stream: own, backwards: true, limit: 1 }])
    if (newest?.type !== 'AccountDeleted') throw error
    found = { unknown: 'an earlier deletion of the account did not finish' }
  }
  // Its own stream is erased after all others, so then only later writes can be left.
  const since = first?.checkpoint ?? null
  if ('unknown' in found) {
    if (first?.type !== 'AccountDeleted') onFullRead(found.unknown)
    return { streams: new Set(), after: since }
  }
  const { streams, upTo } = found
  return { streams, after: since !== null && store.isAfter(since, upTo) ? since : upTo }
}

/** Ends a stream with an event without personal data, and erases the events before it. Repeating it changes nothing. */
export const closeStream = async (store: EventStore, occasion: OwnersOccasion, stream: string): Promise<void> => {
  await close(store, occasion, stream, 'StreamErased', (newest) => isClosing(newest.type))
  await store.erase(stream)
}

/** The belongings of the account, from its events. These exist until its stream is erased. */
const ownOf = async (
  store: EventStore,
  stream: string,
): Promise<Pick<DeletedAccount, 'rules' | 'mail_accounts' | 'token_hashes'>> => {
  const [events = []] = await store.read([{ stream }])
  const rules: number[] = []
  const mail_accounts: number[] = []
  const token_hashes: string[] = []
  for (const event of events) {
    if (event.type === 'RuleCreated') rules.push(event.data.rule_id)
    if (event.type === 'MailAccountAdded') mail_accounts.push(event.data.mail_account_id)
    if (event.type === 'DeviceAdded' || event.type === 'DevicePaired') token_hashes.push(event.data.token_hash)
  }
  return { rules, mail_accounts, token_hashes }
}

/**
 * Writes that were under way when the account ended may have been stored after that, and added rows. Read models remove
 * all rows of an account at its end event, so that event is written again after everything else.
 */
const closeAgain = async (store: EventStore, occasion: OwnersOccasion): Promise<void> => {
  const { user_id } = occasion
  const stream = accountStream(user_id)
  await appendBehind(store, stream, (newest) =>
    newest ? stamp([{ type: 'AccountDeleted', data: { user_id } }], occasion) : [],
  )
}

/** Appends at the end of a stream what is decided from its newest event; nothing if there are no events to append. */
const appendBehind = (
  store: EventStore,
  stream: string,
  decide: (newest: StoredEvent | undefined) => readonly NewEvent[],
): Promise<void> =>
  untilNoConflict(
    async () => {
      const [[newest] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
      const events = decide(newest)
      if (events.length === 0) return
      const [result] = await store.append([[{ stream, expectedRevision: newest?.revision ?? NO_STREAM, events }]])
      if (!result?.ok) return CONFLICT
    },
    { onExhausted: () => new Error(`too many conflicts on ${stream}`) },
  )

const close = async (
  store: EventStore,
  occasion: OwnersOccasion,
  stream: string,
  type: 'StreamErased' | 'EmailReleased',
  isClosed: (newest: StoredEvent) => boolean,
): Promise<void> => {
  const { user_id } = occasion
  // A stream whose events have all expired has nothing to erase.
  await appendBehind(store, stream, (newest) =>
    newest && !isClosed(newest) ? stamp([{ type, data: { user_id } }], occasion) : [],
  )
}
