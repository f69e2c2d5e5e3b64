// Tests: tests/e2e/browser/dashboard.test.ts
/** API keys: those with scopes, and the main key of the account. A key is shown once. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData, postData, remove } from '../api/client.ts'
import type { ScopedKey } from '../api/types.ts'
import { day } from '../app/localised.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { ActionProblem, Ago, Copyable, Stranger, TextField } from './basics.tsx'
import { LoadedLines } from './loaded.tsx'
import { Choice } from './choices.tsx'
import { Confirm } from './confirm.tsx'

export const KEYS_PATH = '/api/account/api-keys'

export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: () => getData<ScopedKey[]>(KEYS_PATH) })

/** The end of that day in Vietnam. */
const endOf = (date: string): string => `${date}T23:59:59+07:00`

const NewKey = ({ done }: { done: (key: string) => void }) => {
  const t = texts.value.settings.keys
  const create = useAction((given: object) => postData<ScopedKey>(KEYS_PATH, given), ['keys'])
  const [isIncomplete, setIncomplete] = useState(false)
  const submit = async (event: Event): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { name, expires, ...chosen } = valuesOf(event)
    const scopes = Object.keys(chosen)
    setIncomplete(scopes.length === 0)
    if (scopes.length === 0) return
    const made = await create.run({ name, scopes, ...(expires ? { expires_at: endOf(expires) } : {}) })
    if (!made?.api_key) return
    form.reset()
    done(made.api_key)
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <TextField label={t.name} name="name" required error={create.error} />
      <fieldset class="stack tight plain">
        <legend class="label">{t.scopes}</legend>
        {Object.entries(t.scope).map(([scope, label]) => (
          <Choice key={scope} label={label} name={scope} isOn={scope === 'read'} />
        ))}
        {isIncomplete && (
          <p class="notice failed" role="alert">
            {t.noScope}
          </p>
        )}
      </fieldset>
      <TextField label={t.expires} name="expires" type="date" hint={texts.value.common.optional} error={create.error} />
      <ActionProblem error={create.error} fields={['name']} />
      <div>
        <button class="button" disabled={create.isRunning}>
          {t.add}
        </button>
      </div>
    </form>
  )
}

/** A key that was just made. It is never shown again. */
export const NewKeyShown = ({ of, children }: { of: string; children?: ComponentChildren }) => {
  const ref = useIntoView<HTMLDivElement>()
  return (
    <div ref={ref} class="notice done stack tight" role="status">
      <p>{texts.value.settings.keys.created}</p>
      <Copyable text={of} />
      {children}
    </div>
  )
}

export const KeyLine = ({ of }: { of: ScopedKey }) => {
  const t = texts.value.settings.keys
  return (
    <li class="row between">
      <div>
        <h3>
          <Stranger text={of.name} />
        </h3>
        <p>{of.scopes.map((scope) => t.scope[scope] ?? scope).join(', ')}</p>
        <p class="muted">
          {of.last_used_at ? (
            <>
              {t.used} <Ago at={of.last_used_at} />
            </>
          ) : (
            t.never
          )}
          {of.expires_at && `, ${t.until(day(of.expires_at))}`}
        </p>
      </div>
      <Confirm
        button={t.remove}
        label={t.removeOf(of.name)}
        title={t.removeTitle(of.name)}
        text={t.removeText}
        act={() => remove(`${KEYS_PATH}/${of.id}`)}
        stale={['keys']}
        done={t.removed}
      />
    </li>
  )
}

export const ApiKeys = () => {
  const t = texts.value.settings.keys
  const keys = useKeys()
  const [shown, show] = useState<string | null>(null)
  const rotate = async (): Promise<string> => {
    const { api_key } = await postData<{ api_key: string }>('/api/account/api-key/rotate')
    show(api_key)
    return api_key
  }
  return (
    <section class="block stack">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      {shown !== null && <NewKeyShown key={shown} of={shown} />}
      <LoadedLines of={keys} empty={t.empty}>
        {(each) => <KeyLine key={each.id} of={each} />}
      </LoadedLines>
      <NewKey done={show} />
      <h3>{t.own}</h3>
      <p>{t.ownText}</p>
      <div>
        <Confirm
          button={t.rotate}
          title={t.rotateTitle}
          text={t.rotateText}
          act={rotate}
          stale={['account']}
          done={t.rotated}
        />
      </div>
    </section>
  )
}
