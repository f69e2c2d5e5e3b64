/**
 * Knows every notification that was sent and every call that a shop saw, and says what was lost, repeated, altered, or came
 * in the wrong order.
 */
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { timoMail } from '../../harness/bank-mails.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import type { Endpoint, SeenCall } from './endpoint.ts'

export interface Verdict {
  accepted: number
  /** Accepted, and never over at an endpoint that was to have it. */
  lost: number
  /** Calls that say something else than the notification did, or whose signatures do not verify. */
  altered: number
  /** Calls after one with a higher number of the same delivery; of an ordered rule, calls before the former's end. */
  out_of_order: number
  /** Attempts that arrived once more. */
  duplicated: number
  /** Those of them that stood open when their process was killed or frozen. */
  explained: number
  /** Attempts of this oracle's that stood open then. */
  claims_open: number
}

/** How often an attempt stood open, claimed and not recorded, when its process was killed or frozen. */
export type OpenClaims = ReadonlyMap<string, number>

/** @returns the attempt's name in `OpenClaims`, which its calls tell by their headers */
export const attemptName = (transactionId: number, ruleId: number, attempt: number): string =>
  `msg_${transactionId}_${ruleId} ${attempt}`

const nameOf = ({ headers }: SeenCall): string => `${headers['webhook-id']} ${headers['x-webhook-attempt']}`

const transactionOf = (attempt: string): number => Number(/^msg_(\d+)_/.exec(attempt)?.[1])

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)

/** Every tenth notification is of so much at least: a rule with this `min_amount` gets them alone. */
export const LARGE = 10_000_000
const LARGE_ONES = 10

const amountOf = (number: number): number => 20_000 + (number % 1_000) * 1_000 + (number % LARGE_ONES === 0 ? LARGE : 0)

interface Sent {
  /** When its post began and when it was answered, as numbers of moments in their order. */
  began: number
  /** null where it was not accepted; a mail is when it is in the mailbox, of which nobody tells the transaction. */
  answered: { at: number; transaction_id: number | null } | null
}

export class Oracle {
  readonly #sent = new Map<number, Sent>()
  #next: number
  #moment = 0
  #accepted = 0

  /** @param from  number of the first notification; numbers make order ids, so two oracles on one account take their own */
  constructor(from = 1) {
    this.#next = from
  }

  get accepted(): number {
    return this.#accepted
  }

