/** The events of the stand-in, and the answers to an append. */
import { randomUUID } from 'node:crypto'

export interface ProposedEvent {
  id: string
  type: string
  contentType: string
  data: Buffer
  metadata: Buffer
}

export interface StoredEvent extends ProposedEvent {
  stream: string
  revision: number
  /** The commit and prepare position, which are equal. */
  position: number
  /** Milliseconds since 1970. */
  created: number
}

export type Expected = number | 'any' | 'no_stream' | 'stream_exists'

export type AppendOutcome =
  | { kind: 'written'; revision: number; position: number | undefined }
  | { kind: 'wrong_expected_version'; /** undefined if the stream does not exist */ revision: number | undefined }
  | { kind: 'stream_deleted' }
  | { kind: 'too_big' }

export const MOST_APPEND_BYTES = 1_048_576

export const sizeOf = ({ data, metadata, type }: ProposedEvent): number =>
  data.length + metadata.length + 2 * type.length

export const metastreamOf = (stream: string): string => `$$${stream}`

export const systemEvent = (type: string, data: string): ProposedEvent => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.alloc(0),
})
