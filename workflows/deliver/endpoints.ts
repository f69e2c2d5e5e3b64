/**
 * Collects what calls show about their servers and sends it to all workers: failures, as the breaker counts them, and
 * responses of servers that have failed before. The response of a server without known failures is not reported, so
 * this costs nothing while all servers are healthy. The answer to an update says which servers must not be called, so
 * that the calls that wait for them are given back.
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
  /** The server has failed often enough in this process alone. No further call may begin until the update is answered. */
  onFailing: (endpoint: { user_id: number; endpoint: string }) => void
  onError: (error: unknown) => void
}

export class Endpoints {
  readonly #options: EndpointsOptions
  #news = new Map<string, EndpointNews>()
  /** Servers that have failed here and have not answered since. */
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

  /** Sends the remaining updates. */
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
