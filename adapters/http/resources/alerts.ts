// Tests: tests/integration/http/alerts.test.ts
/** An owner's alerts, and the address to which they are sent in addition to the email. */
import { z } from 'zod'
import { setAlertWebhook } from '../../../domain/account/alert-webhook.ts'
import { alertKind } from '../../../domain/alert/events.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { newRuleSecret } from '../../../workflows/accounts/secrets.ts'
import { listAlerts } from '../../../projections/alert/queries.ts'
import { type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Operations } from '../openapi/operations.ts'
import { type ApiParts, changeOwnAccount } from '../parts.ts'
import { line, readOnly, withoutReadOnly } from './request-fields.ts'
import type { Account as AccountState } from '../../../domain/account/account.ts'
import type { Vault } from '../../../domain/ports.ts'
import { secret, targetUrl, urlSent } from '../openapi/secrets.ts'
import { SecretKeyText, presentSecret } from './webhooks.ts'
import { id, moment } from '../../../domain/fields.ts'

/** The address to which alerts are sent in addition to the email, and the secret that signs these calls. */
const AlertSettings = z
  .strictObject({
    webhook_url: targetUrl().nullable(),
    secret_key: secret(SecretKeyText, 'null if no address is set, or until the address is set again;'),
  })
  .meta({ id: 'AlertSettings' })

const READ_ONLY = ['secret_key'] as const

const AlertSettingsChange = z
  .strictObject({ ...readOnly(...READ_ONLY), webhook_url: line(2_048).nullable() })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const presentAlertSettings = (
  { alert_webhook_url, alert_sealed_secret }: AccountState,
  vault: Vault,
): z.output<typeof AlertSettings> => ({
  webhook_url: alert_webhook_url,
  secret_key: alert_sealed_secret === null ? null : presentSecret(alert_sealed_secret, vault),
})

const Alert = z
  .strictObject({
    id,
    kind: alertKind,
    subject: z.string().meta({ description: 'Subject of the alert, such as rule:5 or device:7.' }),
    text: z.string(),
    since: moment,
    until: moment.nullable().meta({ description: 'When the alert ended or will end by itself; null if unknown.' }),
  })
  .meta({ id: 'Alert' })

export const alertRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, urlProblem, vault } = parts
  const { get, put } = operations.of('Alerts', signedIn)

  const list = ({ state }: ApiContext) => {
    const { user_id } = state.account
    return listAlerts(database.of(user_id), user_id, clock.now())
  }

  const showSettings = (context: ApiContext) => presentAlertSettings(context.state.account, vault)

  const changeSettings = async (context: ApiContext, given: z.infer<typeof AlertSettingsChange>) => {
    const webhook_url = urlSent(given.webhook_url, context.state.account.alert_webhook_url)
    const problem = webhook_url === null ? null : urlProblem(webhook_url)
    if (problem !== null) throw invalid({ path: 'webhook_url', message: `The URL ${problem}.` })
    const sealed_secret = vault.seal(newRuleSecret())
    const set = (account: AccountState) => setAlertWebhook(account, { webhook_url, sealed_secret })
    return presentAlertSettings(await changeOwnAccount(parts, context, set), vault)
  }

  get('/api/alerts', 'List alerts', data(z.array(Alert)), list)
  const path = '/api/account/alerts'
  get(path, 'Get the address that alerts are posted to', data(AlertSettings), showSettings)
  put(path, 'Set the address that alerts are posted to', body(AlertSettingsChange), data(AlertSettings), changeSettings)
}
