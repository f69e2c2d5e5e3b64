// Tests: tests/integration/eventstoredb/shared-server.test.ts
/**
 * The names of streams on the server, and which of its events belong to this installation. Several installations can share a
 * server. The server filters by the prefix alone, so it also returns streams of an installation with a longer prefix.
 */

/** Begins the rest of the name of a stream that only this adapter uses. */
const INTERNAL = '$'

/** The type of the event that remains of a stream that an operator has deleted permanently. */
export const TOMBSTONE = '$streamDeleted'

export class Names {
  readonly prefix: string
  readonly #isOwn: (stream: string) => boolean

  /** @param isOwn  whether a name, without the prefix, is that of a stream of an installation */
  constructor(prefix: string, isOwn: (stream: string) => boolean) {
    this.prefix = prefix
    this.#isOwn = isOwn
  }

  /** @throws {RangeError} if events of such a stream would not be read */
  onServer(stream: string): string {
    if (stream.startsWith(INTERNAL) || !this.#isOwn(stream)) throw new RangeError(`not a stream's name: ${stream}`)
    return this.prefix + stream
  }

  /** The name on the server of a stream that only this adapter uses. */
  internal(name: string): string {
    return this.prefix + INTERNAL + name
  }

  /** The stream's name in the port. Null for events of others, of the server, and of this adapter itself. */
  of({ streamId, type }: { streamId: string; type: string }): string | null {
    if (!streamId.startsWith(this.prefix) || (type.startsWith('$') && type !== TOMBSTONE)) return null
    const stream = streamId.slice(this.prefix.length)
    return !stream.startsWith(INTERNAL) && this.#isOwn(stream) ? stream : null
  }

  isInternal({ streamId }: { streamId: string }): boolean {
    return streamId.startsWith(this.prefix + INTERNAL)
  }
}
