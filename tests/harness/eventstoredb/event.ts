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

/** One text for each of the few types. */
const known = new Map<string, string>()

const once = (text: string): string => {
  const present = known.get(text)
  if (present !== undefined) return present
  known.set(text, text)
  return text
}

/**
 * An event in memory. Its bytes are kept as text, of a character each: buffers of a million events make Node collect garbage again and again,
 * which stops the server for a second.
 */
export class HeldEvent implements StoredEvent {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly created: number
  readonly #data: string
  readonly #metadata: string

  /** @param stream  the name of its stream, which its events share */
  constructor(event: StoredEvent, stream: string) {
    this.id = event.id
    this.type = once(event.type)
    this.contentType = once(event.contentType)
    this.stream = stream
    this.revision = event.revision
    this.position = event.position
    this.created = event.created
    this.#data = event.data.toString('latin1')
    this.#metadata = event.metadata.toString('latin1')
  }

  get data(): Buffer {
    return Buffer.from(this.#data, 'latin1')
  }
  get metadata(): Buffer {
    return Buffer.from(this.#metadata, 'latin1')
  }
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
