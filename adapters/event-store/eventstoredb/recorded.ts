/** Our events between their two shapes: as the client has them, and as the port has them. */
import type { AllStreamResolvedEvent, JSONEventData, ResolvedEvent } from '@eventstore/db-client'
import type { Metadata, NewEvent, RecordedEvent } from '../../../domain/event.ts'
import { checkpointOf } from './position.ts'

/** The types of the client know no bare text or number as data; it writes and reads whatever is JSON. */
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
