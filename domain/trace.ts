/**
 * Traces (W3C Trace Context). The correlation id of an event is the id of its trace, written as a UUID. A request that names a
 * trace in its `traceparent` header gives it to everything that it causes; every other request begins a trace of its own.
 */
import { sha256 } from './sha256.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/

export interface TraceContext {
  /** 32 hexadecimal digits. */
  trace_id: string
  /** 16 hexadecimal digits. */
  span_id: string
}

/** @returns the trace and the span that a `traceparent` header names; null without a valid one */
export const traceIn = (traceparent: string | undefined): TraceContext | null => {
  const [, trace_id = '', span_id = ''] = TRACEPARENT.exec(traceparent?.trim() ?? '') ?? []
  return trace_id ? { trace_id, span_id } : null
}

/** The correlation id of a trace. */
export const correlationOf = ({ trace_id }: Pick<TraceContext, 'trace_id'>): string =>
  trace_id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** @returns null if the correlation id is not that of a trace: events of older versions, and scheduled work */
export const traceIdOf = (correlationId: string): string | null => {
  if (!UUID.test(correlationId)) return null
  const part = (from: number, to: number): string => correlationId.slice(from, to)
  return part(0, 8) + part(9, 13) + part(14, 18) + part(19, 23) + part(24, 36)
}

/**
 * @param step  names the step within the trace, so that its span has the same id wherever it is formed
 * @returns null if the correlation id is not that of a trace: events of older versions, and scheduled work
 */
export const traceOf = (correlationId: string, step: string): TraceContext | null => {
  const trace_id = traceIdOf(correlationId)
  return trace_id === null ? null : { trace_id, span_id: sha256(`${correlationId} ${step}`, 'hex').slice(0, 16) }
}

/** The step of an attempt. */
export const attemptStep = (attempt: { transaction_id: number; rule_id: number; attempt: number }): string =>
  `attempt ${attempt.transaction_id} ${attempt.rule_id} ${attempt.attempt}`

/** The value of a `traceparent` header. The trace is marked as sampled. */
export const traceparentOf = ({ trace_id, span_id }: TraceContext): string => `00-${trace_id}-${span_id}-01`
