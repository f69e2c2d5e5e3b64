/**
 * Where notifications come in. The way is short on purpose: the token is looked at, the body is read and parsed once, and everything is
 * judged by capture, on the account that it reads anyway.
 *
 * What has a good token is never answered with a 4xx that depends on the notification: forwarder apps send such a one again
 * for ever.
 */
import { z } from 'zod'
import type { Arrival, Taken } from '../../../domain/notification/arrival.ts'
import { webhookStatus } from '../../../domain/transaction/events.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { data } from '../openapi/answers.ts'
import type { Input, Part } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import { isReadable } from '../query-length.ts'
import { queryOf, rawQueryOf } from '../query-string.ts'
import type { Limited } from '../rate-limits.ts'
import { readBody } from '../raw-body.ts'
import { arrivalOf, itemArrival, type At } from '../receive/arrival.ts'
import { textOf } from '../receive/body-text.ts'
import { checkToken, type Shown } from '../receive/check-token.ts'
import { readPosted, TooMuchPosted, type Posted } from '../receive/posted.ts'

const BATCH_LIMIT = 200
/** Bytes of a body that is too much to be read: its beginning is kept. */
const BEGINNING = 64 * 1024
const NO_BODY = Buffer.alloc(0)

// What apps should send, and may: nothing of it is asked for, other names and fields are as good.

const moment = z.union([z.string(), z.number()]).meta({ description: 'ISO 8601, or Unix time in s or ms.' })
const Sms = z.looseObject({ sender: z.string(), text: z.string(), received_at: moment }).partial().meta({ id: 'Sms' })
const Push = z
  .looseObject({ package: z.string(), title: z.string(), text: z.string(), received_at: moment })
  .partial()
  .meta({ id: 'Push' })
const Forwarded = z
  .looseObject({ text: z.string(), sender: z.string(), package: z.string(), title: z.string(), received_at: moment })
  .partial()
  .meta({ id: 'Forwarded' })
const Batch = z
  .looseObject({ items: z.array(z.looseObject({ type: z.enum(['sms', 'notification']) })).max(BATCH_LIMIT) })
  .meta({ id: 'Batch' })

const Result = z
  .union([
    z.strictObject({ id: z.int().positive(), webhook_status: webhookStatus }),
    z.strictObject({ ignored: z.literal(true), reason: z.string() }),
  ])
  .meta({ id: 'Received' })

/** One; or where a list of notifications was sent, one each. */
const Results = z.union([Result, z.array(Result)])

const MEDIA_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

/** The handler reads it, without believing its type. */
const anyBody = (schema: z.ZodType): Input<undefined> => ({
  read: () => undefined,
  body: { schema, required: false, mediaTypes: MEDIA_TYPES },
  refuses: ['PAYLOAD_TOO_LARGE', 'OVERLOADED'],
})

const items: Input<undefined> = {
  ...anyBody(Batch),
  body: { schema: Batch, required: true },
  refuses: ['PAYLOAD_TOO_LARGE', 'OVERLOADED', 'VALIDATION_FAILED'],
}

const parameters: Input<undefined> = { read: () => undefined, query: z.object({ ...Forwarded.shape }) }

const byDevice: Part = { credentials: ['device'], refuses: ['UNAUTHORIZED'] }

const presentTaken = (taken: Taken): z.infer<typeof Result> => {
  if (taken.kind === 'unauthorized') throw unauthorized()
  return taken.kind === 'transaction'
    ? { id: taken.id, webhook_status: taken.webhook_status }
    : { ignored: true, reason: taken.reason }
}

/** Several notifications in one body; null for one. Lines of a text in a list are one notification. */
const listIn = ({ value }: Posted): readonly object[] | null =>
  Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === 'object' && item !== null)
    ? (value as object[])
    : null

/** @throws {Refused} UNAUTHORIZED where there is none */
const deviceIn = (context: ApiContext): Shown => {
  const { 'x-device-token': header, authorization } = context.headers
  // Its own header first: some apps always send an Authorization of theirs.
  const token = typeof header === 'string' ? header : /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized()
  return { kind: 'device', token }
}

const tooLarge = () =>
  new Refused('PAYLOAD_TOO_LARGE', 'A form has at most 1 MB and 100 fields, and JSON at most 50,000 values.')

