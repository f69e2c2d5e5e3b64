/** One append to one stream, tried with the same ids and the same expectation until its outcome is known. */
import {
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STREAM_THERE,
  WrongExpectedVersionError,
  type JSONEventData,
} from '@eventstore/db-client'
import { NO_STREAM, type Checkpoint, type Expected } from '../../../domain/ports.ts'
import type { Connection } from './connection.ts'
import { checkpointOf } from './position.ts'
import type { Reading } from './reading.ts'
import type { Retention } from './retention.ts'

/**
 * The server compares it with its own clock, which may go wrong by a while; a try is given up by ours long before.
 */
const DEADLINE_MS = 60_000

export type Written = { ok: true; checkpoint: Checkpoint } | { ok: false; revision: number }

export interface StreamAppendParts {
  connection: Connection
  reading: Reading
  retention: Retention
  /** Before every stream's name. */
  prefix: string
}

/**
 * @param answered  tries again while the server is away
 * @throws {RangeError} when this server takes less in one append than is usual
 */
export const appendToStream = async (
  { connection, reading, retention, prefix }: StreamAppendParts,
  answered: <Result>(attempt: () => Promise<Result>) => Promise<Result>,
  stream: string,
  expected: Expected,
  events: JSONEventData[],
): Promise<Written> => {
  const isNew = expected === NO_STREAM
  const append = () =>
    answered(() =>
      connection.call(({ client }) =>
        client.appendToStream(prefix + stream, events, {
          // Never "any": those ids are known again only until the server restarts.
          expectedRevision: isNew ? NO_STREAM_THERE : BigInt(expected),
          requiresLeader: true,
          deadline: DEADLINE_MS,
        }),
      ),
    )
  try {
    const told = retention.told(stream, isNew)
    // Not waited for where there is nothing to wait for: appends go out in the order in which they are asked for.
    if (isNew && told) await told
    const [{ position }] = await Promise.all([append(), told])
    if (position) {
      reading.knows(position)
      return { ok: true, checkpoint: checkpointOf(position) }
    }
    // Written earlier and hidden since, so its place is not told. The newest place is not before it: who waits until a
    // read model has passed that waits long enough.
    return { ok: true, checkpoint: checkpointOf((await reading.end())!) }
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) {
      const { actualVersion } = error
      return { ok: false, revision: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM }
    }
    if (error instanceof MaxAppendSizeExceededError)
      throw new RangeError(`the server takes ${error.maxAppendSize} bytes in one append`, { cause: error })
    throw error
  }
}
