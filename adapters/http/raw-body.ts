/**
 * Reads a request's body into memory, once, up to a limit. Not by koa-body: it replaces broken UTF-8 where we refuse it, unpacks
 * what is compressed, and cuts a caller off at the limit who would hear of the 413 only after writing.
 */
import type { IncomingMessage } from 'node:http'
import { Refused } from '../../domain/errors.ts'
import { CallerGone } from './errors.ts'

/** Interface, section 8: bytes. */
const BODY_LIMIT = 10 * 1024 * 1024

/**
 * Most bytes that are read past and thrown away, so that a caller which writes all of its body before it reads hears of
 * the 413; beyond it the connection is cut.
 */
const DRAIN_LIMIT = 64 * 1024 * 1024

const tooLarge = () => new Refused('PAYLOAD_TOO_LARGE', `A body has at most ${BODY_LIMIT} bytes.`)

/** @throws {Refused} PAYLOAD_TOO_LARGE · {CallerGone} */
export const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_LIMIT) chunks.push(chunk)
      else chunks = []
      if (size > DRAIN_LIMIT) reject(new CallerGone('a body without end'))
    })
    request.on('end', () => {
      if (size > BODY_LIMIT) reject(tooLarge())
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    request.on('error', () => reject(new CallerGone('the caller went away')))
    request.on('close', () => {
      if (!request.complete) reject(new CallerGone('the caller went away'))
    })
  })
