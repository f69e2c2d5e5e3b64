// Tests: tests/integration/http/stream.test.ts
/**
 * Streams server-sent events to one listener: first the missed events, then the live ones. A stream ends after about ten minutes or when
 * its credential expires, so that the listener must authenticate again and no connection stays open forever. A listener that reads too
 * slowly is disconnected. It can reconnect and receive the missed events. Many events at once are one `reset`: to load the lists again
 * costs less than to send them all.
 */
import { PassThrough } from 'node:stream'
import { z } from 'zod'
import type { Clock } from '../../../domain/ports.ts'
import type { Feed } from '../../../workflows/live/feed.ts'
import type { PositionedUpdate } from '../../../workflows/live/update-memory.ts'
import type { LiveUpdate } from '../../../workflows/live/updates.ts'
import type { ApiContext } from '../context.ts'
import type { Answer } from '../openapi/operation.ts'
import { spend } from '../middleware/rate-limits.ts'
import { queryOf } from '../middleware/query-string.ts'

/** Whose page listens. Anybody who has the link of the counter can open its streams, so they have a budget of their own. */
export type Audience = 'account' | 'counter'

/** Most streams of one user and audience in this process. */
const MOST_OF_A_USER = 5
/** Most streams in this process. */
const MOST = 2_000
/** Milliseconds until a refused listener should try again. */
const TRY_AGAIN_MS = 30_000
const HEARTBEAT_MS = 15_000
/** Varied by ± 20 %, so that clients that connected together do not reconnect together. */
const LONGEST_MS = 600_000
/** Most bytes that may be buffered for a listener. */
const MOST_WAITING = 64 * 1024
/** Most events that are sent one by one when they arrive together. They fit into the buffer. */
const MOST_AT_ONCE = 100

interface Opening {
  /** The budget that the stream counts for. */
  audience: Audience
  /** The user whose events are streamed. */
  user: number
  /** Checks the credential again, once the stream would end with it. Before, its end would be missed. @throws {Refused} */
  admitAgain: () => Promise<unknown>
  /** Maps an event to the data to send; null: the event is not sent; `reset`: the listener has to start over. */
  view: (update: LiveUpdate) => object | 'reset' | null
  /** Writes events before all others. */
  first?: (write: (event: string, data: object) => void) => Promise<void>
}

export interface EventStreams {
  /** @throws {Refused} RATE_LIMITED, and what `admitAgain` throws */
  open(context: ApiContext, opening: Opening): Promise<PassThrough>
}

/** The query of a stream. */
export const StreamStart = z.object({
  since: z
    .string()
    .max(2_048)
    .optional()
    .meta({ description: 'The id of the last received event, if `Last-Event-ID` cannot be sent.' }),
})

/** The id of the last received event: from the header that the browser sends, or from the parameter of a reloaded page. */
const lastEventId = (context: ApiContext): string | null => {
  const { 'last-event-id': header } = context.headers
  if (typeof header === 'string' && header !== '') return header
  const { since } = queryOf(context)
  return typeof since === 'string' && since !== '' ? since : null
}

/** Limits the number of open streams. @returns a function that counts a new stream. Its result counts that stream as ended */
const openLimit = () => {
  /** The number of open streams by audience and user. */
  const open = new Map<string, number>()
  let all = 0

  /** @throws {Refused} RATE_LIMITED */
  return (context: ApiContext, listeners: string): (() => void) => {
    const own = (open.get(listeners) ?? 0) + 1
    const endsInMs = TRY_AGAIN_MS
    spend(context, { requests: MOST_OF_A_USER }, { calls: own, endsInMs }, 'Too many streams are open. Close one first')
    if (all >= MOST) spend(context, { requests: MOST }, { calls: all + 1, endsInMs }, 'The server has too many streams')
    open.set(listeners, own)
    all++
    return () => {
      const left = open.get(listeners)! - 1
      if (left === 0) open.delete(listeners)
      else open.set(listeners, left)
      all--
    }
  }
}

