// Tests: tests/attack/single-requests.test.ts
/**
 * Admits a request's body, once, up to a limit. The receive paths and the inbox need its bytes and read them here (`readBody`). JSON bodies
 * of the API pass the same guards on their way to koa-body (`json-body.ts`).
 *
 * The credential is checked before the body is read (decisions, "Sizes"). Without a credential at most 64 KB are kept. The rest of a body
 * that is too long, and a body that no handler reads, is discarded as it arrives. A caller that sends the whole body before it reads
 * therefore still gets the response.
 */
import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import { SHORT } from './bodies-in-flight.ts'
import type { ApiContext } from '../context.ts'
import { CallerGone, overloaded } from './errors.ts'

/** In bytes (interface, section 8). */
export const BODY_LIMIT = 10 * 1024 * 1024

/** Most bytes that may arrive of one body. Above it the connection is cut. */
const ARRIVING_LIMIT = 24 * 1024 * 1024

/** Most pieces of one body: a fixed number, plus one for each `BYTES_OF_PIECE` bytes. Each piece has a fixed cost, however short it is. */
const PIECES = 2_048
const BYTES_OF_PIECE = 128

const tooLarge = () => new Refused('PAYLOAD_TOO_LARGE', `The body must not exceed ${BODY_LIMIT} bytes.`)
const tooLong = () => invalid({ path: '', message: `The body of this request must not exceed ${SHORT} bytes.` })

/** Watches the size and the pieces of one body. @returns a function that takes the next piece and returns whether more may arrive */
const arrivalGuard = (): ((piece: Buffer) => boolean) => {
  let size = 0
  let pieces = 0
  return ({ length }) => {
    size += length
    pieces++
    return size <= ARRIVING_LIMIT && pieces <= PIECES + size / BYTES_OF_PIECE
  }
}

const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

/** Receives an admitted body. */
export interface Sink {
  /** @returns a reason to refuse the body, if the chunk shows one */
  take: (chunk: Buffer) => (() => Refused) | null
  end: () => void
  /** The taken chunks are no longer needed. The rest is discarded. */
  refused: () => void
  /** Called in place of `end`: with the refusal after the whole body has arrived, or if the caller has gone. */
  fail: (error: Refused | CallerGone) => void
}

/** @param account  the account of the valid credential; null: there is none, and at most 64 KB are kept */
export const admit = ({ req: request, state: { held } }: ApiContext, account: number | null, sink: Sink): void => {
  const most = account === null ? SHORT : BODY_LIMIT
  const mayGoOn = arrivalGuard()
  let size = 0
  let refusal: (() => Refused) | null = null

  const refuse = (as: () => Refused): void => {
    refusal = as
    sink.refused()
    held.release()
  }
  const checkSize = (): void => {
    if (size > BODY_LIMIT) refuse(tooLarge)
    else if (size > most) refuse(tooLong)
  }
  const cut = (why: string): void => {
    request.removeAllListeners('data').pause()
    sink.refused()
    sink.fail(new CallerGone(why))
  }
  const take = (chunk: Buffer): void => {
    if (!held.take(chunk.length)) return refuse(overloaded)
    const reason = sink.take(chunk)
    if (reason) refuse(reason)
  }

  held.begin(account, () => cut('the body arrived too slowly'))
  size = lengthOf(request)
  checkSize()
  size = 0
  request.on('data', (chunk: Buffer) => {
    if (!mayGoOn(chunk)) return cut('a body without end')
    size += chunk.length
    if (size > most) checkSize()
    else if (!refusal) take(chunk)
  })
  request.on('end', () => {
    if (refusal) return sink.fail(refusal())
    held.arrived()
    sink.end()
  })
  request.on('error', () => cut('the caller went away'))
  request.on('close', () => {
    if (!request.complete) cut('the caller went away')
  })
}

/**
 * @returns the bytes of the body
 * @throws {Refused} PAYLOAD_TOO_LARGE, OVERLOADED, VALIDATION_FAILED for more than 64 KB without a credential · {CallerGone}
 */
export const readBody = (context: ApiContext, account: number | null): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    admit(context, account, {
      take: (chunk) => (chunks.push(chunk), null),
      end: () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
      refused: () => (chunks = []),
      fail: reject,
    })
  })

/** Discards the rest of a body. @returns false if the body exceeds the limits */
const discardRest = (request: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    const mayGoOn = arrivalGuard()
    request.on('data', (chunk: Buffer) => {
      if (mayGoOn(chunk)) return
      request.pause()
      resolve(false)
    })
    request.on('end', () => resolve(true))
    request.on('close', () => resolve(true))
    request.resume()
  })

/** If no handler has read the body, sends the response after all of it has arrived. Closes the connection if the body is too long. */
export const discardUnread: Middleware = (context, next) =>
  next().then(async () => {
    const { req: request } = context
    if (request.complete || request.destroyed || context.respond === false) return
    if (!(await discardRest(request))) context.set('Connection', 'close')
  })
