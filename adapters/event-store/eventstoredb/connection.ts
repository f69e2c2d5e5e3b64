// Tests: tests/integration/eventstoredb/unknown-outcomes.test.ts
/**
 * The only client of the process, which is replaced when it has become useless: its server is gone, or answers no longer arrive. The old
 * client's calls are ended before the new one is used. Otherwise their failures would reject every append that waits, on any client (see
 * `late-answers.ts`).
 */
import type { EventStoreDBClient } from '@eventstore/db-client'
import { openClient, type OpenClient } from './client.ts'
import { onLateAnswer } from './late-answers.ts'
import { breaksConnection, isLoginRefused, isOutage, LoginRefused, NoAnswer, reasonOf } from './outage.ts'
import { type Outage, openOutageReport, type OutageReport } from './outage-report.ts'
import { clientUrl, hostsOf } from './url.ts'

/**
 * The client warns about values below ten seconds. A connection that does not even answer a ping is detected after both
 * times.
 */
const KEEP_ALIVE_MS = 10_000
const PING_MS = 5_000
/** After a pause without an answer, the store is compared again: a proxy may hide that its server was away. Milliseconds. */
const PAUSE_MS = 10_000
/** How long the client waits for one node while it discovers a cluster. A frozen node must not use up the time of a call. */
const GOSSIP_TIMEOUT_S = 2

export interface Link {
  client: EventStoreDBClient
  /** Aborts when the client is given up. */
  lost: AbortSignal
}

interface OpenLink extends Link, OpenClient {
  giveUp: AbortController
  /** The time of the last answer: milliseconds of `performance.now()`. */
  answeredAt: number
  comparing: Promise<void> | null
  /** Whether a lost connection is noticed. */
  isWatched: boolean
}

/** Compares the store with what is known of it, on a new client and after a pause. */
export interface Comparison {
  /** Whether there is anything to compare. */
  isNeeded(): boolean
  run(attempt: Attempt): Promise<void>
}

const NOTHING: Comparison = { isNeeded: () => false, run: async () => {} }

/** One attempt of a call. */
export interface Attempt {
  client: EventStoreDBClient
  /** Of the server, as in the settings. */
  url: string
  /** A part of the answer arrived, so the timeout starts again. */
  received(): void
  /**
   * A read on a client that was given up ends as if it had reached its end.
   * @throws {NoAnswer} if that may have happened
   */
  checkWhole(): void
  /** Called when the timeout has passed and the caller has stopped waiting. */
  onGivenUp: () => void
}

/** An internal method of the client. */
interface Inside {
  getChannel(): Promise<Channel>
}

interface Channel {
  getConnectivityState(connect: boolean): number
  watchConnectivityState(state: number, deadline: number, changed: () => void): void
}

export interface Reports {
  /** Called with the first failure of each outage. */
  onFailure(error: unknown): void
  /** Called when an outage has ended. */
  onRecovery(outage: Outage): void
}

export class Connection {
  readonly #url: string
  readonly #attemptMs: number
  readonly #comparison: Comparison
  readonly #hosts: string
  readonly #report: OutageReport
  readonly #forget: () => void
  #generation = 0
  #link: Promise<OpenLink>
  #current: OpenLink
  #isRenewing = false
  #closed = false
  /** The server has answered, so the login was right. */
  #wasAccepted = false