export const receiveRoutes = (
  operations: Operations,
  { capture, accounts, clock }: ApiParts,
  limited: Limited,
): void => {
  const { get, head, post } = operations.of('Receiving')

  /** One result; of a list of notifications one each, in its order. */
  const take = async (arrivals: readonly Arrival[]) => {
    const results = (await capture.take(arrivals)).map(presentTaken)
    return results.length === 1 ? results[0]! : results
  }

  /** The token is checked before the body is read. @throws {Refused} UNAUTHORIZED · {StoreUnavailable} */
  const bodyOf = async (context: ApiContext, shown: Shown): Promise<Buffer> => {
    const userId = await checkToken(accounts, shown)
    return context.method === 'GET' ? NO_BODY : readBody(context, userId)
  }

  /** null for too much. */
  const postedIn = async (context: ApiContext, bytes: Buffer): Promise<Posted | null> => {
    try {
      return await readPosted(bytes, context.headers['content-type'] ?? '', queryOf(context))
    } catch (error) {
      if (error instanceof TooMuchPosted) return null
      throw error
    }
  }

  /** What is not read is kept by its beginning. */
  const ignored = (bytes: Buffer, contentType: string | undefined, at: At): Arrival => {
    const value = textOf(bytes.subarray(0, BEGINNING), contentType)
    return { ...arrivalOf({ value, json: null }, at), ignored_as: 'too_long' }
  }

  const readAll = async (
    context: ApiContext,
    at: Omit<At, 'arrived_at' | 'credential'> & { credential: Shown },
  ): Promise<Arrival[]> => {
    const bytes = await bodyOf(context, at.credential)
    const posted = await postedIn(context, bytes)
    const came = { arrived_at: clock.now(), ...at }
    if (posted === null) {
      if (at.credential.kind !== 'receive_url') throw tooLarge()
      return [ignored(bytes, context.headers['content-type'], came)]
    }
    const list = listIn(posted)
    if (list === null) return [arrivalOf(posted, came)]
    // Refused it would be sent again for ever.
    if (list.length > BATCH_LIMIT) return [{ ...arrivalOf(posted, came), ignored_as: 'too_long' }]
    return list.map((value) => arrivalOf({ value, json: null }, came))
  }

  const personal = async (context: ApiContext) => {
    const { token = '' } = context.params
    const arrivals = await readAll(context, { credential: { kind: 'receive_url', token }, posted_as: null })
    const isWhole = isReadable(rawQueryOf(context))
    return take(isWhole ? arrivals : arrivals.map((arrival) => ({ ...arrival, ignored_as: 'too_long' as const })))
  }

  /** Somebody looks whether there is something at the address; nothing was said. */
  const look = () => ({})

  const device = (posted_as: 'sms' | 'notification') => async (context: ApiContext) => {
    return take(await readAll(context, { credential: deviceIn(context), posted_as }))
  }

  const batch = async (context: ApiContext) => {
    const credential = deviceIn(context)
    const posted = await postedIn(context, await bodyOf(context, credential))
    if (!posted) throw tooLarge()
    const { value } = posted
    const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : null
    if (!Array.isArray(items)) throw invalid({ path: 'items', message: 'A list of items is expected.' })
    if (items.length > BATCH_LIMIT)
      throw invalid({ path: 'items', message: `A batch has at most ${BATCH_LIMIT} items.` })
    const at = { credential, arrived_at: clock.now() }
    const taken = await capture.take(items.map((item: unknown) => itemArrival(item, at)))
    return taken.map(presentTaken)
  }

  const limit = limited('receive')
  const byUrl = refuses('UNAUTHORIZED')
  head('/api/receive/u/:token', 'Look whether it is there', limit, data(z.strictObject({})), look)
  get('/api/receive/u/:token', 'Tell of a notification by GET', limit, byUrl, parameters, data(Results), personal)
  post('/api/receive/u/:token', 'Tell of a notification', limit, byUrl, anyBody(Forwarded), data(Results), personal)
  post('/api/receive/sms', 'Tell of an SMS', limit, byDevice, anyBody(Sms), data(Results), device('sms'))
  post(
    '/api/receive/notification',
    'Tell of a push',
    limit,
    byDevice,
    anyBody(Push),
    data(Results),
    device('notification'),
  )
  post('/api/receive/batch', 'Tell of several', limit, byDevice, items, data(z.array(Result)), batch)
}
