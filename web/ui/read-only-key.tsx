// Tests: tests/e2e/browser/dashboard.test.ts
/** A key for the accountant, which can only read, and the command that downloads the chosen file with it. */
import { useState } from 'preact/hooks'
import { postData } from '../api/client.ts'
import type { ScopedKey } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { KEYS_PATH, KeyLine, NewKeyShown, useKeys } from './api-keys.tsx'
import { ActionProblem, Copyable, TextField } from './basics.tsx'
import { LoadedLines } from './loaded.tsx'

const isReadOnly = ({ scopes }: ScopedKey): boolean => scopes.join() === 'read'

/** @param path  of the file, without personal columns @param isShortened  whether it leaves some out */
export const ReadOnlyKey = ({ path, file, isShortened }: { path: string; file: string; isShortened: boolean }) => {
  const t = texts.value.exports.key
  const keys = useKeys()
  const [shown, show] = useState<string | null>(null)
  const create = useAction((name: string) => postData<ScopedKey>(KEYS_PATH, { name, scopes: ['read'] }), ['keys'])
  const submit = async (event: Event): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const made = await create.run(valuesOf(event).name ?? '')
    if (!made?.api_key) return
    form.reset()
    show(made.api_key)
  }
  return (
    <section class="block stack">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      {shown !== null && (
        <NewKeyShown key={shown} of={shown}>
          <p>
            {t.command} {isShortened && t.withoutPersonal}
          </p>
          <Copyable text={`curl -H "X-Api-Key: ${shown}" -o ${file} "${location.origin}${path}"`} />
        </NewKeyShown>
      )}
      <LoadedLines
        of={{ data: keys.data?.filter(isReadOnly), error: keys.error, refetch: keys.refetch }}
        empty={t.empty}
      >
        {(each) => <KeyLine key={each.id} of={each} />}
      </LoadedLines>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <TextField label={t.name} name="name" value={t.usual} required error={create.error} />
        <ActionProblem error={create.error} fields={['name']} />
        <div>
          <button class="button" disabled={create.isRunning}>
            {t.add}
          </button>
        </div>
      </form>
    </section>
  )
}
