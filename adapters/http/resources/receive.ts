// Tests: tests/integration/http/receive.test.ts
/**
 * The receive path: endpoints to which phones and scripts send notifications. The body is read and parsed once. The token is checked before
 * the body is read, so a stranger's body is not read. Capture checks everything, including the credential again, against the account that
 * it reads anyway.
 *
 * On the personal URL a request with a good token never gets a 4xx that depends on the notification, because forwarder apps would resend it
 * forever.
 */
import { z } from 'zod'
import type { Arrival, ShownToken, Taken } from '../../../domain/arrival/arrival.ts'
import { webhookStatus } from '../../../domain/transaction/events.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import type { ApiKeyUses } from '../../postgres/ops/api-key-uses.ts'
import { awakeNow } from '../../system/awake.ts'
import { correlationIn, type ApiContext } from '../context.ts'
import { overloaded } from '../middleware/errors.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Input } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { batchBudget } from '../receive/batch-budget.ts'
import type { ApiParts } from '../parts.ts'
import { isReadable } from '../middleware/query-length.ts'
import { parseQuery, queryOf, rawQueryOf, type Query } from '../middleware/query-string.ts'
import type { ReceiveLimit } from '../middleware/receive-limit.ts'
import { BODY_LIMIT, readBody } from '../middleware/raw-body.ts'
import { sessionOf } from '../middleware/session-cookie.ts'
import { arrivalOf, itemArrival, itemOf, type At } from '../receive/arrival.ts'
import { checkShown, refusedToken, shownByPoster, shownInPath } from '../receive/credential.ts'
import { textOf } from '../receive/body-text.ts'
import { decompressed, decompressorOf, type OpenDecompressor } from '../receive/decompressed.ts'
import { mendedForm } from '../receive/form-text.ts'
import { damagedBody, readPosted, TooMuchPosted, type Posted } from '../receive/posted-body.ts'
import { id } from '../../../domain/fields.ts'

const BATCH_LIMIT = 200
/** Bytes that are kept of a body that is too large to be parsed. */
const BEGINNING = 64 * 1024
const NO_BODY = Buffer.alloc(0)

const tooLarge = () =>
  new Refused('PAYLOAD_TOO_LARGE', 'A form must not exceed 1 MB and 100 fields. JSON must not exceed 50,000 values.')

// Recommended formats for apps. None of the fields is required, and other names and fields are accepted too.

const moment = z
  .union([z.string(), z.number()])
  .meta({ description: 'ISO 8601, or Unix time in seconds or milliseconds.' })
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
    z.strictObject({ id, webhook_status: webhookStatus }),
    z.strictObject({ ignored: z.literal(true), reason: z.string() }),
  ])
  .meta({ id: 'Received' })

/** One result, or a list of results if a list of notifications was sent. */
const Results = z.union([Result, z.array(Result)])

const MEDIA_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

/** The handler reads the body itself, because the content type may be wrong. */
const anyBody = (schema: z.ZodType): Input<undefined> => ({
  read: () => undefined,
  body: { schema, required: false, mediaTypes: MEDIA_TYPES },
  refuses: ['PAYLOAD_TOO_LARGE', 'VALIDATION_FAILED', 'OVERLOADED'],
})

const items: Input<undefined> = {
  ...anyBody(Batch),
  body: { schema: Batch, required: true },
  refuses: ['PAYLOAD_TOO_LARGE', 'VALIDATION_FAILED', 'OVERLOADED'],
}

const parameters: Input<undefined> = { read: () => undefined, query: z.object({ ...Forwarded.shape }) }

const byPoster: Guard = { credentials: ['device', 'receive_key'], refuses: ['UNAUTHORIZED', 'SCOPE_MISSING'] }

const presentTaken = (taken: Taken, shown: ShownToken): z.infer<typeof Result> => {
  if (taken.kind === 'unauthorized') throw refusedToken(shown.kind)
  return taken.kind === 'transaction'
    ? { id: taken.id, webhook_status: taken.webhook_status }
    : { ignored: true, reason: taken.reason }
}

