/**
 * Where notifications come in. The way is short on purpose: the body is read and parsed once, and everything that is to be
 * judged, the credential too, is judged by capture on the account it reads anyway.
 *
 * What has a good token is never answered with a 4xx that depends on the notification: forwarder apps send such a one again
 * for ever.
 */
import { z } from 'zod'
import type { Arrival, Taken } from '../../../domain/notification/arrival.ts'
import { webhookStatus } from '../../../domain/transaction/events.ts'
import { isToken, userOfToken } from '../../../domain/account/tokens.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { data } from '../openapi/answers.ts'
import type { Input, Part } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import { READ_QUERY_LIMIT, rawQueryOf } from '../query-length.ts'
import type { Limited } from '../rate-limits.ts'
import { readBody } from '../raw-body.ts'
import { arrivalOf, itemArrival, itemOf, type At } from '../receive/arrival.ts'
import { readPosted, type Posted } from '../receive/posted.ts'

const BATCH_LIMIT = 200

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
  refuses: ['PAYLOAD_TOO_LARGE'],
})

const items: Input<undefined> = {
  ...anyBody(Batch),
  body: { schema: Batch, required: true },
  refuses: ['PAYLOAD_TOO_LARGE', 'VALIDATION_FAILED'],
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

/** @throws {Refused} UNAUTHORIZED for what is not even of a device token's form */
const deviceToken = (context: ApiContext): string => {
  const { 'x-device-token': header, authorization } = context.headers
  // Its own header first: some apps always send an Authorization of theirs.
  const token = typeof header === 'string' ? header : /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined || userOfToken('device', token) === null) throw unauthorized()
  return token
}

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

  const readAll = async (context: ApiContext, at: Omit<At, 'arrived_at'>): Promise<Arrival[]> => {
    const bytes = context.method === 'GET' ? Buffer.alloc(0) : await readBody(context.req)
    const query = context.querystring === '' ? {} : context.query
    const posted = await readPosted(bytes, context.headers['content-type'] ?? '', query)
    const came = { arrived_at: clock.now(), ...at }
    const list = listIn(posted)
    if (list === null) return [arrivalOf(posted, came)]
    // Refused it would be sent again for ever.
    if (list.length > BATCH_LIMIT) return [{ ...arrivalOf(posted, came), ignored_as: 'too_long' }]
    return list.map((value) => arrivalOf(itemOf(posted, value), came))
  }

  const personal = async (context: ApiContext) => {
    const token = context.params.token ?? ''
    if (userOfToken('receive_url', token) === null) throw unauthorized()
    const arrivals = await readAll(context, { credential: { kind: 'receive_url', token }, posted_as: null })
    const tooLong = rawQueryOf(context).length > READ_QUERY_LIMIT
    return take(tooLong ? arrivals.map((arrival) => ({ ...arrival, ignored_as: 'too_long' as const })) : arrivals)
  }

  /** Somebody looks whether there is something at the address; nothing was said. */
  const look = () => ({})

  const device = (posted_as: 'sms' | 'notification') => async (context: ApiContext) => {
    const credential = { kind: 'device', token: deviceToken(context) } as const
    return take(await readAll(context, { credential, posted_as }))
  }

  /** For what capture does not get to see. @throws {Refused} UNAUTHORIZED */
  const checkDevice = async (token: string): Promise<void> => {
    const account = await accounts.find(userOfToken('device', token)!)
    const known = [...(account?.devices.values() ?? [])].some(({ token_hash }) => isToken(token, token_hash))
    if (!known) throw unauthorized()
  }

  /** What is wrong with a batch is told only to who may post one. */
  const refuseBatch = async (token: string, refusal: Refused): Promise<never> => {
    await checkDevice(token)
    throw refusal
  }

  const batch = async (context: ApiContext) => {
    const token = deviceToken(context)
    const posted = await readPosted(await readBody(context.req), context.headers['content-type'] ?? '', {})
    const { value } = posted
    const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : null
    if (!Array.isArray(items))
      return refuseBatch(token, invalid({ path: 'items', message: 'A list of items is expected.' }))
    if (items.length > BATCH_LIMIT)
      return refuseBatch(token, invalid({ path: 'items', message: `A batch has at most ${BATCH_LIMIT} items.` }))
    if (items.length === 0) await checkDevice(token)
    const at = { credential: { kind: 'device', token } as const, arrived_at: clock.now() }
    const taken = await capture.take(items.map((item: unknown) => itemArrival(posted, item, at)))
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
