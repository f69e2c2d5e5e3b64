// Tests: tests/integration/http/counter-stream.test.ts
/**
 * The counter: a page for a screen in the shop that shows the last payments. It has its own token, which grants access to nothing else. It
 * receives only amounts, currencies, times, and transaction and order ids.
 */
import { z } from 'zod'
import { isSwitchedOff } from '../../../domain/account/bank-accounts.ts'
import { isToken, userOfToken } from '../../../domain/account/tokens.ts'
import { Refused } from '../../../domain/errors.ts'
import type { Account } from '../../../domain/account/account.ts'
import { newToken } from '../../../workflows/accounts/secrets.ts'
import type { LiveUpdate } from '../../../workflows/live/updates.ts'
import { heldAmong } from '../../../workflows/transactions/held.ts'
import { lastPayments, type Payment } from '../../../projections/transaction/queries.ts'
import { asksForPage, pageOf, sendPage } from '../dashboard/serve.ts'
import type { WebFile } from '../dashboard/files.ts'
import { type ApiContext } from '../context.ts'
import { eventStream, StreamStart, type EventStreams } from './event-stream.ts'
import { noBody, query } from '../openapi/input.ts'
import { createdAndSaid } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Answer } from '../openapi/operation.ts'
import { refuses, scopes, type Operations } from '../openapi/operations.ts'
import { type ApiParts, changeOwnAccount } from '../parts.ts'

const Counter = z.strictObject({ token: z.string(), url: z.string() }).meta({ id: 'Counter' })

const SHOWN = 10
/** How many of the newest credits are read. Some may not be shown, and sometimes hundreds: the old messages of a restored phone. */
const FIRST_READ = 50
const MOST_READ = 500

type ShownPayment = Pick<Payment, 'id' | 'amount' | 'currency' | 'order_id' | 'at'>

const hasSwitchedOffAt = ({ bank_accounts }: Account, bank: LiveUpdate['bank_code'] | undefined): boolean =>
  [...bank_accounts.values()].some(({ bank_code, is_active }) => is_active === 0 && bank_code === bank)

/**
 * The payment of a new credit. A repeated notification is not a payment, and one that was held back is none yet: the money may be on the bank
 * account of a stranger. A page has to start over if it shows a deleted payment, lacks one that was released, or shows one without the order
 * id that a copy brought. It also does so after a credit that fires no rule, if the owner has switched off an account at its bank: the update
 * does not say which account the credit is for.
 */
const shownOf = (update: LiveUpdate, account: Account): object | 'reset' | null => {
  const { kind, what, id, bank_code, amount, currency, order_id, created_at } = update
  if (what === 'BankAccountChanged') return 'reset'
  if (kind === 'transaction' && (what === 'deleted' || what === 'completed' || update.released)) return 'reset'
  const isCredit = what === 'captured' && update.transaction_type === 'credit'
  if (!isCredit || update.webhook_status === 'already_run' || update.held) return null
  if (update.webhook_status !== 'pending' && hasSwitchedOffAt(account, bank_code)) return 'reset'
  return { id, amount, currency, order_id, at: created_at }
}

/** The dashboard's page, which draws the counter at this address. A browser with an old link gets it too, with 404: it says what to do. */
const dashboardsPage: Answer<WebFile | null> = {
  write: (context, page) => {
    if (page) return sendPage(context, page, 'no-store')
    context.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': "default-src 'none'" })
    context.type = 'text/html'
    context.response.body = '<!doctype html><title>Baoco</title>This process does not serve the dashboard.'
  },
  answers: [
    { status: 200, description: 'The page.', mediaType: 'text/html', schema: null },
    { status: 404, description: 'NOT_FOUND. A browser gets the page.', mediaType: 'text/html', schema: null },
  ],
}

export const counterRoutes = (
  operations: Operations,
  parts: ApiParts,
  { streams, signedIn }: { streams: EventStreams; signedIn: Guard },
): void => {
  const { accounts, database, settings, store } = parts
  const { get } = operations.of('Counter')
  const { post } = operations.of('Counter', signedIn, scopes())

  const open = async (context: ApiContext) => {
    const { user_id, counter_hash } = context.state.account
    const { token, hash: token_hash } = newToken('counter', user_id)
    const event = { type: 'CounterOpened' as const, data: { user_id, token_hash } }
    await changeOwnAccount(parts, context, () => [event])
    return {
      data: { token, url: `${settings.baseUrl}/counter/${token}` },
      message: counter_hash === null ? 'The counter link works now.' : 'The earlier counter link has ended.',
    }
  }

  /** @throws {Refused} NOT_FOUND, ACCOUNT_LOCKED */
  const holderOf = async (context: ApiContext): Promise<Account> => {
    const { token = '' } = context.params
    const user = userOfToken('counter', token)
    const account = user === null ? null : await accounts.find(user)
    if (!account?.counter_hash || !isToken(token, account.counter_hash))
      throw new Refused('NOT_FOUND', 'The link of the counter is invalid or was replaced.')
    if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
    return account
  }

  const page = pageOf(parts.web) ?? null

  const showPage = async (context: ApiContext): Promise<WebFile | null> => {
    try {
      await holderOf(context)
    } catch (error) {
      const isEnded = error instanceof Refused && error.code === 'NOT_FOUND'
      if (!isEnded || !page || !asksForPage(context)) throw error
      context.status = 404
    }
    return page
  }

  const shownPayments = async (account: Account, read = FIRST_READ): Promise<ShownPayment[]> => {
    const newest = await lastPayments(database.of(account.user_id), account.user_id, read)
    // The store is not asked about those that are not shown anyway: they may be hundreds.
    const switchedOn = newest.filter((each) => !isSwitchedOff(account, each))
    const held = await heldAmong(
      store,
      switchedOn.map(({ id }) => id),
    )
    const shown = switchedOn.filter(({ id }) => !held.has(id)).slice(0, SHOWN)
    const mayBeMore = shown.length < SHOWN && newest.length === read && read < MOST_READ
    if (mayBeMore) return shownPayments(account, MOST_READ)
    return shown.map(({ id, amount, currency, order_id, at }) => ({ id, amount, currency, order_id, at }))
  }

  const listen = async (context: ApiContext) => {
    let account = await holderOf(context)
    return streams.open(context, {
      audience: 'counter',
      user: account.user_id,
      admitAgain: async () => (account = await holderOf(context)),
      view: (update) => shownOf(update, account),
      first: async (write) => write('payments', { payments: await shownPayments(account) }),
    })
  }

  post('/api/counter', 'Create a counter link and revoke the previous one', noBody, createdAndSaid(Counter), open)
  const none = refuses('NOT_FOUND', 'ACCOUNT_LOCKED', 'STORE_UNAVAILABLE')
  get('/counter/:token', 'Get the counter page', none, dashboardsPage, showPage)
  const limited = refuses('NOT_FOUND', 'ACCOUNT_LOCKED', 'STORE_UNAVAILABLE', 'RATE_LIMITED')
  const stream = eventStream(
    'Event `payments` first, then a `transaction` for each payment. `reset`: a payment was deleted, got its order id or is no longer held back, a bank account was switched off or on, or there were many at once: connect again. While a bank account is switched off, also after a credit at the same bank that fires no rule.',
  )
  get('/counter/:token/stream', 'Stream payments to the counter page', limited, query(StreamStart), stream, listen)
}
