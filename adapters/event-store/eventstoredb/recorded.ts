// Tests: tests/contract/event-store/eventstoredb.test.ts
/** Converts events between the client's form and the port's form. */
import type { AllStreamResolvedEvent, JSONEventData, ResolvedEvent } from '@eventstore/db-client'
import type { Metadata, NewEvent, RecordedEvent } from '../../../domain/event.ts'
import { checkpointOf } from './position.ts'

/** The client's types do not allow plain text or a number as data, but the client writes and reads any JSON. */
export const proposed = ({ id, type, data, metadata }: NewEvent): JSONEventData =>
  ({ id, type, contentType: 'application/json', data, metadata }) as unknown as JSONEventData

type Found = NonNullable<ResolvedEvent['event']> | NonNullable<AllStreamResolvedEvent['event']>

/** @param stream  its name without the installation's prefix */
export const recorded = (event: Found, stream: string): RecordedEvent => ({
  id: event.id,
  type: event.type,
  data: event.data,
  metadata: event.metadata as unknown as Metadata,
  stream,
  revision: Number(event.revision),
  checkpoint: checkpointOf(event.position!),
})
