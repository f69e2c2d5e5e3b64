/**
 * The load generator, which runs as a separate process. It posts bank texts as JSON over keep-alive connections, each text for a different
 * transaction. Its argument is a `Load`; it prints one line, a `LoadReport`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { fromVietcombank, vietcombankText } from '../../tests/harness/bank-texts.ts'

export interface Load {
  /** URLs to post to in turn, all of the same origin. */
  urls: readonly string[]
  /** Origins to post to in turn instead of that of the URLs. They share the connections. */
  origins?: readonly string[]
  /** The load ends after this many posts or this many seconds, whichever is given. */
  count?: number
  seconds?: number
  /** Posts per second; without it the load is as fast as possible. */
  rate?: number
  connections: number
  /** The durations of this many seconds at the start do not count: connections are opened, and this process is new. */
  uncountedSeconds?: number
  /** Whether texts contain an order id (`DH<number>`). */
  orders: boolean
  /** Prefixes of the order ids, in turn; the default is `DH`. */
  prefixes?: readonly string[]
  /** Number of the first text. */
  from: number
  /** Whether to report when each text was sent (Unix milliseconds, by number). */
  sentAt?: boolean
}

export interface LoadReport {
  accepted: number
  refused: number
  seconds: number
  /** Unix milliseconds. */
  firstAt: number
  p50: number
  p99: number
  sentAt?: Record<number, number>
}

const now = (): number => performance.timeOrigin + performance.now()

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Runs the load in this process, for a few posts. */
export const runLoad = async (load: Load): Promise<LoadReport> => {
  const { prefixes = ['DH'], uncountedSeconds = 0 } = load
  const { origins = [new URL(load.urls[0]!).origin] } = load
  const paths = load.urls.map((url) => fromVietcombank(new URL(url).pathname))
  const connections = Math.ceil(load.connections / origins.length)
  const pools = origins.map((origin) => new Pool(origin, { connections, pipelining: 1 }))
  const durations: number[] = []
  const sentAt: Record<number, number> = {}
  let number = load.from
  let accepted = 0
  let refused = 0
  const firstAt = now()
  const over = () =>
    (load.count !== undefined && number - load.from >= load.count) ||
    (load.seconds !== undefined && now() - firstAt >= load.seconds * 1000)

  const post = async (own: number): Promise<void> => {
    const text = vietcombankText(own, load.orders ? `${prefixes[own % prefixes.length]}${own}` : 'chuyen tien')
    const began = now()
    if (load.sentAt) sentAt[own] = began
    try {
      const { statusCode, body } = await pools[own % pools.length]!.request({
        method: 'POST',
        path: paths[own % paths.length]!,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      })
      await body.dump()
      if (statusCode === 200) accepted++
      else refused++
    } catch {
      refused++
    }
    if (began - firstAt >= 1_000 * uncountedSeconds) durations.push(now() - began)
  }

  if (load.rate === undefined) {
    const lane = async () => {
      while (!over()) await post(number++)
    }
    await Promise.all(Array.from({ length: load.connections }, lane))
  } else {
    const open = new Set<Promise<void>>()
    while (!over()) {
      const due = firstAt + ((number - load.from) * 1000) / load.rate
      if (due > now()) await sleep(Math.max(0, due - now()))
      const posted = post(number++).finally(() => open.delete(posted))
      open.add(posted)
    }
    await Promise.all(open)
  }
  const seconds = (now() - firstAt) / 1000
  await Promise.all(pools.map((pool) => pool.close()))
  return {
    accepted,
    refused,
    seconds,
    firstAt,
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
    ...(load.sentAt ? { sentAt } : {}),
  }
}

if (/load\.(?:ts|mjs)$/.test(process.argv[1] ?? ''))
  console.log(JSON.stringify(await runLoad(JSON.parse(process.argv[2]!) as Load)))
