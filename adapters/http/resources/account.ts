// Tests: tests/integration/http/accounts.test.ts
/** The caller's own account, its API key and its personal URL. */
import { z } from 'zod'
import { trustSmsAppTitles } from '../../../domain/account/sms-app-titles.ts'
import { rotateKey, rotateReceiveUrl } from '../../../workflows/accounts/access.ts'
import { transactionsInMonth } from '../../../projections/account/queries.ts'
import { URL_DOOR } from '../../../domain/arrival/origin.ts'
import { lastSeenOf } from '../../../projections/account/last-seen-queries.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import { refuses, scopes, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { Account, presentAccount, presentReceiveUrl, ReceiveUrl, TRUST_SMS_APP_TITLES } from './presenters/account.ts'
import { readOnly, withoutReadOnly } from './requests.ts'
import { vietnamMonth } from '../../../domain/time.ts'
import { Refused } from '../../../domain/errors.ts'

const NewApiKey = z.strictObject({ api_key: z.string().meta({ description: 'Shown only once.' }) })

const URL_READ_ONLY = ['url', 'last_heard_at', 'silent_since']
const UrlChange = z
  .strictObject({
    ...readOnly(...URL_READ_ONLY),
    trust_sms_app_titles: z.boolean().optional().meta(TRUST_SMS_APP_TITLES),
  })
  .transform((given) => withoutReadOnly(given, URL_READ_ONLY))

const noReceiveUrl = () => new Refused('NOT_FOUND', 'This account has no personal URL. Rotate it to create one.')

export const accountRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { clock, database, vault, settings } = parts
  const { get, post, put } = operations.of('Account')

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

  /** When the personal URL was last used. A new token does not reset it. */
  const urlLastSeen = async ({ state }: ApiContext) =>
    (await lastSeenOf(database, state.account.user_id, clock.now()))(URL_DOOR)

  const showReceiveUrl = async (context: ApiContext) => {
    const { receive_url } = context.state.account
    if (!receive_url) throw noReceiveUrl()
    return presentReceiveUrl(
      settings.baseUrl,
      vault.open(receive_url.sealed_token),
      context.state.account,
      await urlLastSeen(context),
    )
  }

  const newReceiveUrl = async (context: ApiContext) => {
    const rotated = await rotateReceiveUrl(parts, occasionOf(context, clock))
    await settled(parts, rotated)
    return presentReceiveUrl(settings.baseUrl, rotated.token, context.state.account, await urlLastSeen(context))
  }

  const changeReceiveUrl = async (
    context: ApiContext,
    { trust_sms_app_titles: trusted }: z.infer<typeof UrlChange>,
  ) => {
    const occasion = occasionOf(context, clock)
    const changed = await parts.accounts.change(occasion, (account) => {
      if (!account.receive_url) throw noReceiveUrl()
      return trustSmsAppTitles(account, { device_id: null, trusted, at: occasion.at })
    })
    await settled(parts, changed)
    const { account } = changed
    return presentReceiveUrl(
      settings.baseUrl,
      vault.open(account.receive_url!.sealed_token),
      account,
      await urlLastSeen(context),
    )
  }

  get('/api/account', 'Get the account', signedIn, scopes('read', 'connect'), data(Account), showAccount)
  post('/api/account/api-key/rotate', 'Rotate the API key', signedIn, scopes(), noBody, data(NewApiKey), rotateApiKey)
  get('/api/receive-url', 'Get the personal URL', signedIn, refuses('NOT_FOUND'), data(ReceiveUrl), showReceiveUrl)
  put(
    '/api/receive-url',
    'Update the settings of the personal URL',
    signedIn,
    body(UrlChange),
    refuses('NOT_FOUND'),
    data(ReceiveUrl),
    changeReceiveUrl,
  )
  post(
    '/api/receive-url/rotate',
    'Rotate the personal URL',
    signedIn,
    scopes(),
    noBody,
    data(ReceiveUrl),
    newReceiveUrl,
  )
}
