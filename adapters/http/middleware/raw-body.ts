// Tests: tests/attack/single-requests.test.ts
/**
 * Reads a request's body into memory, once, up to a limit. It does not use koa-body, because koa-body replaces broken UTF-8 that we refuse,
 * unpacks compressed bodies, and disconnects a caller at the limit before the caller can read the 413.
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
const BODY_LIMIT = 10 * 1024 * 1024

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

/**
 * @param account  the account of the valid credential; null: there is none, and at most 64 KB are kept
 * @throws {Refused} PAYLOAD_TOO_LARGE, OVERLOADED, VALIDATION_FAILED for more than 64 KB without a credential · {CallerGone}
 */
export const readBody = ({ req: request, state }: ApiContext, account: number | null): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { held } = state
    const most = account === null ? SHORT : BODY_LIMIT
    const mayGoOn = arrivalGuard()
    let chunks: Buffer[] = []
    let size = 0
    let refusal: (() => Refused) | null = null

    const refuse = (as: () => Refused): void => {
      refusal = as
      chunks = []
      held.release()
    }
    const grown = (): void => {
      if (size > BODY_LIMIT) refuse(tooLarge)
      else if (size > most) refuse(tooLong)
    }
    const cut = (why: string): void => {
      chunks = []
      request.removeAllListeners('data').pause()
      reject(new CallerGone(why))
    }

    held.begin(account, () => cut('the body arrived too slowly'))
    size = lengthOf(request)
    grown()
    size = 0
    request.on('data', (chunk: Buffer) => {
      if (!mayGoOn(chunk)) return cut('a body without end')
      size += chunk.length
      if (size > most) grown()
      else if (!refusal && held.take(chunk.length)) chunks.push(chunk)
      else if (!refusal) refuse(overloaded)
    })
    request.on('end', () => {
      if (refusal) return reject(refusal())
      held.arrived()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    request.on('error', () => cut('the caller went away'))
    request.on('close', () => {
      if (!request.complete) cut('the caller went away')
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