/** The notifications of a body that has several; null if it has one. A list of text lines is one notification. */
const listIn = ({ value }: Posted): readonly object[] | null =>
  Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === 'object' && item !== null)
    ? (value as object[])
    : null

/** The parameters of a query. Apps do not encode every character of a text. */
const parametersOf = (context: ApiContext): Query => {
  const raw = rawQueryOf(context)
  const mended = isReadable(raw) ? mendedForm(raw) : raw
  return mended === raw ? queryOf(context) : parseQuery(mended)
}

/** A body that is too large to be parsed. Only its beginning is kept. */
interface TooLarge {
  tooLarge: 'form' | 'json'
  bytes: Buffer
}

const readable = (context: ApiContext, bytes: Buffer): Posted | TooLarge => {
  try {
    return readPosted(bytes, context.headers['content-type'] ?? '', parametersOf(context))
  } catch (error) {
    if (error instanceof TooMuchPosted) return { tooLarge: error.of, bytes }
    throw error
  }
}

/** @throws {Refused} OVERLOADED */
const compressed = async (context: ApiContext, sent: Buffer, open: OpenDecompressor): Promise<Posted | TooLarge> => {
  const { held } = context.state
  const result = await decompressed(sent, open, BODY_LIMIT, (bytes) => held.take(bytes))
  if (result === 'overloaded') throw overloaded()
  const { bytes, state } = result
  if (state === 'too_large') return { tooLarge: 'json', bytes }
  if (state === 'whole') return readable(context, bytes)
  const begun = textOf(bytes.subarray(0, BEGINNING), context.headers['content-type'])
  return damagedBody(sent, begun, parametersOf(context))
}

/** @throws {Refused} OVERLOADED */
const postedIn = async (context: ApiContext, bytes: Buffer): Promise<Posted | TooLarge> => {
  const open = decompressorOf(bytes, context.headers['content-encoding'] ?? '')
  return open ? compressed(context, bytes, open) : readable(context, bytes)
}

const tooLong = ({ bytes }: TooLarge, contentType: string | undefined, at: At): Arrival => {
  const value = textOf(bytes.subarray(0, BEGINNING), contentType)
  return { ...arrivalOf({ value, json: null }, at), ignored_as: 'too_long' }
}

/** @throws {Refused} UNAUTHORIZED */
const posterIn = (context: ApiContext): ShownToken => {
  const shown = shownByPoster(context)
  if (!shown) throw refusedToken('device')
  return shown
}
/** @throws {Refused} UNAUTHORIZED */
const ownerIn = (context: ApiContext): ShownToken => {
  const shown = shownInPath(context)
  if (!shown) throw refusedToken('receive_url')
  return shown
}

