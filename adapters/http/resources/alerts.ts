// Tests: tests/integration/http/alerts.test.ts
/** An owner's alerts, and the address to which they are sent in addition to the e-mail. */
import { z } from 'zod'
import { setAlertWebhook } from '../../../domain/account/alert-webhook.ts'
import { alertKind } from '../../../domain/alert/events.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { newRuleSecret } from '../../../workflows/accounts/secrets.ts'
import { listAlerts } from '../../../projections/alert/queries.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import type { Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { AlertSettings, presentAlertSettings } from './presenters/account.ts'
import { AlertSettingsChange } from './requests.ts'

const moment = z.iso.datetime()

const Alert = z
  .strictObject({
    id: z.int().positive(),
    kind: alertKind,
    subject: z.string().meta({ description: 'Subject of the alert, such as rule:5 or device:7.' }),
    text: z.string(),
    since: moment,
    until: moment.nullable().meta({ description: 'When the alert ended or will end by itself; null if unknown.' }),
  })
  .meta({ id: 'Alert' })

export const alertRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { clock, database, urlProblem, vault } = parts
  const { get, put } = operations.of('Alerts')

  const list = (context: ApiContext) => listAlerts(database, context.state.account.user_id, clock.now())

  const showSettings = (context: ApiContext) => presentAlertSettings(context.state.account, vault)

  const changeSettings = async (context: ApiContext, { webhook_url }: z.infer<typeof AlertSettingsChange>) => {
    const problem = webhook_url === null ? null : urlProblem(webhook_url)
    if (problem !== null) throw invalid({ path: 'webhook_url', message: `The URL ${problem}.` })
    const sealed_secret = vault.seal(newRuleSecret())
    const changed = await parts.accounts.change(occasionOf(context, clock), (account) =>
      setAlertWebhook(account, { webhook_url, sealed_secret }),
    )
    await settled(parts, changed)
    return presentAlertSettings(changed.account, vault)
  }

  get('/api/alerts', 'List alerts', signedIn, data(z.array(Alert)), list)
  const path = '/api/account/alerts'
  get(path, 'Show where alerts are sent', signedIn, data(AlertSettings), showSettings)
  put(path, 'Send alerts to an address too', signedIn, body(AlertSettingsChange), data(AlertSettings), changeSettings)
}
