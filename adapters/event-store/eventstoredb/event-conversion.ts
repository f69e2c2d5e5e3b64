// Tests: tests/contract/event-store/eventstoredb.test.ts
/** Converts events between the client's form and the port's form. */
import { createHash } from 'node:crypto'
import type { AllStreamResolvedEvent, JSONEventData, ResolvedEvent } from '@eventstore/db-client'
import type { Metadata, NewEvent, RecordedEvent } from '../../../domain/event.ts'
import { TOMBSTONE } from './stream-names.ts'
import { checkpointOf } from './position.ts'

const utf8 = new TextEncoder()

/**
 * The client's types do not allow plain text or a number as data, but the client writes and reads any JSON. It writes metadata
 * in bytes as they are, and always makes the text of the data itself.
 * @param metadata  the text of its metadata
 */
export const proposed = ({ id, type, data }: NewEvent, metadata: string): JSONEventData =>
  ({ id, type, contentType: 'application/json', data, metadata: utf8.encode(metadata) }) as unknown as JSONEventData

type Found = NonNullable<ResolvedEvent['event']> | NonNullable<AllStreamResolvedEvent['event']>

/**
 * Another program may have written events without metadata, or with data that is not JSON. Their metadata or data is then
 * undefined or of another type, and the parser refuses them.
 * @param stream  its name without the installation's prefix
 */
export const recorded = (event: Found, stream: string): RecordedEvent => {
  const checkpoint = checkpointOf(event.position!)
  if (event.type === TOMBSTONE) return tombstone(stream, checkpoint)
  return {
    id: event.id,
    type: event.type,
    data: event.isJson ? event.data : undefined,
    metadata: event.metadata as unknown as Metadata,
    stream,
    revision: Number(event.revision),
    checkpoint,
  }
}

/** The server's own number for it, 2^63 - 1, is not a safe integer. This one is larger than any stream. */
const TOMBSTONE_REVISION = 2 ** 31 - 1

/**
 * The event that stands for a stream that was deleted on the server. It has the same id wherever it is found, because the
 * server does not return its own event to readers of the stream.
 * @param checkpoint  unknown to readers of the stream
 */
export const tombstone = (stream: string, checkpoint = '0/0'): RecordedEvent => ({
  id: idOf(`${TOMBSTONE} ${stream}`),
  type: TOMBSTONE,
  data: undefined,
  metadata: undefined as unknown as Metadata,
  stream,
  revision: TOMBSTONE_REVISION,
  checkpoint,
})

/** A UUID (version 8) that depends only on the text. */
const idOf = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
