// Tests: tests/integration/http/accounts.test.ts
/** The caller's own account, its API key and its personal URL. */
import { z } from 'zod'
import { trustSmsAppTitles, trustsSmsAppTitles } from '../../../domain/account/sms-app-titles.ts'
import { giveReceiveUrl, rotateKey, rotateReceiveUrl } from '../../../workflows/accounts/access.ts'
import { transactionsInMonth } from '../../../projections/account/queries.ts'
import { URL_PATH } from '../../../domain/arrival/receive-paths.ts'
import { type LastSeen, lastSeenOf } from '../../../projections/account/last-seen-queries.ts'
import { type ApiContext, occasionOf } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations, refuses, scopes } from '../openapi/operations.ts'
import { type ApiParts, settled, changeOwnAccount } from '../parts.ts'
import { readOnly, withoutReadOnly } from './request-fields.ts'
import { vietnamMonth } from '../../../domain/time.ts'
import { Refused, unlessNotOpened } from '../../../domain/errors.ts'
import type { Account as AccountState } from '../../../domain/account/account.ts'
import { plan } from '../../../domain/account/events.ts'
import { language } from '../../../domain/account/language.ts'
import { setLanguage } from '../../../domain/account/set-language.ts'
import { PLAN_LIMITS, planAt } from '../../../domain/account/plan.ts'
import { SEALED, secret } from '../openapi/secrets.ts'
import { LAST_SEEN_READ_ONLY, lastSeenFields } from './last-seen.ts'
import { qrSvg } from './qr-code.ts'
import { id, moment } from '../../../domain/fields.ts'

const Account = z
  .strictObject({
    id,
    email: z.string(),
    name: z.string().nullable(),
    language: language.meta({ description: 'Language of mails, alerts and pages.' }),
    email_verified: z.boolean(),
    operator: z.boolean().meta({ description: 'Whether the account may see the status of the installation.' }),
    plan,
    plan_expires_at: moment.nullable(),
    usage: z.strictObject({
      transactions: z.int().min(0).meta({ description: 'In the current month, Vietnam time.' }),
      limit: z.int().min(0).nullable().meta({ description: 'null means unlimited.' }),
    }),
  })
  .meta({ id: 'Account' })

/** @param used  transactions of this month that count towards the quota */
const presentAccount = (account: AccountState, used: number, now: Date): z.output<typeof Account> => {
  const plan = planAt(account, now)
  return {
    id: account.user_id,
    email: account.email,
    name: account.name,
    language: account.language,
    email_verified: account.verified,
    operator: account.operator,
    plan,
    plan_expires_at: plan === account.plan ? account.plan_expires_at : null,
    usage: { transactions: used, limit: PLAN_LIMITS[plan].transactions },
  }
}

export const TRUST_SMS_APP_TITLES = {
  description:
    'Whether the title of an SMS app’s push counts as the sender. It may be a stranger’s profile name, or the name of a group.',
}

const ReceiveUrl = z
  .strictObject({
    url: secret(z.url(), SEALED),
    trust_sms_app_titles: z.boolean().meta(TRUST_SMS_APP_TITLES),
    ...lastSeenFields,
  })
  .meta({ id: 'ReceiveUrl' })

/** The personal URL. */
const presentReceiveUrl = (
  baseUrl: string,
  token: string | null,
  account: AccountState,
  lastSeen: LastSeen,
): z.output<typeof ReceiveUrl> => ({
  url: token && `${baseUrl}/api/receive/u/${token}`,
  trust_sms_app_titles: trustsSmsAppTitles(account, null),
  ...lastSeen,
})

const ReceiveUrlQr = z
  .strictObject({ qr_svg: secret(z.string(), 'The personal URL as a QR code in SVG.') })
  .meta({ id: 'ReceiveUrlQr' })

const ACCOUNT_READ_ONLY = ['id', 'email', 'name', 'email_verified', 'operator', 'plan', 'plan_expires_at', 'usage']
const AccountChange = z
  .strictObject({ ...readOnly(...ACCOUNT_READ_ONLY), language: language.optional() })
  .transform((given) => withoutReadOnly(given, ACCOUNT_READ_ONLY))

const NewApiKey = z.strictObject({ api_key: z.string().meta({ description: 'Shown only once.' }) })

