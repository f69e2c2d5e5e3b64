// Tests: tests/integration/http/stream.test.ts
/** Live events of an account, as server-sent events for open pages. */
import type { ApiContext } from '../context.ts'
import { eventStream, StreamStart, type EventStreams } from './event-stream.ts'
import { query } from '../openapi/input.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'

export const streamRoutes = (operations: Operations, streams: EventStreams, signedIn: Guard): void => {
  const { get } = operations.of('Live', signedIn)

  const listen = (context: ApiContext) => {
    const { account, admitAgain } = context.state
    return streams.open(context, { audience: 'account', user: account.user_id, admitAgain, view: (update) => update })
  }

  const stream = eventStream(
    'Events `transaction`, `attempt`, `alert`, `notification`, `account`. `reset`: load the lists again. `end`: connect again. `bye`: the server stops. To continue, send the last id as `Last-Event-ID` or `since`.',
  )
  get('/api/stream', 'Stream account events', refuses('RATE_LIMITED'), query(StreamStart), stream, listen)
}
