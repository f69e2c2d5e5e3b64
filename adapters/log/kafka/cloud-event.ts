/**
 * An event as a Kafka message: a CloudEvent 1.0 in binary mode. The headers describe the event. The value contains the part
 * of its data that is public. The key is the user's id, so that a user's events stay in order.
 *
 * `ce_revision`, `ce_checkpoint`, `ce_installation`, `ce_correlationid` and `ce_traceparent` are extensions: the revision in the
 * stream, the position in the store, the installation that owns the store, and the trace. A relay that takes over may repeat messages of its predecessor. Readers detect a
 * repeat by `ce_id`, or by a revision that they have already read.
 */
import type { IHeaders, Message } from 'kafkajs'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { LogEntry } from '../../../domain/ports.ts'
import { traceOf, traceparentOf } from '../../../domain/trace.ts'
import { publicView } from '../../../domain/transaction/public-view.ts'

const TRANSACTION = /^transaction-(\d+)$/
const WHOLE = /^\d{1,15}$/

export interface Origin {
  source: string
  installation: string
  personalData?: boolean
}

/**
 * @param from.source  `ce_source`: the address of the system that created the event
 * @param from.installation  the id of the installation
 * @param from.personalData  whether the value contains names and account numbers
 * @returns null for an event without a user or a transaction
 */
export const messageOf = (
  event: RecordedEvent,
  { source, installation, personalData = false }: Origin,
): Message | null => {
  const { user_id, at, correlation_id } = event.metadata
  if (user_id === null || !TRANSACTION.test(event.stream)) return null
  const trace = traceOf(correlation_id, event.id)
  return {
    key: String(user_id),
    headers: {
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_type: event.type,
      ce_source: source,
      ce_subject: event.stream,
      ce_time: at,
      ce_revision: String(event.revision),
      ce_checkpoint: event.checkpoint,
      ce_installation: installation,
      ce_correlationid: correlation_id,
      ...(trace && { ce_traceparent: traceparentOf(trace) }),
      'content-type': 'application/json',
    },
    value: JSON.stringify(publicView(event, personalData)),
  }
}

const headerIn = (headers: IHeaders | undefined, name: string): string => {
  const value = headers?.[name]
  return Buffer.isBuffer(value) || typeof value === 'string' ? value.toString() : ''
}

/** The installation that a message belongs to. Null if the version that sent it did not set the header. */
export const installationIn = (headers: IHeaders | undefined): string | null =>
  headerIn(headers, 'ce_installation') || null

/** The log entry in a message's headers and key. Null if the message does not belong to this installation or is malformed. */
export const entryOf = (
  { key, headers }: { key: Buffer | null; headers?: IHeaders },
  installation: string,
): LogEntry | null => {
  if ((installationIn(headers) ?? installation) !== installation) return null
  const text = (name: string): string => headerIn(headers, name)
  const user = key?.toString() ?? ''
  const transaction = TRANSACTION.exec(text('ce_subject'))?.[1] ?? ''
  const revision = text('ce_revision')
  const entry = {
    event_id: text('ce_id'),
    type: text('ce_type'),
    user_id: Number(user),
    transaction_id: Number(transaction),
    revision: Number(revision),
    at: text('ce_time'),
    correlation_id: text('ce_correlationid') || null,
    checkpoint: text('ce_checkpoint'),
  }
  const isWhole = [user, transaction, revision].every((number) => WHOLE.test(number))
  return isWhole && entry.event_id && entry.type && entry.at && entry.checkpoint ? entry : null
}
