/**
 * Where notifications come in. The way is short on purpose: the body is read and parsed once, and everything that is to be
 * judged, the credential too, is judged by capture on the account it reads anyway.
 *
 * What has a good token is never answered with a 4xx that depends on the notification: forwarder apps send such a one again
 * for ever.
 */
import type Router from '@koa/router'
import type { Arrival, Taken } from '../../../domain/notification/arrival.ts'
import { isToken, userOfToken } from '../../../domain/account/tokens.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import { answer, type ApiContext, type ApiMiddleware, type ApiState } from '../context.ts'
import { unauthorized } from '../errors.ts'
import type { ApiParts } from '../parts.ts'
import { READ_QUERY_LIMIT, rawQueryOf } from '../query-length.ts'
import type { rateLimits } from '../rate-limits.ts'
import { readBody } from '../raw-body.ts'
import { arrivalOf, itemArrival, type At } from '../receive/arrival.ts'
import { readPosted } from '../receive/posted.ts'

const BATCH_LIMIT = 200

const presentTaken = (taken: Taken) => {
  if (taken.kind === 'unauthorized') throw unauthorized()
  return taken.kind === 'transaction'
    ? { id: taken.id, webhook_status: taken.webhook_status }
    : { ignored: true, reason: taken.reason }
}

/** @throws {Refused} UNAUTHORIZED for what is not even of a device token's form */
const deviceToken = (context: ApiContext): string => {
  const { 'x-device-token': header, authorization } = context.headers
  // Its own header first: some apps always send an Authorization of theirs.
  const token = typeof header === 'string' ? header : /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined || userOfToken('device', token) === null) throw unauthorized()
  return token
}

export const receiveRoutes = (
  router: Router<ApiState>,
  { capture, accounts, clock }: ApiParts,
  limited: ReturnType<typeof rateLimits>,
): void => {
  const takeOne = async (context: ApiContext, arrival: Arrival): Promise<void> => {
    const [taken] = await capture.take([arrival])
    answer(context, presentTaken(taken!))
  }

  const readOne = async (context: ApiContext, at: Omit<At, 'arrived_at'>): Promise<Arrival> => {
    const bytes = context.method === 'GET' ? Buffer.alloc(0) : await readBody(context.req)
    const query = context.querystring === '' ? {} : context.query
    const posted = await readPosted(bytes, context.headers['content-type'] ?? '', query)
    return arrivalOf(posted, { ...at, arrived_at: clock.now() })
  }

  const personal: ApiMiddleware = async (context) => {
    const token = context.params.token ?? ''
    if (userOfToken('receive_url', token) === null) throw unauthorized()
    const arrival = await readOne(context, { credential: { kind: 'receive_url', token }, posted_as: null })
    const tooLong = rawQueryOf(context).length > READ_QUERY_LIMIT
    await takeOne(context, tooLong ? { ...arrival, ignored_as: 'too_long' } : arrival)
  }

  /** Somebody looks whether there is something at the address; nothing was said. */
  const look: ApiMiddleware = (context) => answer(context, {})

  const device =
    (posted_as: 'sms' | 'notification'): ApiMiddleware =>
    async (context) => {
      const credential = { kind: 'device', token: deviceToken(context) } as const
      await takeOne(context, await readOne(context, { credential, posted_as }))
    }

  /** What is wrong with a batch is told only to who may post one. */
  const refuseBatch = async (token: string, refusal: Refused): Promise<never> => {
    const account = await accounts.find(userOfToken('device', token)!)
    const known = [...(account?.devices.values() ?? [])].some(({ token_hash }) => isToken(token, token_hash))
    throw known ? refusal : unauthorized()
  }

  const batch: ApiMiddleware = async (context) => {
    const token = deviceToken(context)
    const { value } = await readPosted(await readBody(context.req), context.headers['content-type'] ?? '', {})
    const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : null
    if (!Array.isArray(items))
      return refuseBatch(token, invalid({ path: 'items', message: 'A list of items is expected.' }))
    if (items.length > BATCH_LIMIT)
      return refuseBatch(token, invalid({ path: 'items', message: `A batch has at most ${BATCH_LIMIT} items.` }))
    const at = { credential: { kind: 'device', token } as const, arrived_at: clock.now() }
    const taken = await capture.take(items.map((item: unknown) => itemArrival(item, at)))
    answer(context, taken.map(presentTaken))
  }

  router.head('/api/receive/u/:token', limited('receive'), look)
  router.get('/api/receive/u/:token', limited('receive'), personal)
  router.post('/api/receive/u/:token', limited('receive'), personal)
  router.post('/api/receive/sms', limited('receive'), device('sms'))
  router.post('/api/receive/notification', limited('receive'), device('notification'))
  router.post('/api/receive/batch', limited('receive'), batch)
}