  /** Posts the next notification; false where it was not accepted. */
  async post(url: string): Promise<boolean> {
    const number = this.#next++
    const sent: Sent = { began: ++this.#moment, answered: null }
    this.#sent.set(number, sent)
    const body = vietcombankText(number, `DH${number}`, { amount: amountOf(number) })
    const response = await fetch(fromVietcombank(url), {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null)
    const answer = response?.ok ? ((await response.json().catch(() => null)) as { data: { id: number } } | null) : null
    if (answer) this.#accept(sent, answer.data.id)
    return answer !== null
  }

  /** Puts the next notification into a mailbox: a small one, as nobody tells when it was taken and what must come after it. */
  async mail(deliver: (mail: string) => Promise<void>): Promise<void> {
    if (this.#next % LARGE_ONES === 0) this.#next++
    const number = this.#next++
    const sent: Sent = { began: ++this.#moment, answered: null }
    this.#sent.set(number, sent)
    await deliver(timoMail(number, `DH${number}`, { amount: amountOf(number) }))
    this.#accept(sent, null)
  }

  #accept(sent: Sent, transaction_id: number | null): void {
    sent.answered = { at: ++this.#moment, transaction_id }
    this.#accepted++
  }

  /** Posts at a pace until the signal aborts; what is refused is refused. @param perSecond  notifications a second */
  async load(url: string, perSecond: number, signal: AbortSignal): Promise<void> {
    const open = new Set<Promise<unknown>>()
    while (!signal.aborted) {
      const posting = this.post(url).finally(() => open.delete(posting))
      open.add(posting)
      await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond))
    }
    await Promise.all(open)
  }

  /** A mail after the other, until the signal aborts. @param perSecond  mails a second, at most */
  async mails(deliver: (mail: string) => Promise<void>, perSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.mail(deliver)
      await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond))
    }
  }

  /** Waits until all that was accepted is over at every endpoint. @param within  milliseconds */
  async settled(endpoints: readonly Endpoint[], within: number): Promise<void> {
    await eventually(() => endpoints.every((endpoint) => this.#missing(endpoint).length === 0), {
      within,
      what: `every accepted notification over at ${endpoints.map(({ name }) => name).join(', ')}`,
    }).catch(() => {}) // what is missing is counted as lost
  }

  async verdict(endpoints: readonly Endpoint[], claims: OpenClaims = new Map()): Promise<Verdict> {
    const altered = await Promise.all(endpoints.map((endpoint) => this.#altered(endpoint)))
    const repeats = endpoints.flatMap((endpoint) => this.#repeats(endpoint))
    const own = this.#transactions(endpoints)
    return {
      accepted: this.accepted,
      lost: sum(endpoints.map((endpoint) => this.#missing(endpoint).length)),
      altered: sum(altered),
      out_of_order: sum(endpoints.map((endpoint) => this.#backwards(endpoint) + this.#tooEarly(endpoint))),
      duplicated: sum(repeats.map(({ times }) => times)),
      explained: sum(repeats.map(({ attempt, times }) => Math.min(times, claims.get(attempt) ?? 0))),
      claims_open: sum([...claims].map(([attempt, times]) => (own.has(transactionOf(attempt)) ? times : 0))),
    }
  }

  #missing({ over, rule }: Endpoint): number[] {
    return [...this.#sent]
      .filter(([number, { answered }]) => answered && amountOf(number) >= rule.min_amount && !over.has(number))
      .map(([number]) => number)
  }

  /** Calls of this oracle's notifications. */
  #own({ calls }: Endpoint): SeenCall[] {
    return calls.filter(({ number }) => this.#sent.has(number))
  }

  #transactions(endpoints: readonly Endpoint[]): Set<number> {
    const called = endpoints.flatMap((endpoint) => this.#own(endpoint).map(({ transaction_id }) => transaction_id))
    const answered = [...this.#sent.values()].flatMap(({ answered }) => answered?.transaction_id ?? [])
    return new Set([...called, ...answered])
  }

  /** A notification that became two transactions repeats its attempts too, under names that nobody had claimed. */
  #repeats(endpoint: Endpoint): { attempt: string; times: number }[] {
    const seen = new Map<string, SeenCall[]>()
    for (const call of this.#own(endpoint)) {
      const attempt = `${call.number} ${call.attempt}`
      seen.set(attempt, [...(seen.get(attempt) ?? []), call])
    }
    return [...seen.values()].flatMap((calls) => {
      const names = new Set(calls.map(nameOf))
      return calls.length === 1 ? [] : [{ attempt: names.size === 1 ? nameOf(calls[0]!) : '', times: calls.length - 1 }]
    })
  }

  async #altered(endpoint: Endpoint): Promise<number> {
    const wrong = await Promise.all(
      this.#own(endpoint).map(async (call) => {
        const answered = this.#sent.get(call.number)!.answered
        const told = answered?.transaction_id ?? call.transaction_id
        const isTrue = call.amount === amountOf(call.number) && told === call.transaction_id
        return !isTrue || call.amount < endpoint.rule.min_amount || !(await isSigned(call, endpoint.rule.secret))
      }),
    )
    return wrong.filter(Boolean).length
  }

  #backwards(endpoint: Endpoint): number {
    const highest = new Map<number, number>()
    let wrong = 0
    for (const { number, attempt } of this.#own(endpoint)) {
      if (attempt < (highest.get(number) ?? 0)) wrong++
      highest.set(number, Math.max(attempt, highest.get(number) ?? 0))
    }
    return wrong
  }

  /**
   * Of an ordered rule: calls that came while a notification was not over that had been accepted before theirs was sent. What
   * was sent side by side has no order.
   */
  #tooEarly(endpoint: Endpoint): number {
    if (!endpoint.rule.ordered) return 0
    const { calls, over, rule } = endpoint
    const accepted = [...this.#sent]
      .flatMap(([number, { answered }]) => (answered && amountOf(number) >= rule.min_amount ? [{ number, ...answered }] : []))
      .toSorted((a, b) => a.at - b.at) // prettier-ignore
    // Until when the last of the first so many was over, as a number of calls.
    let latest = 0
    const overAt = accepted.map(({ number }) => (latest = Math.max(latest, over.get(number) ?? Infinity)))
    let wrong = 0
    calls.forEach(({ number }, index) => {
      const own = this.#sent.get(number)
      if (!own) return
      const formers = countBelow(accepted, own.began)
      if (formers > 0 && overAt[formers - 1]! > index) wrong++
    })
    return wrong
  }
}

/** @returns how many of them, in the order of their moments, lie before one */
const countBelow = (sorted: readonly { at: number }[], moment: number): number => {
  const from = sorted.findIndex(({ at }) => at >= moment)
  return from === -1 ? sorted.length : from
}

/** By both signatures, each checked by a library that others use. Clocks may have jumped, so the moment is the call's own. */
const isSigned = async ({ body, headers }: SeenCall, secret: string): Promise<boolean> => {
  if (!(await verify(secret, body, headers['x-webhook-signature'] ?? ''))) return false
  const moment = new Date(Number(headers['webhook-timestamp']) * 1_000)
  const signed = new Webhook(secret).sign(headers['webhook-id'] ?? '', moment, body)
  return signed === headers['webhook-signature']
}
