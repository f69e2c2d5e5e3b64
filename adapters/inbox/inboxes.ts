// Tests: tests/integration/http/inbox.test.ts
/**
 * Receives calls for inboxes, over HTTP and in process alike. A call is checked as a shop would check it, stored, and
 * answered as the owner configured. A call causes no event, because it is not a fact about money.
 */
import type { Account, Rule } from '../../domain/account/account.ts'
import { inboxOf } from '../../domain/account/inboxes.ts'
import { notFound } from '../../domain/account/refusals.ts'
import { userOfToken } from '../../domain/account/tokens.ts'
import { Refused } from '../../domain/errors.ts'
import { previousUntil } from '../../domain/webhook/secrets.ts'
import type { Clock, Vault } from '../../domain/ports.ts'
import type { Accounts } from '../../workflows/accounts/accounts.ts'
import { storable } from '../http/receive/body-text.ts'
import { isGenuine } from '../receiver/verify.ts'
import type { InboxCalls } from './calls.ts'
import { inboxTokenIn } from './url.ts'

/**
 * The most bytes of a body that are stored. Baoco's bodies are at most a quarter of it. A longer body is not Baoco's, so it
 * is not verified.
 */
const BODY_KEPT = 16_384
/** The most characters per header that are stored, and the most headers. */
const HEADER_KEPT = 1_024
const HEADERS_KEPT = 50

/** Headers with credentials of other systems are hidden. */
const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'x-device-token'])

/** The most rules whose secrets are tried for a call that does not name its rule: an account may have very many. */
const MOST_TRIED = 100

/** The rule in the `webhook-id` of our calls and tests (`webhookIdOf`, `sendTest`). */
const RULE_IN_ID = /^(?:msg_\d{1,15}_(\d{1,15})|test_(\d{1,15})_\d{1,15})$/

export interface CallOfInbox {
  method: string
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

export interface AnswerOfInbox {
  status: 200 | 500
  /** Milliseconds by which the answer is delayed. */
  delay_ms: number
}

export interface Inboxes {
  /** Checks the token before a call's body is read. @throws {Refused} NOT_FOUND, ACCOUNT_LOCKED · {StoreUnavailable} */
  check(token: string): Promise<void>
  /** Resolves when the call is stored. @throws {Refused} NOT_FOUND, ACCOUNT_LOCKED · {StoreUnavailable} */
  take(token: string, call: CallOfInbox): Promise<AnswerOfInbox>
}

export interface InboxesParts {
  accounts: Pick<Accounts, 'find'>
  vault: Pick<Vault, 'open'>
  calls: Pick<InboxCalls, 'keep'>
  baseUrl: string
  clock: Clock
}

export const openInboxes = ({ accounts, vault, calls, baseUrl, clock }: InboxesParts): Inboxes => {
  const isVerified = ({ rules }: Account, token: string, { headers, body }: CallOfInbox): boolean => {
    const { 'x-webhook-signature': signature, 'webhook-id': id } = headers
    if (typeof signature !== 'string' || body.length > BODY_KEPT) return false
    const isOfInbox = ({ url }: Rule): boolean => url.includes(token) && inboxTokenIn(url, baseUrl) === token
    const isSignedFor = (rule: Rule): boolean =>
      secretsOf(rule).some((sealed) => isGenuine(body, signature, vault.open(sealed)))
    const [, ofCall, ofTest] = RULE_IN_ID.exec(String(id)) ?? []
    const named = rules.get(Number(ofCall ?? ofTest))
    if (named && isOfInbox(named) && isSignedFor(named)) return true
    let tried = 0
    for (const rule of rules.values()) {
      if (!isOfInbox(rule)) continue
      if (isSignedFor(rule)) return true
      if (++tried === MOST_TRIED) return false
    }
    return false
  }

  const find = async (token: string) => {
    const user_id = userOfToken('inbox', token)
    const account = user_id === null ? null : await accounts.find(user_id)
    const inbox = account && inboxOf(account, token)
    if (!inbox) throw notFound('inbox')
    if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
    return { account, inbox }
  }
  /** During a rotation, the checked header is signed with the previous secret. */
  const secretsOf = (rule: Rule): string[] =>
    previousUntil(rule, clock.now().getTime()) === null
      ? [rule.sealed_secret]
      : [rule.sealed_secret, rule.sealed_previous!]

  return {
    check: async (token) => void (await find(token)),
    take: async (token, call) => {
      const { account, inbox } = await find(token)
      const { inbox_id, answer: status, delay_ms } = inbox
      await calls.keep({
        user_id: account.user_id,
        inbox_id,
        method: call.method,
        headers: keptHeaders(call.headers),
        body: storable(call.body.subarray(0, BODY_KEPT).toString('utf8')),
        verified: isVerified(account, token, call),
      })
      return { status, delay_ms }
    },
  }
}

const keptHeaders = (headers: CallOfInbox['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !CREDENTIALS.has(name))
      .slice(0, HEADERS_KEPT)
      .map(([name, value]) => [name, String(value).slice(0, HEADER_KEPT)]),
  )

/** The body of an inbox's answer, in the form that a server would send. */
export const BODY_OF_ANSWER = {
  200: { success: true },
  500: { success: false, error: 'AS_TOLD', message: 'This inbox is set to answer 500.' },
} as const
