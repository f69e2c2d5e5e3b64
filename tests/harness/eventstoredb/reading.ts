/** The `Read` call: reads streams or everything, once or as a subscription. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { status, type sendUnaryData, type ServerWritableStream } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { StoredEvent } from './event.ts'
import type { EventLog } from './event-log.ts'
import { eventMessage, failure, identifierOf, nameIn } from './messages.ts'

type Call = ServerWritableStream<ReadReq, ReadResp>
type Options = ReadReq.Options

export type Failure = Parameters<sendUnaryData<unknown>>[0]

/** The number of events between two checkpoints for a filter without its own window. */
const DEFAULT_WINDOW = 32

export const streamDeleted = (name: string): Failure =>
  failure('stream-deleted', `Event stream '${name}' is deleted.`, { 'stream-name': name })

export const read = async (log: EventLog, call: Call): Promise<void> => {
  const options = call.request.getOptions()!
  const closed = new AbortController()
  for (const event of ['cancelled', 'close', 'error']) call.on(event, () => closed.abort())
  const send = async (message: ReadResp): Promise<void> => {
    if (closed.signal.aborted) return
    if (message.hasEvent()) log.sent++
    if (!call.write(message)) await once(call, 'drain', { signal: closed.signal }).catch(() => {})
  }
  if (options.hasSubscription()) await subscribe(log, options, call, send, closed.signal)
  else if (options.hasStream()) await readStream(log, options, call, send)
  else if (!isReadable(log, options)) call.emit('error', badPosition)
  else {
    for (const event of everything(log, options)) await send(eventMessage(event))
    call.end()
  }
}

const readStream = async (
  log: EventLog,
  options: Options,
  call: Call,
  send: (message: ReadResp) => Promise<void>,
): Promise<void> => {
  const from = options.getStream()!
  const name = nameIn(from.getStreamIdentifier())
  const revision = from.hasEnd() ? Infinity : from.hasRevision() ? Number(from.getRevision()) : 0
  const visible = log.visible(name, {
    from: revision,
    most: Number(options.getCount()),
    backwards: isBackwards(options),
  })
  if (visible === 'deleted') {
    call.emit('error', streamDeleted(name))
    return
  }
  if (visible === 'not_found') {
    const notFound = new streams.ReadResp.StreamNotFound()
    notFound.setStreamIdentifier(identifierOf(name))
    const message = new streams.ReadResp()
    message.setStreamNotFound(notFound)
    await send(message)
    call.end()
    return
  }
  for (const event of visible) await send(eventMessage(event))
  call.end()
}

const isBackwards = (options: Options): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS

/** A position between two events is an error, and so is one beyond the end for a read backwards. */
const badPosition: Failure = { code: status.UNKNOWN, details: 'Unexpected ReadAllResult: InvalidPosition' }

const isReadable = (log: EventLog, options: Options): boolean => {
  const all = options.getAll()!
  if (!all.hasPosition()) return true
  const position = Number(all.getPosition()!.getCommitPosition())
  return position > log.end ? !isBackwards(options) : log.isPosition(position)
}

/** The events of a plain read of everything: forwards from a position, or backwards from before it. */
const everything = (log: EventLog, options: Options): readonly StoredEvent[] => {
  const all = options.getAll()!
  const count = Number(options.getCount())
  const position = all.hasPosition() ? Number(all.getPosition()!.getCommitPosition()) : null
  if (!isBackwards(options)) {
    const start = position === null ? (all.hasEnd() ? log.all.length : 0) : log.indexOf(position)
    return log.all.slice(start, start + count)
  }
  const end = position === null ? (all.hasEnd() ? log.all.length : 0) : log.indexOf(position)
  return log.all.slice(Math.max(0, end - count), end).reverse()
}

const filterOf = (options: Options): ((event: StoredEvent) => boolean) => {
  const filter = options.getFilter()
  if (!filter) return () => true
  const byStream = filter.hasStreamIdentifier()
  const expression = byStream ? filter.getStreamIdentifier()! : filter.getEventType()!
  const prefixes = expression.getPrefixList()
  const pattern = prefixes.length > 0 ? undefined : new RegExp(expression.getRegex())
  return ({ stream, type }) => {
    const text = byStream ? stream : type
    return pattern ? pattern.test(text) : prefixes.some((prefix) => text.startsWith(prefix))
  }
}

