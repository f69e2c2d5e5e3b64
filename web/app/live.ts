// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Keeps the page current. One tab holds the stream (Web Locks) and passes its messages to the others. A message names what changed, and the
 * page asks for that again, at most once in two seconds. While there is no stream, what is shown is asked for every thirty seconds.
 *
 * The stream is read by `fetch` and not by EventSource, because only so the server's comments are seen: without them for 40 s, the
 * connection is dead, even if the system does not say so. The silence is measured by the clock and not by a timer, because timers stand
 * still while the computer sleeps. When a tab comes back to the front or the network returns, nobody waits: the stream is opened at once.
 */
import { signal } from '@preact/signals'
import { createParser } from 'eventsource-parser'
import { queries } from './session.ts'

export type LiveState = 'connecting' | 'live' | 'away'

export interface LiveMessage {
  kind: 'transaction' | 'attempt' | 'alert' | 'notification' | 'account' | 'reset'
  what?: string
  id?: number
  webhook_status?: string
}

export const liveState = signal<LiveState>('connecting')

const SILENCE_MS = 40_000
/** The server writes a comment every 15 s. Somebody who comes back does not wait for the longer silence. */
const SUSPECT_MS = 20_000
const CHECK_MS = 2_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
const GATHER_MS = 2_000
const WITHOUT_STREAM_MS = 30_000

/** What each kind of message makes stale, by the first part of the query's key. */
const STALE: Record<LiveMessage['kind'], readonly string[]> = {
  transaction: ['checklist', 'transactions', 'transaction', 'stats', 'notifications', 'undelivered'],
  attempt: ['transaction', 'logs', 'webhooks', 'inbox'],
  alert: ['alerts', 'sources'],
  notification: ['notifications', 'sources'],
  account: ['checklist', 'account', 'webhooks', 'sources', 'systems', 'keys', 'banks', 'senders'],
  reset: [],
}

const listeners = new Set<(message: LiveMessage) => void>()
/** @returns the function that stops listening */
export const onLive = (listener: (message: LiveMessage) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

let stale = new Set<string>()
let gathering: ReturnType<typeof setTimeout> | undefined
let refetchedAt = 0

const refetch = (): void => {
  gathering = undefined
  refetchedAt = Date.now()
  const names = stale
  stale = new Set()
  void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => names.has(String(name)) })
}

const handle = (message: LiveMessage): void => {
  for (const listener of listeners) listener(message)
  if (message.kind === 'reset') return void queries.invalidateQueries()
  for (const name of STALE[message.kind]) stale.add(name)
  // The first change shows at once; those that follow are gathered.
  gathering ??= setTimeout(refetch, Math.max(50, refetchedAt + GATHER_MS - Date.now()))
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

/** The open stream, and when it was last heard. */
let stream: AbortController | undefined
let heardAt = 0
const endAfter = (silence: number): void => {
  if (stream && Date.now() - heardAt > silence) stream.abort()
}

let wake = (): void => {}
const pause = (duration: number): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, duration)
    wake = () => {
      clearTimeout(timer)
      done()
    }
  })

/** The tab with the stream looks after it at once. */
const comeBack = (): void => {
  endAfter(SUSPECT_MS)
  wake()
}

/** Reads the stream until it ends. @param since  the id of the last message; empty: none @returns the new one */
const listen = async (since: string, onOpen: () => void): Promise<string> => {
  const gone = new AbortController()
  let last = since
  stream = gone
  heardAt = Date.now()
  try {
    const response = await fetch(`/api/stream${since ? `?since=${encodeURIComponent(since)}` : ''}`, {
      signal: gone.signal,
      headers: { Accept: 'text/event-stream' },
    })
    // The login has ended elsewhere: the account's answer sends the page to the login.
    if (response.status === 401) void queries.invalidateQueries({ queryKey: ['account'] })
    if (!response.ok || !response.body) return last
    onOpen()
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (event === 'bye' || event === 'end') return gone.abort()
        last = id ?? (event === 'reset' ? '' : last)
        pass(event === 'reset' ? { kind: 'reset' } : (JSON.parse(data) as LiveMessage))
      },
    })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heardAt = Date.now()
      parser.feed(part.value)
    }
  } catch {
    // The connection broke, or was silent for too long.
  } finally {
    stream = undefined
  }
  return last
}

/** Opens the stream again whenever it ends, with growing pauses while it cannot be opened. */
const follow = async (): Promise<never> => {
  let wait = FIRST_WAIT_MS
  let last = ''
  for (;;) {
    last = await listen(last, () => {
      wait = FIRST_WAIT_MS
      tell('live')
      // Without a position nothing tells what happened while there was no stream.
      if (!last) pass({ kind: 'reset' })
    })
    tell('away')
    await pause(wait * (0.8 + Math.random() * 0.4))
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

const lead = (): Promise<never> => {
  isLeader = true
  return follow()
}

let isStarted = false
/** Called when somebody is logged in. */
export const startLive = (): void => {
  if (isStarted) return
  isStarted = true
  channel.addEventListener(
    'message',
    ({ data }: MessageEvent<{ state?: LiveState; message?: LiveMessage; asks?: true; isBack?: true }>) => {
      if (data.state) liveState.value = data.state
      if (data.message) handle(data.message)
      if (data.asks && isLeader) tell(liveState.value)
      if (data.isBack) comeBack()
    },
  )
  channel.postMessage({ asks: true })
  // The lock is held until this tab closes. Then the next tab gets it. Without https there are no locks: each tab has its stream.
  if ('locks' in navigator) void navigator.locks.request('baoco.live', lead)
  else void lead()
  const back = (): void => {
    if (document.visibilityState === 'hidden') return
    comeBack()
    channel.postMessage({ isBack: true })
  }
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, back)
  for (const event of ['online', 'pageshow']) addEventListener(event, back)
  setInterval(() => endAfter(SILENCE_MS), CHECK_MS)
  setInterval(() => {
    if (liveState.value !== 'live' && document.visibilityState === 'visible') void queries.invalidateQueries()
  }, WITHOUT_STREAM_MS)
}
