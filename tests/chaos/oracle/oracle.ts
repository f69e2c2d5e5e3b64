/**
 * Records every notification that was sent and every call that a shop received, and reports what was lost, repeated, altered, or
 * delivered in the wrong order.
 */
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { timoMail } from '../../harness/bank-mails.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import type { Endpoint, SeenCall } from './endpoint.ts'

export interface Verdict {
  accepted: number
  /** Notifications that were accepted and never over at an endpoint that should have received them. */
  lost: number
  /** Calls whose content differs from the notification, or whose signatures do not verify. */
  altered: number
  /** Calls after one with a higher number of the same delivery; for an ordered rule, calls before the end of the previous one. */
  out_of_order: number
  /** Attempts that arrived more than once. */
  duplicated: number
  /** Repeated attempts that were open when their process was killed or frozen. */
  explained: number
  /** Attempts for this oracle's notifications that were open then. */
  claims_open: number
}

/** How many times an attempt was open, claimed and not recorded, when its process was killed or frozen. */
export type OpenClaims = ReadonlyMap<string, number>

/** @returns the attempt's name in `OpenClaims`, which the headers of its calls contain */
export const attemptName = (transactionId: number, ruleId: number, attempt: number): string =>
  `msg_${transactionId}_${ruleId} ${attempt}`

const nameOf = ({ headers }: SeenCall): string => `${headers['webhook-id']} ${headers['x-webhook-attempt']}`

const transactionOf = (attempt: string): number => Number(/^msg_(\d+)_/.exec(attempt)?.[1])

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)

/** Every tenth notification has at least this amount. A rule with this `min_amount` receives only these. */
export const LARGE = 10_000_000
const LARGE_ONES = 10

const amountOf = (number: number): number => 20_000 + (number % 1_000) * 1_000 + (number % LARGE_ONES === 0 ? LARGE : 0)

interface Sent {
  /** Numbers that order the moments at which the post began and was answered. */
  began: number
  /** null if it was not accepted. A mail is accepted when it is in the mailbox; the id of its transaction is then unknown. */
  answered: { at: number; transaction_id: number | null } | null
}

export class Oracle {
  readonly #sent = new Map<number, Sent>()
  #next: number
  #moment = 0
  #accepted = 0

  /** @param from  number of the first notification; order ids contain the numbers, so two oracles on one account need separate ranges */
  constructor(from = 1) {
    this.#next = from
  }

  get accepted(): number {
    return this.#accepted
  }

  /** The transactions of the notifications that were accepted up to now. */
  transactions(): number[] {
    return [...this.#sent.values()].flatMap(({ answered }) => answered?.transaction_id ?? [])
  }

  /** Posts the next notification. Returns false if it was not accepted. */
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

  /** Delivers the next notification to a mailbox. Its amount is small, because the time of its acceptance, and so its order, is unknown. */
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

  /** Posts at a constant rate until the signal aborts. Refused notifications are not retried. @param perSecond  notifications per second */
  async load(url: string, perSecond: number, signal: AbortSignal): Promise<void> {
    const open = new Set<Promise<unknown>>()
    while (!signal.aborted) {
      const posting = this.post(url).finally(() => open.delete(posting))
      open.add(posting)
      await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond))
    }
    await Promise.all(open)
  }

  /** Delivers one mail after another until the signal aborts. @param perSecond  the maximum of mails per second */
  async mails(deliver: (mail: string) => Promise<void>, perSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.mail(deliver)
      await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond))
    }
  }

  /** Waits until every accepted notification is over at every endpoint. @param within  milliseconds */
  async settled(endpoints: readonly Endpoint[], within: number): Promise<void> {
    await eventually(() => endpoints.every((endpoint) => this.#missing(endpoint).length === 0), {
      within,
      what: `every accepted notification over at ${endpoints.map(({ name }) => name).join(', ')}`,
    }).catch(() => {}) // Missing notifications are counted as lost.
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

  /** The calls for this oracle's notifications. */
  #own({ calls }: Endpoint): SeenCall[] {
    return calls.filter(({ number }) => this.#sent.has(number))
  }

  #transactions(endpoints: readonly Endpoint[]): Set<number> {
    const called = endpoints.flatMap((endpoint) => this.#own(endpoint).map(({ transaction_id }) => transaction_id))
    const answered = [...this.#sent.values()].flatMap(({ answered }) => answered?.transaction_id ?? [])
    return new Set([...called, ...answered])
  }

  /** A notification that became two transactions repeats its attempts too, under names without a claim. */
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
        const expected = answered?.transaction_id ?? call.transaction_id
        const isTrue = call.amount === amountOf(call.number) && expected === call.transaction_id
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
   * For an ordered rule: counts calls that arrived while another notification was not over which had been accepted before theirs was sent.
   * Notifications that were sent concurrently have no order.
   */
  #tooEarly(endpoint: Endpoint): number {
    if (!endpoint.rule.ordered) return 0
    const { calls, over, rule } = endpoint
    const accepted = [...this.#sent]
      .flatMap(([number, { answered }]) =>
        answered && amountOf(number) >= rule.min_amount ? [{ number, ...answered }] : [],
      )
      .toSorted((a, b) => a.at - b.at)
    // The number of calls at which the last of the first notifications was over.
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

/** @returns how many of the sorted moments lie before the given one */
const countBelow = (sorted: readonly { at: number }[], moment: number): number => {
  const from = sorted.findIndex(({ at }) => at >= moment)
  return from === -1 ? sorted.length : from
}

/** Verifies both signatures, each with a widely used library. Clocks may have jumped, so the time is that of the call itself. */
const isSigned = async ({ body, headers }: SeenCall, secret: string): Promise<boolean> => {
  if (!(await verify(secret, body, headers['x-webhook-signature'] ?? ''))) return false
  const moment = new Date(Number(headers['webhook-timestamp']) * 1_000)
  const signed = new Webhook(secret).sign(headers['webhook-id'] ?? '', moment, body)
  return signed === headers['webhook-signature']
}
