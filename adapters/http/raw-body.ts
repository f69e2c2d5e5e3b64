/**
 * Reads a request's body into memory, once, up to a limit. Not by koa-body: it replaces invalid UTF-8 where we refuse it, unpacks
 * compressed bodies where we answer 415, and cuts the connection at the limit, so that the caller never receives the 413.
 *
 * A body that is too long, or for which there is no memory, is discarded while it arrives. The answer comes at its end, so that a caller which
 * writes all of its body before it reads receives the answer too.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { invalid } from '../../domain/account/refusals.ts'
import { Refused } from '../../domain/errors.ts'
import { BodyMemory } from './body-memory.ts'
import { CallerGone } from './errors.ts'

/** Interface, section 8: bytes. */
export const BODY_LIMIT = 10 * 1024 * 1024
/** Without a proved credential (decisions, "Sizes"): bytes. */
const STRANGERS_LIMIT = 64 * 1024
/** Bytes that are discarded at most; beyond them the connection is cut. */
const DISCARD_LIMIT = 64 * 1024 * 1024

const tooLarge = () => new Refused('PAYLOAD_TOO_LARGE', `A body has at most ${BODY_LIMIT} bytes.`)
const tooLargeForStrangers = () =>
  invalid({ path: '', message: `Without credentials a body has at most ${STRANGERS_LIMIT} bytes.` })
const overloaded = () =>
  new Refused('OVERLOADED', 'The server is receiving too much at the moment. Try again in a few seconds.')

export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/**
 * @param isStranger  whether the caller has proved no credential
 * @throws {Refused} PAYLOAD_TOO_LARGE, VALIDATION_FAILED, OVERLOADED · {CallerGone}
 */
export const readBody = ({ req, res }: Exchange, isStranger: boolean): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const limit = isStranger ? STRANGERS_LIMIT : BODY_LIMIT
    const memory = new BodyMemory(isStranger)
    let chunks: Buffer[] | null = []
    let hasRoom = true
    let size = 0
    const discard = (): void => {
      chunks = null
      memory.release()
    }
    const give = (error: Error): void => {
      discard()
      reject(error)
    }
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (chunks) {
        if (size <= limit && (hasRoom = memory.hold(chunk.length))) chunks.push(chunk)
        else discard()
      } else if (size > DISCARD_LIMIT) give(new CallerGone('a body without end'))
    })
    req.on('end', () => {
      if (size > BODY_LIMIT) return give(tooLarge())
      if (size > limit) return give(tooLargeForStrangers())
      if (!chunks || !hasRoom) return give(overloaded())
      // The request is in memory until it is answered.
      res.once('close', () => memory.release())
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    req.on('error', () => give(new CallerGone('the caller went away')))
    req.on('close', () => {
      if (!req.complete) give(new CallerGone('the caller went away'))
    })
  })
