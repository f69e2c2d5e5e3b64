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
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import type { ApiKeyUses } from '../../postgres/ops/api-key-uses.ts'
import { awakeNow } from '../../system/awake.ts'
import { correlationIn, type ApiContext } from '../context.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { batchBudget } from '../receive/batch-budget.ts'
import type { ApiParts } from '../parts.ts'
import { isReadable } from '../middleware/query-length.ts'
import { rawQueryOf } from '../middleware/query-string.ts'
import type { ReceiveLimit } from '../middleware/receive-limit.ts'
import { readBody } from '../middleware/raw-body.ts'
import { sessionOf } from '../middleware/session-cookie.ts'
import { arrivalOf, itemArrival, itemOf, type At } from '../receive/arrival.ts'
import { listIn, postedIn, tooLong, type TooLarge } from '../receive/sent-body.ts'
import type { Posted } from '../receive/posted-body.ts'
import { checkShown, refusedToken, shownByPoster, shownInPath } from '../receive/credential.ts'
import { anyBody, BATCH_LIMIT, Forwarded, items, parameters, Push, Result, Results, Sms } from './receive-formats.ts'

const NO_BODY = Buffer.alloc(0)

const tooLarge = () =>
  new Refused('PAYLOAD_TOO_LARGE', 'A form must not exceed 1 MB and 100 fields. JSON must not exceed 50,000 values.')

const byPoster: Guard = { credentials: ['device', 'receive_key'], refuses: ['UNAUTHORIZED', 'SCOPE_MISSING'] }

interface ReceiveParts extends ApiParts {
  keyUses: Pick<ApiKeyUses, 'note'>
}

const presentTaken = (taken: Taken, shown: ShownToken): z.infer<typeof Result> => {
  if (taken.kind === 'unauthorized') throw refusedToken(shown.kind)
  return taken.kind === 'transaction'
    ? { id: taken.id, webhook_status: taken.webhook_status }
    : { ignored: true, reason: taken.reason }
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

/** Checks the token of a call. Its body is read only after that. */
const admission = (parts: ReceiveParts, limits: ReceiveLimit) => {
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

  const bodyOf = async (context: ApiContext, shown: ShownToken): Promise<Buffer> => {
    const userId = await userOf(context, shown)
    return context.method === 'GET' ? NO_BODY : readBody(context, userId)
  }

  return { userOf, bodyOf }
}

/** Reads what was sent: one notification, a list of them, or a batch. */
const reading = (
  { clock, counters, settings }: ReceiveParts,
  bodyOf: (context: ApiContext, shown: ShownToken) => Promise<Buffer>,
) => {
  const { spendBatch, spendSingle } = batchBudget(settings.rateLimits === 'off' ? null : counters.hot)

  /** One arrival, or those of a list. @throws {Refused} PAYLOAD_TOO_LARGE */
  const arrivalsOf = (context: ApiContext, posted: Posted | TooLarge, arrived: At): Arrival[] => {
    if ('tooLarge' in posted) {
      if (arrived.credential.kind !== 'receive_url' && posted.tooLarge === 'form') throw tooLarge()
      return [tooLong(posted, context.headers['content-type'], arrived)]
    }
    const list = listIn(posted)
    if (list === null) return [arrivalOf(posted, arrived)]
    // If it were refused, the app would resend it forever.
    if (list.length > BATCH_LIMIT) return [{ ...arrivalOf(posted, arrived), ignored_as: 'too_long' }]
    return list.map((value) => arrivalOf(itemOf(posted, value), arrived))
  }

  const readAll = async (
    context: ApiContext,
    { credential, posted_as }: Pick<At, 'posted_as'> & { credential: ShownToken },
  ): Promise<Arrival[]> => {
    const posted = await postedIn(context, await bodyOf(context, credential))
    const arrived: At = { credential, posted_as, arrived_at: clock.now(), correlation_id: correlationIn(context) }
    const arrivals = arrivalsOf(context, posted, arrived)
    // A list counts as a batch on every path.
    const spent =
      arrivals.length > 1 ? spendBatch(context, credential, arrivals) : spendSingle(context, credential, arrivals[0]!)
    if (spent) await spent
    return arrivals
  }

  const readBatch = async (context: ApiContext, credential: ShownToken): Promise<Arrival[]> => {
    const posted = await postedIn(context, await bodyOf(context, credential))
    if ('tooLarge' in posted) throw tooLarge()
    const { value } = posted
    const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : null
    if (!Array.isArray(items)) throw invalid({ path: 'items', message: '`items` must be a list.' })
    if (items.length > BATCH_LIMIT)
      throw invalid({ path: 'items', message: `A batch must not have more than ${BATCH_LIMIT} items.` })
    const at = { credential, arrived_at: clock.now(), correlation_id: correlationIn(context) }
    const arrivals = items.map((item: unknown) => itemArrival(posted, item, at))
    await spendBatch(context, credential, arrivals)
    return arrivals
  }

  return { readAll, readBatch }
}

/** Gives notifications to capture, and presents what it answers. */
const taking = ({ capture }: ReceiveParts, limits: ReceiveLimit) => {
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

  return { take, takeAll }
}

export const receiveRoutes = (operations: Operations, parts: ReceiveParts, limits: ReceiveLimit): void => {
  const { get, head, post } = operations.of('Receiving')
  const { userOf, bodyOf } = admission(parts, limits)
  const { readAll, readBatch } = reading(parts, bodyOf)
  const { take, takeAll } = taking(parts, limits)

  /** A HEAD request only checks the address. It sends no notification. */
  const look = async (context: ApiContext) => {
    await userOf(context, ownerIn(context))
    limits.judged(context, true)
    return {}
  }

  const personal = async (context: ApiContext) => {
    const credential = ownerIn(context)
    const arrivals = await readAll(context, { credential, posted_as: null })
    if (sessionOf(context, parts.settings)) for (const arrival of arrivals) arrival.is_trial = true
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
    return takeAll(context, credential, await readBatch(context, credential))
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
