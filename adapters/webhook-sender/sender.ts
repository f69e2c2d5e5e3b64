// Tests: tests/integration/webhook-sender/sender.test.ts
/**
 * Calls shops' endpoints over HTTP/1.1 with keep-alive and without redirects. Connect, headers and body take at most ten
 * seconds in total, and at most 4 KB are read (section 6 of the interface, rule 2). Every outcome is a result, never an
 * exception.
 */
import type { Call, CallResult, Sender } from '../../domain/ports.ts'
import type { InProcess } from '../inbox/in-process.ts'
import { CallInFlight } from './call.ts'
import { checkUrl, type TargetSettings } from './check-url.ts'
import { openDialer, type DialerOptions } from './dialer.ts'
import { Failure, failureOf } from './failure.ts'
import { Pools } from './pools.ts'

/** Milliseconds for the whole call. */
const WHOLE_CALL = 10_000

/** The most rule URLs whose targets are cached. */
const MOST_KNOWN = 10_000

/** Without it, a server may compress its answer. */
const PLAIN = { 'accept-encoding': 'identity' }

/** The target of a rule's URL. */
interface Target {
  origin: string
  path: string
}

export interface SenderOptions extends TargetSettings, Pick<DialerOptions, 'ca' | 'resolve'> {
  /** Milliseconds, ten seconds by default. Only tests change it. */
  wholeCallMs?: number
  /** Endpoints that are called without a network. */
  inProcess?: InProcess
}

const refused = (words: string): CallResult => ({
  http_status: 0,
  response_body: `The URL ${words}.`,
  error: words === 'must be a public address' ? 'private_address' : 'invalid_url',
  retry_after_s: null,
  duration_ms: 0,
})

const stopped = () => new Failure('stopped', 'The call was stopped: the service was shut down.')

/** Calls in flight by the signal that stops them, so that one listener per signal is enough for any number of calls. */
const inFlight = new WeakMap<AbortSignal, Set<CallInFlight>>()

const callsOf = (signal: AbortSignal): Set<CallInFlight> => {
  const known = inFlight.get(signal)
  if (known) return known
  const calls = new Set<CallInFlight>()
  inFlight.set(signal, calls)
  signal.addEventListener('abort', () => calls.forEach((call) => call.end(stopped())), { once: true })
  return calls
}

/** @returns a function that finds the target of a URL, or the reason in plain words why it has none */
const targetsOf = (settings: TargetSettings): ((url: string) => Target | string) => {
  const look = (url: string): Target | string => {
    // The rule may be older than the setting that now forbids its URL.
    const problem = checkUrl(url, settings)
    if (problem !== null) return problem
    const { origin, pathname, search } = new URL(url)
    return { origin, path: pathname + search }
  }

  const known = new Map<string, Target | string>()
  return (url) => {
    let target = known.get(url)
    if (target === undefined) {
      target = look(url)
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(url, target)
    }
    return target
  }
}

export const openSender = ({ wholeCallMs = WHOLE_CALL, inProcess, ...settings }: SenderOptions): Sender => {
  const pools = new Pools(openDialer({ ...settings, timeoutMs: wholeCallMs }))
  const targetOf = targetsOf(settings)

  const dispatch = ({ method, headers, body }: Call, { origin, path }: Target, call: CallInFlight): (() => void) => {
    const { client, done } = pools.take(origin, call)
    try {
      client.dispatch({ method, path, headers: { ...headers, ...PLAIN }, body }, call)
    } catch (error) {
      call.end(failureOf(error))
    }
    return () => done(call.isWhole)
  }

  const send = async (given: Call, signal: AbortSignal): Promise<CallResult> => {
    const target = targetOf(given.url)
    if (typeof target === 'string') return refused(target)
    const call = new CallInFlight()
    if (signal.aborted) {
      call.end(stopped())
      return call.result
    }
    const calls = callsOf(signal)
    calls.add(call)
    const timeOver = () => call.end(new Failure('timeout', `No answer within ${wholeCallMs / 1000} seconds.`))
    // If this process stood still, the answer may be there already. It is read before the immediate.
    const timer = setTimeout(() => setImmediate(timeOver), wholeCallMs)
    const local = inProcess?.(given)
    void local?.then(({ status, body }) => call.answer(status, body))
    const done = local ? null : dispatch(given, target, call)
    const result = await call.result
    clearTimeout(timer)
    calls.delete(call)
    done?.()
    return result
  }

  return { send, close: () => pools.close() }
}
