/** The caller's own account: what it is, its API key, its personal URL. */
import { z } from 'zod'
import { rotateKey, rotateReceiveUrl } from '../../../workflows/accounts/access.ts'
import { transactionsInMonth } from '../../postgres/queries/accounts.ts'
import { URL_DOOR } from '../../../domain/notification/origin.ts'
import { heardOf } from '../../postgres/queries/heard.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { noBody } from '../input.ts'
import { data } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import { refuses, scopes, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { Account, presentAccount, presentReceiveUrl, ReceiveUrl } from '../presenters/account.ts'
import { vietnamMonth } from '../../../domain/time.ts'
import { Refused } from '../../../domain/errors.ts'

const NewApiKey = z.strictObject({ api_key: z.string().meta({ description: 'Shown this once.' }) })

export const accountRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { clock, database, vault, settings } = parts
  const { get, post } = operations.of('Account')

  const showAccount = async (context: ApiContext) => {
    const { account } = context.state
    const now = clock.now()
    const used = await transactionsInMonth(database, account.user_id, vietnamMonth(now))
    return presentAccount(account, used, now)
  }

  const rotateApiKey = async (context: ApiContext) => {
    const rotated = await rotateKey(parts, occasionOf(context, clock))
    await settled(parts, rotated)
    return { api_key: rotated.token }
  }

  /** Whatever its token: it is the same way in. */
  const urlHeard = async ({ state }: ApiContext) =>
    (await heardOf(database, state.account.user_id, clock.now()))(URL_DOOR)

  const showReceiveUrl = async (context: ApiContext) => {
    const { receive_url } = context.state.account
    if (!receive_url) throw new Refused('NOT_FOUND', 'This account has no personal URL yet: rotate it to get one.')
    return presentReceiveUrl(settings.baseUrl, vault.open(receive_url.sealed_token), await urlHeard(context))
  }

  const newReceiveUrl = async (context: ApiContext) => {
    const rotated = await rotateReceiveUrl(parts, occasionOf(context, clock))
    await settled(parts, rotated)
    return presentReceiveUrl(settings.baseUrl, rotated.token, await urlHeard(context))
  }

  get('/api/account', 'Show the account', signedIn, scopes('read', 'connect'), data(Account), showAccount)
  post('/api/account/api-key/rotate', 'Make a new API key', signedIn, scopes(), noBody, data(NewApiKey), rotateApiKey)
  get('/api/receive-url', 'Show the personal URL', signedIn, refuses('NOT_FOUND'), data(ReceiveUrl), showReceiveUrl)
  post(
    '/api/receive-url/rotate',
    'Make a new personal URL',
    signedIn,
    scopes(),
    noBody,
    data(ReceiveUrl),
    newReceiveUrl,
  )
}
