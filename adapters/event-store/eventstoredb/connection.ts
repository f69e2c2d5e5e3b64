/**
 * The one client of the process, and the next when it has become useless: its server went away, or nothing comes through it
 * any more. The old one's calls are ended before the new one is used, as what they still reject is every append that waits,
 * whoever's it is (see `late-answers.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EventStoreDBClient } from '@eventstore/db-client'
import { onLateAnswer } from './late-answers.ts'
import { breaksConnection, isOutage, NoAnswer } from './outage.ts'
import { readableUrl } from './url.ts'

/** The client warns of less than ten seconds. A connection that does not even answer a ping is noticed after both. */
const KEEP_ALIVE_MS = 10_000
const PING_MS = 5_000
/** Ending the calls of a client takes no round trip; it is not waited for any longer. */
const GOODBYE_MS = 500

export interface Link {
  client: EventStoreDBClient
  /** Aborts when the client is given up. */
  lost: AbortSignal
}

interface OpenLink extends Link {
  end: AbortController
  /** When an answer came last, by the clock of `performance`. */
  heardAt: number
}

/** One try of a call. */
export interface Attempt {
  client: EventStoreDBClient
  /** Something of the answer came: the time begins anew. */
  heard(): void
  /**
   * A read whose client is given up ends as if it had reached its end.
   * @throws {NoAnswer} when that may have happened
   */
  checkWhole(): void
  /** Called when the time is over and nobody waits for the call any more. */
  onGivenUp: () => void
}

/** What the client has but does not offer: `dispose` ends the calls and leaves the connection to its idle timeout. */
interface Inside {
  getChannel(): Promise<{ close(): void }>
}

export class Connection {
  readonly #url: string
  readonly #attemptMs: number
  readonly #onFailure: (error: unknown) => void
  readonly #forget: () => void
  #generation = 0
  #link: Promise<OpenLink>
  #current: OpenLink
  #isRenewing = false
  #closed = false

  /**
   * @param url  `esdb://…`, as the client takes it
   * @param attemptMs  a call that hears nothing for so long is given up
   * @throws where the url cannot be one
   */
  constructor(url: string, attemptMs: number, onFailure: (error: unknown) => void) {
    this.#url = readableUrl(url)
    this.#attemptMs = attemptMs
    this.#onFailure = onFailure
    this.#current = this.#open()
    this.#link = Promise.resolve(this.#current)
    this.#forget = onLateAnswer((error) => {
      // Where one answer is late, more are; a new client is on its way then.
      if (this.#isRenewing) return
      onFailure(error)
      this.#renew(this.#current)
    })
  }

  link(): Promise<Link> {
    return this.#link
  }

  /** One try. @throws {NoAnswer} when nothing was heard for too long · what the client throws */
  async call<Result>(work: (attempt: Attempt) => Promise<Result>): Promise<Result> {
    const link = await this.#link
    const heard = (): void => {
      link.heardAt = performance.now()
    }
    const started = performance.now()
    const attempt: Attempt & { heardAt: number } = {
      client: link.client,
      heardAt: started,
      heard: () => {
        attempt.heardAt = performance.now()
        heard()
      },
      checkWhole: () => {
        if (link.lost.aborted) throw new NoAnswer('the connection was closed after an error')
      },
      onGivenUp: () => {},
    }
    let timer: NodeJS.Timeout | undefined
    const givenUp = new Promise<never>((_resolve, reject) => {
      const look = (): void => {
        const left = attempt.heardAt + this.#attemptMs - performance.now()
        if (left > 0) timer = setTimeout(look, left)
        else reject(new NoAnswer(`no response within ${this.#attemptMs} ms`))
      }
      timer = setTimeout(look, this.#attemptMs)
    })
    try {
      const result = await Promise.race([work(attempt), givenUp])
      heard()
      return result
    } catch (error) {
      if (error instanceof NoAnswer) {
        attempt.onGivenUp()
        // Others hear answers: it is this one that is slow, or lost.
        if (link.heardAt < started) this.#renew(link)
      } else if (isOutage(error)) this.failed(link, error)
      else heard()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** A call of the caller's own on a link has failed. */
  failed(link: Link, error: unknown): void {
    if (breaksConnection(error)) this.#renew(link)
  }

  /** Nothing was heard on a link for too long. */
  silent(link: Link): void {
    this.#renew(link)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#forget()
    const link = await this.#link
    link.end.abort()
    await goodbye(link.client)
  }

  #open(): OpenLink {
    const end = new AbortController()
    const client = EventStoreDBClient.connectionString(this.#connectionString())
    return { client, end, lost: end.signal, heardAt: performance.now() }
  }

  /**
   * Connections are shared below the client by whoever asks with the same options: another interval makes a new client come
   * with a new connection, and without the pauses that its forerunner's failures have earned.
   */
  #connectionString(): string {
    const own = {
      keepAliveInterval: KEEP_ALIVE_MS + this.#generation++,
      keepAliveTimeout: PING_MS,
      // Set to false the client reports a wrong revision.
      throwOnAppendFailure: true,
    }
    const options = Object.entries(own).map(([key, value]) => `${key}=${value}`)
    return this.#url + (this.#url.includes('?') ? '&' : '?') + options.join('&')
  }

  #renew(link: Link): void {
    if (link !== this.#current || this.#closed) return
    const old = this.#current
    const next = (this.#current = this.#open())
    this.#isRenewing = true
    old.end.abort()
    this.#link = goodbye(old.client)
      .catch(this.#onFailure)
      .then(() => {
        this.#isRenewing = false
        return next
      })
  }
}

const goodbye = async (client: EventStoreDBClient): Promise<void> => {
  await Promise.race([client.dispose(), pause(GOODBYE_MS, undefined, { ref: false })])
  // A cluster that cannot be found has no channel to close, and takes its time to say so.
  ;(client as unknown as Inside).getChannel().then(
    (channel) => channel.close(),
    () => {},
  )
}
