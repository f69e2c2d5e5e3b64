// Tests: tests/e2e/browser/dashboard.test.ts
/** SMS senders that are trusted beside the banks' own, and whether a text may name none. */
import { useQuery } from '@tanstack/preact-query'
import { getData, putData } from '../api/client.ts'
import type { TrustedSenders as Senders } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { Switch } from './switch.tsx'
import { ActionProblem, PartHeading, Stranger, TextField } from './basics.tsx'
import { Loaded } from './loaded.tsx'

const PATH = '/api/account/trusted-senders'

const Editable = ({ of }: { of: Senders }) => {
  const t = texts.value.settings.senders
  const change = useAction((given: Partial<Senders>) => putData<Senders>(PATH, given), ['senders'])
  const { trusted_senders: names } = of
  const save = async (trusted_senders: string[]): Promise<boolean> => {
    const done = await change.run({ trusted_senders })
    if (done) announce(texts.value.common.saved)
    return done !== undefined
  }
  const add = async (event: Event): Promise<void> => {
    const form = event.currentTarget as HTMLFormElement
    const { sender = '' } = valuesOf(event)
    if (await save([...names, sender])) form.reset()
  }
  return (
    <>
      {names.length === 0 ? (
        <p class="muted">{t.empty}</p>
      ) : (
        <ul class="lines">
          {names.map((name) => (
            <li key={name} class="row between">
              <Stranger text={name} />
              <button
                class="button"
                type="button"
                aria-label={t.removeOf(name)}
                disabled={change.isRunning}
                onClick={() => void save(names.filter((each) => each !== name))}
              >
                {t.remove}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form class="form" onSubmit={(event) => void add(event)}>
        <TextField label={t.name} name="sender" required />
        <ActionProblem error={change.error} />
        <div>
          <button class="button" disabled={change.isRunning}>
            {t.add}
          </button>
        </div>
      </form>
      <Switch
        label={t.without}
        hint={t.withoutHint}
        isOn={of.without_sender}
        change={(without_sender) => putData<Senders>(PATH, { without_sender })}
        stale={['senders']}
      />
    </>
  )
}

export const TrustedSenders = () => {
  const t = texts.value.settings.senders
  const senders = useQuery({ queryKey: ['senders'], queryFn: () => getData<Senders>(PATH) })
  return (
    <section class="block stack">
      <PartHeading of="senders" text={t.title} />
      <p>{t.text}</p>
      <Loaded of={senders}>{(given) => <Editable of={given} />}</Loaded>
    </section>
  )
}
