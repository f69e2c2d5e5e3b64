/**
 * Knows every notification that was sent and every call that a shop saw, and says what was lost, repeated, altered, or came
 * in the wrong order.
 */
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { vietcombankText } from '../support/bank-texts.ts'
import { eventually } from '../support/eventually.ts'
import type { ReceivedCall } from '../support/shop.ts'

/** One rule's endpoint, as its owner set it. */
export interface Endpoint {
  name: string
  secret: string
  /** Calls that reached it, in their order. */
  calls: readonly ReceivedCall[]
  /** Transactions whose call it answered with a 2xx status line. */
  taken: ReadonlySet<number>
}

export interface Verdict {
  accepted: number
  /** Accepted, and never taken by an endpoint. */
  lost: number
  /** Attempts that arrived more than once. */
  duplicated: number
  /** Calls that say something else than the notification did, or whose signatures do not verify. */
  altered: number
  /** Calls of one delivery that arrived after one with a higher number. */
  out_of_order: number
}

interface Body {
  transaction_id: number
  order_id: string
  amount: number | string
}

const bodyOf = ({ body }: ReceivedCall): Body => JSON.parse(body) as Body

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)

/** Above every clock jump that a cell makes. */
const FIRST_AMOUNT = 20_000

export class Oracle {
  /** Amount by number. */
  readonly #sent = new Map<number, number>()
  /** Number by the transaction's id that was answered. */
  readonly #accepted = new Map<number, number>()
  #next: number

  /** @param from  number of the first notification; numbers make order ids, so two oracles on one account take their own */
  constructor(from = 1) {
    this.#next = from
  }

  get accepted(): number {
    return this.#accepted.size
  }

  /** Posts the next notification; false where it was not accepted. */
  async post(url: string): Promise<boolean> {
    const number = this.#next++
    const amount = FIRST_AMOUNT + (number % 1_000) * 1_000
    this.#sent.set(number, amount)
    const body = vietcombankText(number, `DH${number}`, { amount })
    const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(20_000) }).catch(() => null)
    const answer = response?.ok ? ((await response.json().catch(() => null)) as { data: { id: number } } | null) : null
    if (answer) this.#accepted.set(answer.data.id, number)
    return answer !== null
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

  /** Waits until all that was accepted has been taken by every endpoint. */
  async settled(endpoints: readonly Endpoint[], within: number): Promise<void> {
    await eventually(() => endpoints.every((endpoint) => this.#missing(endpoint).length === 0), {
      within,
      what: `every accepted notification taken by ${endpoints.map(({ name }) => name).join(', ')}`,
    }).catch(() => {}) // what is missing is counted as lost
  }

  async verdict(endpoints: readonly Endpoint[]): Promise<Verdict> {
    const altered = await Promise.all(endpoints.map((endpoint) => this.#altered(endpoint)))
    return {
      accepted: this.accepted,
      lost: sum(endpoints.map((endpoint) => this.#missing(endpoint).length)),
      duplicated: sum(endpoints.map((endpoint) => this.#repeats(endpoint))),
      altered: sum(altered),
      out_of_order: sum(endpoints.map((endpoint) => this.#outOfOrder(endpoint))),
    }
  }

  #missing({ taken }: Endpoint): number[] {
    return [...this.#accepted.keys()].filter((id) => !taken.has(id))
  }

  /** Calls of this oracle's notifications. */
  #own({ calls }: Endpoint): ReceivedCall[] {
    return calls.filter((call) => this.#sent.has(Number(bodyOf(call).order_id?.replace(/^DH/, ''))))
  }

  #repeats(endpoint: Endpoint): number {
    const attempts = this.#own(endpoint).map(
      ({ headers }) => `${headers['webhook-id']} ${headers['x-webhook-attempt']}`,
    )
    return attempts.length - new Set(attempts).size
  }

  async #altered(endpoint: Endpoint): Promise<number> {
    const wrong = await Promise.all(
      this.#own(endpoint).map(async (call) => {
        const { transaction_id, order_id, amount } = bodyOf(call)
        const number = Number(order_id.slice(2))
        const answered = this.#accepted.get(transaction_id)
        const isTrue = Number(amount) === this.#sent.get(number) && (answered === undefined || answered === number)
        return !isTrue || !(await isSigned(call, endpoint.secret))
      }),
    )
    return wrong.filter(Boolean).length
  }

  #outOfOrder(endpoint: Endpoint): number {
    const highest = new Map<string, number>()
    let wrong = 0
    for (const { headers } of this.#own(endpoint)) {
      const [delivery, attempt] = [headers['webhook-id']!, Number(headers['x-webhook-attempt'])]
      if (attempt < (highest.get(delivery) ?? 0)) wrong++
      highest.set(delivery, Math.max(attempt, highest.get(delivery) ?? 0))
    }
    return wrong
  }
}

/** By both signatures, each checked by a library that others use. Clocks may have jumped, so the moment is the call's own. */
const isSigned = async ({ body, headers }: ReceivedCall, secret: string): Promise<boolean> => {
  if (!(await verify(secret, body, headers['x-webhook-signature'] ?? ''))) return false
  const moment = new Date(Number(headers['webhook-timestamp']) * 1_000)
  const signed = new Webhook(secret).sign(headers['webhook-id'] ?? '', moment, body)
  return signed === headers['webhook-signature']
}
