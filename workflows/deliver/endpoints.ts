/**
 * What calls say of the servers they went to, gathered and told to all workers: failures, as the breaker counts them, and
 * answers of a server that is known to have failed. That a server answers which nobody has had trouble with is no news, so
 * while all fare well this costs nothing. A server that is to be left alone is told of here, so that what waits for it is given
 * back.
 */
import type { CallResult } from '../../domain/ports.ts'
import { askedToWait, DELIVERIES_TO_OPEN, FAILURES_TO_OPEN, saysOfEndpoint } from '../../domain/webhook/endpoint.ts'
import type { EndpointNews, EndpointState } from './endpoint-updates.ts'
import type { Claimed } from './queue.ts'

/** Milliseconds until an update is sent. */
const SOON = 10

export interface EndpointsOptions {
  tell: (news: readonly EndpointNews[]) => Promise<EndpointState[]>
  onTold: (states: readonly EndpointState[]) => void
  /** It has failed often enough here alone: nothing more shall begin before it was told. */
  onFailing: (endpoint: { user_id: number; endpoint: string }) => void
  onError: (error: unknown) => void
}

export class Endpoints {
  readonly #options: EndpointsOptions
  #news = new Map<string, EndpointNews>()
  /** Servers that have failed here since they last were told to answer. */
  readonly #failed = new Set<string>()
  #timer: NodeJS.Timeout | null = null
  #telling: Promise<void> | null = null

  constructor(options: EndpointsOptions) {
    this.#options = options
  }

  note({ user_id, transaction_id, rule_id, lane, endpoint: { name, watched } }: Claimed, came: CallResult): void {
    const says = saysOfEndpoint(came)
    const wait = askedToWait(came)
    if (says === null) return
    const key = `${user_id} ${name}`
    const isNews = says === 'fails' || wait !== null || watched || lane === 'manual' || this.#failed.has(key)
    if (!isNews) return
    let news = this.#news.get(key)
    if (!news) {
      news = { user_id, endpoint: name, answered: false, failures: 0, failing: [], wait: null, byHand: false }
      this.#news.set(key, news)
    }
    if (wait !== null) news.wait = Math.max(news.wait ?? 0, wait)
    if (says === 'fails') {
      this.#failed.add(key)
      news.failures++
      const delivery = `${transaction_id}/${rule_id}`
      if (news.failing.length < DELIVERIES_TO_OPEN && !news.failing.includes(delivery)) news.failing.push(delivery)
      if (news.failures >= FAILURES_TO_OPEN && news.failing.length >= DELIVERIES_TO_OPEN) this.#options.onFailing(news)
    } else {
      this.#failed.delete(key)
      Object.assign(news, { answered: true, failures: 0, failing: [] })
      if (lane === 'manual' && came.error === null) news.byHand = true
    }
    this.#tellSoon()
  }

  /** Tells what is left. */
  async end(): Promise<void> {
    await this.#telling
    if (this.#news.size > 0) await this.#tell()
  }

  #tellSoon(): void {
    if (this.#telling || this.#timer) return
    this.#timer = setTimeout(() => void this.#tell(), SOON)
    this.#timer.unref()
  }

  #tell(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const news = [...this.#news.values()]
    this.#news = new Map()
    this.#telling = this.#options
      .tell(news)
      .then(this.#options.onTold, (error: unknown) => {
        this.#options.onError(error)
        this.#options.onTold([])
      })
      .finally(() => {
        this.#telling = null
        if (this.#news.size > 0) this.#tellSoon()
      })
    return this.#telling
  }
}
