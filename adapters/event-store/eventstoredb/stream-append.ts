// Tests: tests/contract/event-store/eventstoredb.test.ts
/** One append to one stream. It is repeated with the same ids and the same expected revision until its outcome is known. */
import {
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STREAM_THERE,
  StreamDeletedError,
  WrongExpectedVersionError,
  type JSONEventData,
} from '@eventstore/db-client'
import { NO_STREAM, type Checkpoint, type Expected } from '../../../domain/ports.ts'
import type { History } from '../history.ts'
import type { Answered } from '../until-answered.ts'
import { APPENDING } from './client.ts'
import type { Connection } from './connection.ts'
import type { End } from './end.ts'
import type { Names } from './stream-names.ts'
import { checkpointOf } from './position.ts'
import { tombstone } from './event-conversion.ts'
import type { Retention } from './retention.ts'

export type Written = { ok: true; checkpoint: Checkpoint } | { ok: false; revision: number }

export interface StreamAppendParts {
  connection: Connection
  end: End
  retention: Retention
  history: History
  names: Names
}

/**
 * @param answered  retries while the server is unavailable
 * @throws {RangeError} if this server's limit for one append is lower than usual
 */
export const appendToStream = async (
  { connection, end, retention, history, names }: StreamAppendParts,
  answered: Answered,
  stream: string,
  expected: Expected,
  events: JSONEventData[],
): Promise<Written> => {
  const isNew = expected === NO_STREAM
  const append = () =>
    answered(() =>
      connection.call(({ client }) =>
        client.appendToStream(names.onServer(stream), events, {
          // Never "any": the server recognises repeated ids for it only until it restarts.
          expectedRevision: isNew ? NO_STREAM_THERE : BigInt(expected),
          ...APPENDING,
        }),
      ),
    )
  try {
    const retained = retention.applied(stream, isNew)
    // Waits only if there is something to wait for, so that appends are sent in the order of the calls.
    if (isNew && retained) await retained
    const [{ position }] = await Promise.all([append(), retained])
    if (position) {
      const checkpoint = checkpointOf(position)
      history.wrote([{ stream, expected }], {
        stream,
        revision: expected + events.length,
        id: events.at(-1)!.id,
        checkpoint,
      })
      return { ok: true, checkpoint }
    }
    // Written earlier and hidden since, so its position is not reported. The newest position is not before it, so a caller
    // that waits until a read model has passed that position waits long enough.
    return { ok: true, checkpoint: checkpointOf((await end.position())!) }
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) {
      const { actualVersion } = error
      return { ok: false, revision: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM }
    }
    // The caller reads the stream again and finds the tombstone.
    if (error instanceof StreamDeletedError) return { ok: false, revision: tombstone(stream).revision }
    if (error instanceof MaxAppendSizeExceededError)
      throw new RangeError(`the server takes ${error.maxAppendSize} bytes in one append`, { cause: error })
    throw error
  }
}