export const receiveRoutes = (
  operations: Operations,
  parts: ApiParts & { keyUses: Pick<ApiKeyUses, 'note'> },
  limits: ReceiveLimit,
): void => {
  const { capture, clock, counters, settings } = parts
  const { get, head, post } = operations.of('Receiving')
  const spendItems = batchBudget(settings.rateLimits === 'off' ? null : counters.hot)

  const takeAll = async (context: ApiContext, shown: ShownToken, arrivals: readonly Arrival[]) => {
    const taken = await capture.take(arrivals, context.state.waited_ms)
    limits.judged(
      context,
      taken.every(({ kind }) => kind !== 'unauthorized'),
    )
    return taken.map((each) => presentTaken(each, shown))
  }

  /** One result, or for a list of notifications one result each, in the same order. */
  const take = async (context: ApiContext, shown: ShownToken, arrivals: readonly Arrival[]) => {
    const results = await takeAll(context, shown, arrivals)
    return results.length === 1 ? results[0]! : results
  }

  /** @returns the user whose token it is. @throws {Refused} UNAUTHORIZED, SCOPE_MISSING · {StoreUnavailable} */
  const userOf = async (context: ApiContext, shown: ShownToken): Promise<number> => {
    const began = awakeNow()
    const userId = await checkShown(parts, shown).catch((error: unknown) => {
      if (error instanceof Refused) limits.judged(context, false)
      throw error
    })
    context.state.waited_ms = awakeNow() - began
    return userId
  }

  /** The token is checked before the body is read. */
  const bodyOf = async (context: ApiContext, shown: ShownToken): Promise<Buffer> => {
    const userId = await userOf(context, shown)
    return context.method === 'GET' ? NO_BODY : readBody(context, userId)
  }

  /** A HEAD request only checks the address. It sends no notification. */
  const look = async (context: ApiContext) => {
    await userOf(context, ownerIn(context))
    limits.judged(context, true)
    return {}
  }

  const readAll = async (
    context: ApiContext,
    { credential, posted_as }: Pick<At, 'posted_as'> & { credential: ShownToken },
  ): Promise<Arrival[]> => {
    const posted = await postedIn(context, await bodyOf(context, credential))
    const arrived: At = { credential, posted_as, arrived_at: clock.now(), correlation_id: correlationIn(context) }
    if ('tooLarge' in posted) {
      if (credential.kind !== 'receive_url' && posted.tooLarge === 'form') throw tooLarge()
      return [tooLong(posted, context.headers['content-type'], arrived)]
    }
    const list = listIn(posted)
    if (list === null) return [arrivalOf(posted, arrived)]
    // If it were refused, the app would resend it forever.
    if (list.length > BATCH_LIMIT) return [{ ...arrivalOf(posted, arrived), ignored_as: 'too_long' }]
    // A list counts as a batch on every path.
    await spendItems(context, credential, list.length)
    return list.map((value) => arrivalOf(itemOf(posted, value), arrived))
  }

  const personal = async (context: ApiContext) => {
    const credential = ownerIn(context)
    const arrivals = await readAll(context, { credential, posted_as: null })
    if (sessionOf(context, settings)) for (const arrival of arrivals) arrival.is_trial = true
    const isWhole = isReadable(rawQueryOf(context))
    return take(
      context,
      credential,
      isWhole ? arrivals : arrivals.map((arrival) => ({ ...arrival, ignored_as: 'too_long' as const })),
    )
  }

  const device = (posted_as: 'sms' | 'notification') => async (context: ApiContext) => {
    const credential = posterIn(context)
    return take(context, credential, await readAll(context, { credential, posted_as }))
  }

  const batch = async (context: ApiContext) => {
    const credential = posterIn(context)
    const posted = await postedIn(context, await bodyOf(context, credential))
    if ('tooLarge' in posted) throw tooLarge()
    const { value } = posted
    const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : null
    if (!Array.isArray(items)) throw invalid({ path: 'items', message: '`items` must be a list.' })
    if (items.length > BATCH_LIMIT)
      throw invalid({ path: 'items', message: `A batch must not have more than ${BATCH_LIMIT} items.` })
    await spendItems(context, credential, items.length)
    const at = { credential, arrived_at: clock.now(), correlation_id: correlationIn(context) }
    return takeAll(
      context,
      credential,
      items.map((item: unknown) => itemArrival(posted, item, at)),
    )
  }

  const limit = limits.by(shownInPath)
  const posterLimit = limits.by(shownByPoster)
  const byUrl = refuses('UNAUTHORIZED')
  head('/api/receive/u/:token', 'Check that the URL exists', limit, byUrl, data(z.strictObject({})), look)
  get('/api/receive/u/:token', 'Submit a notification with GET', limit, byUrl, parameters, data(Results), personal)
  post('/api/receive/u/:token', 'Submit a notification', limit, byUrl, anyBody(Forwarded), data(Results), personal)
  post('/api/receive/sms', 'Submit an SMS', posterLimit, byPoster, anyBody(Sms), data(Results), device('sms'))
  post(
    '/api/receive/notification',
    'Submit a push notification',
    posterLimit,
    byPoster,
    anyBody(Push),
    data(Results),
    device('notification'),
  )
  post(
    '/api/receive/batch',
    'Submit a batch of notifications',
    posterLimit,
    byPoster,
    items,
    data(z.array(Result)),
    batch,
  )
}
