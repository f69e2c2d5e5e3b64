/** The caller's own account: what it is, its API key, its personal URL. */
import type Router from '@koa/router'
import { rotateKey, rotateReceiveUrl } from '../../../workflows/accounts/access.ts'
import { transactionsSince } from '../../postgres/queries/accounts.ts'
import { answer, occasionOf, type ApiMiddleware, type ApiState, type Handler } from '../context.ts'
import { noBody } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import { presentAccount, presentReceiveUrl } from '../presenters/account.ts'
import { monthStart } from '../../../domain/account/quota-month.ts'
import { Refused } from '../../../domain/errors.ts'

export const accountRoutes = (router: Router<ApiState>, parts: ApiParts, signedIn: ApiMiddleware): void => {
  const { clock, database, vault, settings } = parts

  const showAccount: ApiMiddleware = async (context) => {
    const { account } = context.state
    const now = clock.now()
    const used = await transactionsSince(database, account.user_id, monthStart(now))
    answer(context, presentAccount(account, used, now))
  }

  const rotateApiKey: Handler<undefined> = async (context) => {
    const rotated = await rotateKey(parts, occasionOf(context, clock))
    await settled(parts, rotated)
    answer(context, { api_key: rotated.token })
  }

  const showReceiveUrl: ApiMiddleware = (context) => {
    const { receive_url } = context.state.account
    if (!receive_url) throw new Refused('NOT_FOUND', 'This account has no personal URL yet: rotate it to get one.')
    answer(context, presentReceiveUrl(settings.baseUrl, vault.open(receive_url.sealed_token)))
  }

  const newReceiveUrl: Handler<undefined> = async (context) => {
    const rotated = await rotateReceiveUrl(parts, occasionOf(context, clock))
    await settled(parts, rotated)
    answer(context, presentReceiveUrl(settings.baseUrl, rotated.token))
  }

  router.get('/api/account', signedIn, showAccount)
  router.post('/api/account/api-key/rotate', signedIn, noBody(rotateApiKey))
  router.get('/api/receive-url', signedIn, showReceiveUrl)
  router.post('/api/receive-url/rotate', signedIn, noBody(newReceiveUrl))
}
