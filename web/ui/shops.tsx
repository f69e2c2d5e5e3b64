// Tests: tests/e2e/browser/dashboard.test.ts
/** The shops, each with the prefix by which order ids are found in memos. */
import { useState } from 'preact/hooks'
import { postData, putData, remove } from '../api/client.ts'
import type { System } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { changedValues } from '../app/form-values.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { ActionProblem, Stranger, TextField } from './basics.tsx'
import { Select } from './choices.tsx'
import { Confirm } from './confirm.tsx'
import { EditableLines } from './editable-lines.tsx'
import { useSystems } from './rules.tsx'
import { Switch } from './switch.tsx'

const PATH = '/api/systems'
const STALE = ['systems', 'webhooks', 'checklist']
const TYPES = ['custom', 'woocommerce', 'haravan', 'shopify', 'whmcs'] as const

const ShopForm = ({ of, close }: { of?: System; close: () => void }) => {
  const t = texts.value.settings.shops
  const [before] = useState(of)
  const save = useAction(
    (given: object) =>
      before
        ? putData<System>(`${PATH}/${before.id}`, changedValues<object>(before, given))
        : postData<System>(PATH, given),
    STALE,
  )
  const submit = async (event: Event): Promise<void> => {
    if (!(await save.run(valuesOf(event)))) return
    announce(texts.value.common.saved)
    close()
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <TextField label={t.name} name="name" value={of?.name} required error={save.error} />
      <TextField
        label={t.prefix}
        name="payment_prefix"
        value={of?.payment_prefix}
        hint={t.prefixHint}
        required
        error={save.error}
      />
      <Select
        label={t.type}
        name="type"
        value={of?.type ?? 'custom'}
        options={TYPES.map((type) => [type, t.types[type]] as const)}
      />
      <ActionProblem error={save.error} fields={['name', 'payment_prefix']} />
      <div class="row">
        <button class="button main" disabled={save.isRunning}>
          {texts.value.common.save}
        </button>
        <button class="button" type="button" onClick={close}>
          {texts.value.common.cancel}
        </button>
      </div>
    </form>
  )
}

const Shop = ({ of, edit }: { of: System; edit: () => void }) => {
  const t = texts.value.settings.shops
  return (
    <li class="stack tight">
      <div class="row between">
        <div>
          <h3>
            <Stranger text={of.name} />
          </h3>
          <p>{t.example(of.payment_prefix)}</p>
        </div>
        <div class="row">
          <button class="button" type="button" aria-label={t.change(of.name)} onClick={edit}>
            {t.edit}
          </button>
          <Confirm
            button={t.remove}
            label={t.removeOf(of.name)}
            title={t.removeTitle(of.name)}
            text={t.removeText}
            act={() => remove(`${PATH}/${of.id}`)}
            stale={STALE}
            done={t.removed}
          />
        </div>
      </div>
      <Switch
        label={t.active(of.payment_prefix)}
        isOn={of.is_active === 1}
        change={(isOn) => putData(`${PATH}/${of.id}`, { is_active: isOn ? 1 : 0 })}
        stale={STALE}
      />
    </li>
  )
}

export const Shops = () => (
  <EditableLines
    part="shops"
    texts={texts.value.settings.shops}
    of={useSystems()}
    nameOf={({ name }) => name}
    line={(each, edit) => <Shop key={each.id} of={each} edit={edit} />}
    form={(of, close) => <ShopForm {...(of && { of })} close={close} />}
  />
)
