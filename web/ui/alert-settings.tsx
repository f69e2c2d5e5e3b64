// Tests: tests/e2e/browser/dashboard.test.ts
/** Where alerts are sent besides the email, and the secret that signs these calls. */
import { useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData, putData } from '../api/client.ts'
import type { AlertSettings as Given } from '../api/types.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { ActionProblem, Copyable, TextField } from './basics.tsx'
import { Loaded } from './loaded.tsx'

const PATH = '/api/account/alerts'

const Saved = () => (
  <p ref={useIntoView<HTMLParagraphElement>()} class="notice done" role="status">
    {texts.value.common.saved}
  </p>
)

const Editable = ({ of }: { of: Given }) => {
  const t = texts.value.settings.alerts
  const { common } = texts.value
  const [isShown, show] = useState(false)
  const change = useAction((webhook_url: string | null) => putData<Given>(PATH, { webhook_url }), ['alert-settings'])
  const submit = (event: Event): void => void change.run(valuesOf(event).webhook_url || null)
  return (
    <>
      <form class="form" onSubmit={submit} onInput={() => change.result && change.reset()}>
        <TextField
          key={of.webhook_url}
          label={t.url}
          name="webhook_url"
          type="url"
          value={of.webhook_url ?? ''}
          hint={t.urlHint}
          error={change.error}
        />
        <ActionProblem error={change.error} fields={['webhook_url']} />
        {change.result && <Saved />}
        <div>
          <button class="button" disabled={change.isRunning}>
            {common.save}
          </button>
        </div>
      </form>
      {of.secret_key !== null &&
        (isShown ? (
          <Copyable text={of.secret_key} />
        ) : (
          <div>
            <button class="button" type="button" onClick={() => show(true)}>
              {t.show}
            </button>
          </div>
        ))}
    </>
  )
}

export const AlertSettings = () => {
  const t = texts.value.settings.alerts
  const found = useQuery({ queryKey: ['alert-settings'], queryFn: () => getData<Given>(PATH) })
  return (
    <section class="block stack">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      <Loaded of={found}>{(given) => <Editable of={given} />}</Loaded>
    </section>
  )
}