const URL_READ_ONLY = ['url', ...LAST_SEEN_READ_ONLY]
const UrlChange = z
  .strictObject({
    ...readOnly(...URL_READ_ONLY),
    trust_sms_app_titles: z.boolean().optional().meta(TRUST_SMS_APP_TITLES),
  })
  .transform((given) => withoutReadOnly(given, URL_READ_ONLY))

const noReceiveUrl = () => new Refused('NOT_FOUND', 'This account has no personal URL. Rotate it to create one.')

export const accountRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, vault, settings } = parts
  const { get, post, put } = operations.of('Account', signedIn)

  const presented = async (account: AccountState) => {
    const now = clock.now()
    const { user_id } = account
    return presentAccount(account, await transactionsInMonth(database.of(user_id), user_id, vietnamMonth(now)), now)
  }

  const showAccount = (context: ApiContext) => presented(context.state.account)

  const changeAccount = async (context: ApiContext, { language }: z.infer<typeof AccountChange>) => {
    return presented(await changeOwnAccount(parts, context, (account) => setLanguage(account, language)))
  }

  const rotateApiKey = async (context: ApiContext) => {
    const rotated = await settled(parts, rotateKey(parts, occasionOf(context, clock)))
    return { api_key: rotated.token }
  }

  /** When the personal URL was last used. A new token does not reset it. */
  const urlLastSeen = async ({ state }: ApiContext) => {
    const { user_id } = state.account
    return (await lastSeenOf(database.of(user_id), user_id, clock.now()))(URL_PATH)
  }

  /** The account with its personal URL. One from an earlier version, which has none, gets it now. */
  const withReceiveUrl = async (context: ApiContext): Promise<AccountState> => {
    const { account } = context.state
    if (account.receive_url) return account
    const given = await settled(parts, giveReceiveUrl(parts, occasionOf(context, clock)))
    if (!given.account.receive_url) throw noReceiveUrl()
    return given.account
  }

  const presentedUrl = async (context: ApiContext, token: string | null, account: AccountState) =>
    presentReceiveUrl(settings.baseUrl, token, account, await urlLastSeen(context))

  const opened = ({ receive_url }: AccountState) => unlessNotOpened(() => vault.open(receive_url!.sealed_token))

  const showReceiveUrl = async (context: ApiContext) => {
    const account = await withReceiveUrl(context)
    return presentedUrl(context, opened(account), account)
  }

  const drawReceiveUrl = async (context: ApiContext) => {
    const { url } = await showReceiveUrl(context)
    return { qr_svg: url && (await qrSvg(url)) }
  }

  const newReceiveUrl = async (context: ApiContext) => {
    const rotated = await settled(parts, rotateReceiveUrl(parts, occasionOf(context, clock)))
    return presentedUrl(context, rotated.token, context.state.account)
  }

  const changeReceiveUrl = async (
    context: ApiContext,
    { trust_sms_app_titles: trusted }: z.infer<typeof UrlChange>,
  ) => {
    await withReceiveUrl(context)
    const account = await changeOwnAccount(parts, context, (present, at) => {
      if (!present.receive_url) throw noReceiveUrl()
      return trustSmsAppTitles(present, { device_id: null, trusted, at })
    })
    return presentedUrl(context, opened(account), account)
  }

  get('/api/account', 'Get the account', scopes('read', 'connect'), data(Account), showAccount)
  put('/api/account', 'Update the account', body(AccountChange), data(Account), changeAccount)
  post('/api/account/api-key/rotate', 'Rotate the API key', scopes(), noBody, data(NewApiKey), rotateApiKey)
  get('/api/receive-url', 'Get the personal URL', refuses('NOT_FOUND'), data(ReceiveUrl), showReceiveUrl)
  get(
    '/api/receive-url/qr',
    'Get the personal URL as a QR code',
    refuses('NOT_FOUND'),
    data(ReceiveUrlQr),
    drawReceiveUrl,
  )
  put(
    '/api/receive-url',
    'Update the settings of the personal URL',
    body(UrlChange),
    refuses('NOT_FOUND'),
    data(ReceiveUrl),
    changeReceiveUrl,
  )
  post('/api/receive-url/rotate', 'Rotate the personal URL', scopes(), noBody, data(ReceiveUrl), newReceiveUrl)
}