  /**
   * @param url  `esdb://…` or `kurrentdb://…`
   * @param attemptMs  a call that receives nothing for this long is given up
   * @throws if the URL is invalid
   */
  constructor(url: string, attemptMs: number, { onFailure, onRecovery }: Reports, comparison = NOTHING) {
    this.#comparison = comparison
    this.#url = url
    this.#hosts = hostsOf(url)
    this.#attemptMs = attemptMs
    this.#report = openOutageReport(onFailure, onRecovery)
    this.#current = this.#open()
    this.#link = Promise.resolve(this.#current)
    this.#forget = onLateAnswer((error) => {
      // One late answer is often followed by more. By then the new client is already being opened.
      if (!this.#isRenewing) this.#renew(this.#current, error)
    })
  }

  /** @throws as `call` */
  async link(): Promise<Link> {
    const link = await this.#link
    await this.#compared(link)
    return link
  }

  /** Compares now. @throws as `call` */
  async compare(): Promise<void> {
    await this.#attempt(await this.#link, (attempt) => this.#comparison.run(attempt))
  }

  /**
   * Makes one attempt.
   * @throws {NoAnswer} if nothing arrived for too long · {LoginRefused} · {StoreWentBack} · any error of the client
   */
  async call<Result>(work: (attempt: Attempt) => Promise<Result>): Promise<Result> {
    const link = await this.#link
    await this.#compared(link)
    return this.#attempt(link, work)
  }

  async #compared(link: OpenLink): Promise<void> {
    if (performance.now() - link.answeredAt <= PAUSE_MS || !this.#comparison.isNeeded()) return
    await (link.comparing ??= this.#attempt(link, (attempt) => this.#comparison.run(attempt)).finally(
      () => (link.comparing = null),
    ))
  }

  async #attempt<Result>(link: OpenLink, work: (attempt: Attempt) => Promise<Result>): Promise<Result> {
    const received = (): void => {
      link.answeredAt = performance.now()
    }
    const started = performance.now()
    const attempt: Attempt & { answeredAt: number } = {
      client: link.client,
      url: this.#url,
      answeredAt: started,
      received: () => {
        attempt.answeredAt = performance.now()
        received()
      },
      checkWhole: () => {
        if (link.lost.aborted) throw new NoAnswer('the connection was closed after an error')
      },
      onGivenUp: () => {},
    }
    let timer: NodeJS.Timeout | undefined
    const givenUp = new Promise<never>((_resolve, reject) => {
      const look = (): void => {
        const left = attempt.answeredAt + this.#attemptMs - performance.now()
        if (left > 0) timer = setTimeout(look, left)
        else reject(new NoAnswer(`no response within ${this.#attemptMs} ms`))
      }
      timer = setTimeout(look, this.#attemptMs)
    })
    try {
      const result = await Promise.race([work(attempt), givenUp])
      received()
      if (!link.isWatched) watch(link).catch(() => (link.isWatched = false))
      this.answered()
      return result
    } catch (error) {
      if (!isOutage(error)) {
        received()
        this.answered()
        throw error
      }
      if (isLoginRefused(error) && !this.#wasAccepted)
        throw new LoginRefused(`${this.#hosts}: ${reasonOf(error)}`, { cause: error })
      if (error instanceof NoAnswer) {
        attempt.onGivenUp()
        // If other calls received answers meanwhile, only this call is slow or lost, and the client is kept.
        if (link.answeredAt < started) this.#renew(link, error)
      } else this.failed(link, error)
      throw this.#named(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Reports that a call that the caller made itself on a link has failed. */
  failed(link: Link, error: unknown): void {
    if (breaksConnection(error)) this.#renew(link, error)
    else if (isLoginRefused(error) && !this.#closed) this.#report.failed(this.#named(error))
  }

  /** Reports that nothing arrived on a link for too long. */
  silent(link: Link): void {
    this.#renew(link, new NoAnswer(`no response within ${this.#attemptMs} ms`))
  }

  /** Reports that the server has answered. */
  answered(): void {
    this.#wasAccepted = true
    this.#report.answered()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#forget()
    this.#report.close()
    const link = await this.#link
    link.giveUp.abort()
    await link.end()
  }

  #open(): OpenLink {
    const giveUp = new AbortController()
    return {
      ...openClient(this.#clientUrl()),
      giveUp,
      lost: giveUp.signal,
      answeredAt: -Infinity,
      comparing: null,
      isWatched: false,
    }
  }

  /**
   * Below the client, connections are shared by all clients with the same options. A different interval gives the new client
   * a new connection, without the retry pauses that the old connection's failures caused.
   */
  #clientUrl(): string {
    const defaults = { gossipTimeout: GOSSIP_TIMEOUT_S }
    return clientUrl(this.#url, defaults, {
      keepAliveInterval: KEEP_ALIVE_MS + this.#generation++,
      keepAliveTimeout: PING_MS,
      // If this is false, the client reports a wrong revision.
      throwOnAppendFailure: true,
    })
  }

  /** The error with the server's address and a reason that a reader can act on. */
  #named(error: unknown): NoAnswer {
    return new NoAnswer(`${this.#hosts}: ${reasonOf(error)}`, { cause: error })
  }

  #renew(link: Link, error: unknown): void {
    if (this.#closed) return
    const old = this.#current
    try {
      if (link === old) this.#current = this.#open()
    } catch (unopened) {
      // A file that the URL names is missing, such as while a certificate is being replaced. The next failure tries again.
      return this.#report.failed(this.#named(unopened))
    }
    this.#report.failed(this.#named(error))
    if (link !== old) return
    const next = this.#current
    this.#isRenewing = true
    old.giveUp.abort()
    this.#link = old
      .end()
      .catch(() => {})
      .then(() => {
        this.#isRenewing = false
        return next
      })
  }
}

/** gRPC: the channel was closed. */
const SHUTDOWN = 4

/** The client connects again by itself. So a server that was away while no call was made is noticed only here. */
const watch = async (link: OpenLink): Promise<void> => {
  link.isWatched = true
  const channel = await (link.client as unknown as Inside).getChannel()
  const next = (): void => {
    const state = channel.getConnectivityState(false)
    if (state === SHUTDOWN || link.lost.aborted) return
    channel.watchConnectivityState(state, Infinity, () => {
      link.answeredAt = -Infinity
      next()
    })
  }
  next()
}
