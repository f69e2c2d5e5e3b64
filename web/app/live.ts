// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Keeps the page current. One tab holds the stream (Web Locks) and passes its messages to the others. A message names what changed, and the
 * page asks for that again, at most once in two seconds, and less often if the calls of the hour run short (`pace.ts`). A tab that nobody sees
 * asks when it comes to the front. While there is no stream, what is shown is requested every thirty seconds.
 * When a tab comes back to the front or the network returns, nobody waits: the stream is opened at once.
 * All tabs share one login. A tab of another account is loaded again, so that nothing is shown, done or passed on for the wrong one.
 */
import { signal } from '@preact/signals'
import { followStream, type Followed } from './follow-stream.ts'
import { loadAgain } from './leave.ts'
import { openPace } from './pace.ts'
import { askAgain, makeStale, type Names } from './session.ts'
import { whenBack } from './when-back.ts'

export type LiveState = 'connecting' | 'live' | 'away'

export interface LiveMessage {
  kind: 'transaction' | 'attempt' | 'alert' | 'notification' | 'account' | 'reset'
  what?: string
  id?: number
  webhook_status?: string
  /** Number of an attempt. */
  attempt?: number
}

export const liveState = signal<LiveState>('connecting')

/** Messages that come together are read together. */
const GATHER_MS = 50
const WITHOUT_STREAM_MS = 30_000

/** The queries that each kind of message makes stale, by the first part of the query's key. */
const STALE: Record<LiveMessage['kind'], readonly string[]> = {
  transaction: ['first-payments', 'transactions', 'transaction', 'stats', 'notifications', 'undelivered'],
  attempt: ['transaction', 'logs', 'webhooks', 'inbox'],
  alert: ['alerts', 'sources'],
  notification: ['notifications', 'ignored', 'sources'],
  account: ['checklist', 'account', 'webhooks', 'sources', 'systems', 'keys', 'banks', 'senders'],
  reset: [],
}

/** A call that is repeated has another word in the lists from its first attempt on. */
const staleAfter = ({ kind, what, attempt }: LiveMessage): readonly string[] =>
  what === 'retrying' && attempt === 1 ? [...STALE[kind], 'transactions'] : STALE[kind]

const listeners = new Set<(message: LiveMessage) => void>()
/** @returns the function that stops listening */
export const onLive = (listener: (message: LiveMessage) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

let stale: Names = new Set()
let gathering: ReturnType<typeof setTimeout> | undefined
const pace = openPace(() => performance.now())
export const { noticeBudget } = pace

const isSeen = (): boolean => document.visibilityState !== 'hidden'

const isCurrent = (): boolean => stale !== 'all' && stale.size === 0

const ask = (): void => {
  pace.asks()
  askAgain(stale)
  stale = new Set()
}

const refetch = (): void => {
  gathering = undefined
  if (!isSeen() || isCurrent()) return
  // The answers of the read before have come meanwhile, and may say that fewer calls are left.
  if (pace.wait() > 0) gather()
  else ask()
}

/** The first change shows at once; those that follow are gathered. */
const gather = (): void => void (gathering ??= setTimeout(refetch, Math.max(GATHER_MS, pace.wait())))

const handle = (message: LiveMessage): void => {
  for (const listener of listeners) listener(message)
  if (message.kind === 'reset') stale = 'all'
  if (stale !== 'all') stale = new Set([...stale, ...staleAfter(message)])
  // Until the page asks, a screen that opens does.
  makeStale(stale)
  gather()
}

const channel = new BroadcastChannel('baoco.live')
let isLeader = false

const tell = (state: LiveState): void => {
  liveState.value = state
  channel.postMessage({ state })
}

const pass = (message: LiveMessage): void => {
  handle(message)
  channel.postMessage({ message })
}

let followed: Followed | undefined

/** Never resolves: the tab leads until it closes. */
const lead = (): Promise<never> => {
  isLeader = true
  /** The id of the last message; empty: none. */
  let last = ''
  followed = followStream({
    path: () => `/api/stream${last ? `?since=${encodeURIComponent(last)}` : ''}`,
    onOpen: () => {
      tell('live')
      // Without a position nothing tells what happened while there was no stream.
      if (!last) pass({ kind: 'reset' })
    },
    onAway: () => tell('away'),
    onEvent: ({ id, event, data }) => {
      last = id ?? (event === 'reset' ? '' : last)
      if (data !== undefined) pass(event === 'reset' ? { kind: 'reset' } : (JSON.parse(data) as LiveMessage))
    },
    onRefused: ({ status }) => {
      // The login has ended elsewhere: the account's answer sends the page to the login.
      if (status === 401) askAgain(new Set(['account']))
      return false
    },
  })
  return new Promise(() => {})
}

/** An id that accounts do not have. */
const NOBODY = 0
/** Called when the login has ended: the other tabs ask for one too. */
export const endOtherTabs = (): void => channel.postMessage({ user: NOBODY })

let user: number | undefined
/** Called when somebody is logged in. @param id  of the account */
export const startLive = (id: number): void => {
  if (user === id) return
  if (user !== undefined) return loadAgain()
  user = id
  channel.addEventListener(
    'message',
    ({ data }: MessageEvent<{ state?: LiveState; message?: LiveMessage; user?: number; isBack?: true }>) => {
      if (data.user !== undefined && data.user !== user) return loadAgain()
      // Messages that came while this tab loaded went to the others only. Those that come while there is no stream go to all later.
      if (data.state === 'live' && liveState.value === 'connecting') askAgain('all')
      if (data.state) liveState.value = data.state
      if (data.message) handle(data.message)
      if (data.user !== undefined && isLeader) tell(liveState.value)
      if (data.isBack) followed?.comeBack()
    },
  )
  channel.postMessage({ user })
  // The lock is held until this tab closes. Then the next tab gets it. Without https there are no locks: each tab has its stream.
  if ('locks' in navigator) void navigator.locks.request('baoco.live', lead)
  else void lead()
  whenBack(() => {
    // At once: the client of the queries asks for what is stale next, and makes no call that is under way.
    if (!isCurrent()) ask()
    followed?.comeBack()
    channel.postMessage({ isBack: true })
  })
  setInterval(() => {
    if (liveState.value === 'live') return
    stale = 'all'
    gather()
  }, WITHOUT_STREAM_MS)
}