const subscribe = async (
  log: EventLog,
  options: Options,
  call: Call,
  send: (message: ReadResp) => Promise<void>,
  closed: AbortSignal,
): Promise<void> => {
  let woken = () => {}
  const stop = log.onChange(() => woken())
  closed.addEventListener('abort', () => woken())
  const ofAll = options.hasAll() ? 1 : 0
  log.subscriptions += ofAll
  try {
    const confirmation = new streams.ReadResp.SubscriptionConfirmation()
    confirmation.setSubscriptionId(randomUUID())
    const confirmed = new streams.ReadResp()
    confirmed.setConfirmation(confirmation)
    await send(confirmed)
    if (options.hasAll() && !isReadable(log, options)) {
      call.emit('error', badPosition)
      return
    }
    const next = options.hasStream() ? streamReader(log, options) : allReader(log, options)
    let wasBehind = true
    while (!closed.aborted) {
      const found = next()
      if (found === 'deleted') {
        call.emit('error', streamDeleted(nameIn(options.getStream()!.getStreamIdentifier())))
        return
      }
      for (const message of found) await send(message)
      if (found.length > 0) continue
      if (wasBehind) {
        wasBehind = false
        const caughtUp = new streams.ReadResp()
        caughtUp.setCaughtUp(new streams.ReadResp.CaughtUp())
        await send(caughtUp)
        continue
      }
      await new Promise<void>((resolve) => (woken = resolve))
    }
  } finally {
    log.subscriptions -= ofAll
    stop()
  }
}

/** Returns the next messages, or none at the current end. */
type Reader = () => ReadResp[] | 'deleted'

const AT_ONCE = 64

const allReader = (log: EventLog, options: Options): Reader => {
  const all = options.getAll()!
  let after = all.hasStart()
    ? -1
    : all.hasEnd()
      ? (log.all.at(-1)?.position ?? -1)
      : Number(all.getPosition()!.getCommitPosition())
  const isWanted = filterOf(options)
  const filter = options.getFilter()
  const window =
    (filter?.hasMax() ? filter.getMax() : DEFAULT_WINDOW) * (filter?.getCheckpointintervalmultiplier() ?? 1)
  let looked = 0
  return () => {
    const messages: ReadResp[] = []
    for (let index = log.indexOf(after + 1); index < log.all.length && messages.length < AT_ONCE; index++) {
      const event = log.all[index]!
      after = event.position
      if (isWanted(event)) messages.push(eventMessage(event))
      if (!filter || ++looked < window) continue
      looked = 0
      const checkpoint = new streams.ReadResp.Checkpoint()
      checkpoint.setCommitPosition(String(event.position))
      checkpoint.setPreparePosition(String(event.position))
      const message = new streams.ReadResp()
      message.setCheckpoint(checkpoint)
      messages.push(message)
    }
    return messages
  }
}

/** Past events that are hidden are skipped. A live subscription receives every appended event, hidden or not. */
const streamReader = (log: EventLog, options: Options): Reader => {
  const from = options.getStream()!
  const name = nameIn(from.getStreamIdentifier())
  const newest = (): number => {
    const visible = log.visible(name, { from: Infinity, most: 1, backwards: true })
    return Array.isArray(visible) ? (visible[0]?.revision ?? -1) : -1
  }
  let after = from.hasRevision() ? Number(from.getRevision()) : from.hasEnd() ? newest() : -1
  return () => {
    const found = log.visible(name, { from: after + 1, most: AT_ONCE })
    if (found === 'deleted') return 'deleted'
    if (found === 'not_found') return []
    after = found.at(-1)?.revision ?? after
    return found.map(eventMessage)
  }
}

export const notReady: Failure = { code: status.UNKNOWN, details: 'Server Is Not Ready' }
