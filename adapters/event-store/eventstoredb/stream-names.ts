// Tests: tests/integration/eventstoredb/shared-server.test.ts
/**
 * The names of streams on the server, and which of its events belong to this installation. Several installations can share a
 * server. The server filters by the prefix alone, so it also returns streams of an installation with a longer prefix.
 */

/** Begins the rest of the name of a stream that only this adapter uses. */
const INTERNAL = '$'

/** The type of the event that remains of a stream that an operator has deleted permanently. */
export const TOMBSTONE = '$streamDeleted'

/** @param isOwn  whether a name, without the prefix, is that of a stream of an installation */
export const openNames = (prefix: string, isOwn: (stream: string) => boolean) => {
  /** @throws {RangeError} if events of such a stream would not be read */
  const onServer = (stream: string): string => {
    if (stream.startsWith(INTERNAL) || !isOwn(stream)) throw new RangeError(`not a stream's name: ${stream}`)
    return prefix + stream
  }

  /** The name on the server of a stream that only this adapter uses. */
  const internal = (name: string): string => prefix + INTERNAL + name

  /** The stream's name in the port. Null for events of others, of the server, and of this adapter itself. */
  const of = ({ streamId, type }: { streamId: string; type: string }): string | null => {
    if (!streamId.startsWith(prefix) || (type.startsWith('$') && type !== TOMBSTONE)) return null
    const stream = streamId.slice(prefix.length)
    return !stream.startsWith(INTERNAL) && isOwn(stream) ? stream : null
  }

  const isInternal = ({ streamId }: { streamId: string }): boolean => streamId.startsWith(prefix + INTERNAL)

  return { prefix, onServer, internal, of, isInternal }
}

export type Names = ReturnType<typeof openNames>
