/**
 * Sends spans to an OpenTelemetry collector: OTLP over HTTP in JSON, which every collector accepts on the port of OTLP/HTTP. A limited
 * number of spans waits in memory and is sent in batches. A collector that is slow or away costs spans, and never delays a payment.
 */
import { hostname } from 'node:os'
import { VERSION } from '../system/version.ts'

export interface Span {
  trace_id: string
  span_id: string
  parent_span_id: string | null
  name: string
  kind: 'server' | 'client'
  /** Milliseconds since 1970. */
  ended_at: number
  duration_ms: number
  failed: boolean
  /** Values that are null are left out. */
  attributes: Readonly<Record<string, string | number | boolean | null>>
}

export interface Spans {
  /** @param make  is called only if there is a collector that the span can be sent to */
  add(make: () => Span | null): void
  /** Sends what waits, for at most some seconds. */
  close(): Promise<void>
}

export interface OtlpOptions {
  /** The collector's address, to which `/v1/traces` is added. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
  /** Called when the collector begins to fail, with the reason. */
  onFailure: (reason: string) => void
  /** Milliseconds between batches. */
  everyMs?: number
}

const MOST_WAITING = 2_048
const MOST_IN_A_BATCH = 512
const EVERY_MS = 5_000
const ANSWERS_WITHIN_MS = 10_000
const CLOSES_WITHIN_MS = 3_000

const KINDS = { server: 2, client: 3 } as const
const ERROR = 2

const valueOf = (value: string | number | boolean) => {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const attributesOf = (attributes: Span['attributes']) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: valueOf(value) }]))

const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n)

const written = (span: Span) => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.parent_span_id !== null && { parentSpanId: span.parent_span_id }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanoseconds(span.ended_at - span.duration_ms),
  endTimeUnixNano: nanoseconds(span.ended_at),
  attributes: attributesOf(span.attributes),
  status: span.failed ? { code: ERROR } : {},
})

/** For an installation without a collector. */
export const noSpans: Spans = { add: () => {}, close: async () => {} }

/** @returns a function that sends spans to the collector. It reports only the first of several failures in a row. */
const openCollector = ({ endpoint, headers, serviceName, onFailure }: OtlpOptions) => {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const resource = {
    attributes: attributesOf({
      'service.name': serviceName,
      'service.version': VERSION,
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
  }
  const scope = { name: 'baoco', version: VERSION }
  let isFailing = false

  return async (spans: readonly Span[], within: number): Promise<void> => {
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(written) }] }] })
    try {
      const signal = AbortSignal.timeout(within)
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal,
        redirect: 'error',
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the collector answered ${response.status}`)
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure((error as Error).message)
      isFailing = true
    }
  }
}

export const openSpans = (options: OtlpOptions): Spans => {
  const send = openCollector(options)
  let waiting: Span[] = []
  let sending: Promise<void> = Promise.resolve()
  const flush = (within: number): Promise<void> => {
    sending = sending.then(async () => {
      for (let first = true; first || waiting.length >= MOST_IN_A_BATCH; first = false) {
        const batch = waiting.splice(0, MOST_IN_A_BATCH)
        if (batch.length > 0) await send(batch, within)
      }
    })
    return sending
  }
  let isFlushing = false
  const timer = setInterval(() => {
    if (isFlushing) return
    isFlushing = true
    void flush(ANSWERS_WITHIN_MS).finally(() => (isFlushing = false))
  }, options.everyMs ?? EVERY_MS)
  timer.unref()

  return {
    add: (make) => {
      const span = waiting.length < MOST_WAITING ? make() : null
      if (span) waiting.push(span)
    },
    close: async () => {
      clearInterval(timer)
      const last = waiting.slice(0, MOST_IN_A_BATCH)
      waiting = []
      if (last.length > 0) await send(last, CLOSES_WITHIN_MS)
    },
  }
}
