// Tests: tests/unit/workflows/alerts/alert-calls.test.ts
/**
 * Calls the owner's own address about an alert, signed like the calls of a rule. Other work never waits for these calls,
 * because that address may be as slow as the endpoint that the alert is about. There are a few attempts within two
 * minutes, and no more. The mail is the reliable channel.
 *
 * The address may be changed or removed meanwhile. So it is read again before every attempt but one that is made at once.
 *
 * A slow address holds a place for all of its attempts, so each account has only a few places. Its further calls wait
 * until one of them is free.
 */
import { setTimeout as timeout } from 'node:timers/promises'
import type { CallResult, Clock, Sender, LogLines } from '../../domain/ports.ts'
import { signedHeaders } from '../../domain/webhook/signature.ts'

/** Pause before each attempt: milliseconds. */
const WAITS_MS = [0, 10_000, 60_000]
/** Calls in flight together. */
export const MOST = 200
/** Calls in flight of one account. */
export const MOST_OF_ACCOUNT = 5
/** Calls of one account that wait. Further ones are dropped. */
export const MOST_WAITING = 50

export interface Target {
  url: string
  /** The plain secret. */
  secret: string
}

export interface AlertCall extends Target {
  user_id: number
  /** The id of the event. It is the same for every attempt, so that the receiver can recognize repeats. */
  id: string
  /** Without its `timestamp`: each attempt has its own. */
  body: object
  /** Reads the account's address again. It resolves to null if the account no longer has one. */
  present(): Promise<Target | null>
}

export interface AlertCalls {
  /** A call that finds no room is dropped, and logged. So is one whose attempts have all failed. */
  call(call: AlertCall): void
}

/** The calls of one account. */
interface Share {
  inFlight: number
  waiting: AlertCall[]
}

const pauseFor = (milliseconds: number): Promise<void> => timeout(milliseconds, undefined, { ref: false })

/** @param pause  for so many milliseconds; only tests change it */
export const openAlertCalls = (
  sender: Pick<Sender, 'send'>,
  clock: Clock,
  log: Pick<LogLines, 'warn'>,
  pause = pauseFor,
): AlertCalls => {
  const never = new AbortController().signal
  const shares = new Map<number, Share>()
  let inFlight = 0

  const insist = async (call: AlertCall, hasWaited: boolean): Promise<void> => {
    const { user_id, id: webhookId, body: fields } = call
    let target: Target | null = call
    let failed: Pick<CallResult, 'http_status' | 'error'> | null = null
    for (const [tries, wait] of WAITS_MS.entries()) {
      if (wait > 0) await pause(wait)
      // While the store is away, the known address is called.
      if (hasWaited || tries > 0) target = await call.present().catch(() => target)
      if (target === null) return
      const { url, secret } = target
      const timestamp = Math.floor(clock.now().getTime() / 1000)
      const body = JSON.stringify({ ...fields, timestamp })
      const headers = signedHeaders({ secret, body, webhookId, timestamp, attempt: tries + 1 })
      const { http_status, error } = await sender.send({ method: 'POST', url, headers, body }, never)
      if (error === null) return
      failed = { http_status, error }
    }
    log.warn({ user_id, event_id: webhookId, ...failed }, 'alert_call.failed')
  }

  /** Makes a call, and then those of the account that wait. */
  const work = async (user_id: number, share: Share, first: AlertCall): Promise<void> => {
    shares.set(user_id, share)
    share.inFlight++
    inFlight++
    for (let next: AlertCall | undefined = first; next; next = share.waiting.shift()) await insist(next, next !== first)
    inFlight--
    if (--share.inFlight === 0) shares.delete(user_id)
  }

  return {
    call: (call) => {
      const { user_id, id: event_id } = call
      const share = shares.get(user_id) ?? { inFlight: 0, waiting: [] }
      if (share.inFlight < MOST_OF_ACCOUNT && inFlight < MOST) void work(user_id, share, call)
      else if (share.inFlight > 0 && share.waiting.length < MOST_WAITING) share.waiting.push(call)
      else log.warn({ user_id, event_id }, 'alert_call.dropped')
    },
  }
}