/** Writes events as text. The id of an event is the store's epoch and the checkpoint. */
const openWriter = (out: PassThrough, epoch: string, view: Opening['view']) => {
  const write = (text: string): void => {
    if (out.writableEnded || out.destroyed) return
    if (out.writableLength > MOST_WAITING) out.destroy()
    else out.write(text)
  }
  const idOf = (checkpoint: string | null): string => (checkpoint === null ? '' : `id: ${epoch}.${checkpoint}\n`)
  const textOf = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  const resetAt = (checkpoint: string | null): string => idOf(checkpoint) + textOf('reset', {})
  return {
    write,
    /** Moves the listener's last id on without an event. */
    moveOn: (checkpoint: string | null, before = ''): void => write(`${before}${idOf(checkpoint)}\n`),
    event: (event: string, data: object): void => write(textOf(event, data)),
    reset: (checkpoint: string | null): void => write(resetAt(checkpoint)),
    updates: (updates: readonly PositionedUpdate[]): void => {
      const shown = updates.flatMap(({ checkpoint, update }) => {
        const data = view(update)
        if (data === 'reset') return resetAt(checkpoint)
        return data ? idOf(checkpoint) + textOf(update.kind, data) : []
      })
      if (shown.length > MOST_AT_ONCE) write(resetAt(updates.at(-1)!.checkpoint))
      else if (shown.length > 0) write(shown.join(''))
    },
    end: (reason: string): void => {
      write(textOf(reason === 'bye' ? 'bye' : 'end', { reason }))
      out.end()
    },
  }
}

/** Ends the stream when the caller ends its side of the connection: then nobody listens. */
const endWithCaller = (out: PassThrough, { socket }: ApiContext['req']): void => {
  const end = (): void => void out.end()
  socket.once('end', end)
  out.once('close', () => socket.off('end', end))
  if (socket.readableEnded) end()
}

export const openEventStreams = ({ feed, clock }: { feed: Feed; clock: Clock }): EventStreams => {
  const enter = openLimit()

  /** Sends heartbeats, and ends the stream when its time is over. */
  const keepAlive = (writer: ReturnType<typeof openWriter>, expiresAt: Date | undefined, signal: AbortSignal): void => {
    // The id moves on without an event, so that a listener that was long without one does not have to reload.
    const beat = setInterval(() => writer.moveOn(feed.position(), ': still here\n'), HEARTBEAT_MS)
    const longest = LONGEST_MS * (0.8 + Math.random() * 0.4)
    const valid = (expiresAt?.getTime() ?? Infinity) - clock.now().getTime()
    const over = setTimeout(() => writer.end(valid < longest ? 'credentials' : 'time'), Math.min(longest, valid))
    signal.addEventListener('abort', () => {
      clearInterval(beat)
      clearTimeout(over)
    })
  }

  return {
    open: async (context, { audience, user, admitAgain, view, first }) => {
      const epoch = await feed.epoch()
      const leave = enter(context, `${audience} ${user}`)
      const out = new PassThrough({ highWaterMark: MOST_WAITING })
      const ending = new AbortController()
      const { signal } = ending
      out.once('close', () => {
        ending.abort()
        leave()
      })
      endWithCaller(out, context.req)
      const writer = openWriter(out, epoch, view)
      keepAlive(writer, context.state.expires_at, signal)
      try {
        const lastId = lastEventId(context)
        const isOfThisStore = lastId?.startsWith(`${epoch}.`) ?? false
        const after = isOfThisStore ? lastId!.slice(epoch.length + 1) : null
        // To keep the order, new events wait until the missed events are sent.
        let waiting: PositionedUpdate[] | null = []
        const { missed, position, stop } = await feed.listen(user, after, {
          receive: (updates) => void (waiting ? waiting.push(...updates) : writer.updates(updates)),
          end: writer.end,
        })
        signal.addEventListener('abort', stop)
        if (signal.aborted) stop()
        await admitAgain()
        writer.write('retry: 2000\n\n')
        await first?.(writer.event)
        if (missed === null || (lastId !== null && !isOfThisStore)) writer.reset(position)
        else {
          writer.updates(missed)
          writer.moveOn(position)
        }
        writer.updates(waiting)
        waiting = null
      } catch (error) {
        out.destroy()
        throw error
      }
      context.set({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
      return out
    },
  }
}

/** The response of a route that returns such a stream. */
export const eventStream = (description: string): Answer<PassThrough> => ({
  write: (context, stream) => {
    context.type = 'text/event-stream'
    context.body = stream
  },
  answers: [{ status: 200, description, mediaType: 'text/event-stream', schema: null }],
})
