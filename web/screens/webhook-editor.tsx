// Tests: tests/e2e/browser/dashboard.test.ts
/** Creates a webhook, or changes one, with a preview of what it would send. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { useQuery } from '@tanstack/preact-query'
import { ApiError, postData, putData, remove } from '../api/client.ts'
import type { Rule } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { bankCode, bankCodes } from '../app/bank-codes.ts'
import { changedValues, wholeNumber } from '../app/form-values.ts'
import { count } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { useSettled } from '../app/settled.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { listInboxes } from '../app/try-submission.ts'
import { idIn } from '../paths.ts'
import { useAction } from '../ui/action.ts'
import { ActionProblem, Heading, issueOf, TextField } from '../ui/basics.tsx'
import { FailedRead, Loaded } from '../ui/loaded.tsx'
import { Choice, Select } from '../ui/choices.tsx'
import { type Format, useRules, useSystems } from '../ui/rules.tsx'
import { Preview, Template } from '../ui/template.tsx'
import { NotFound } from './not-found.tsx'

const FORMATS = ['standard', 'woocommerce', 'custom'] as const
const FIELDS = ['name', 'url', 'filter_banks', 'min_amount', 'custom_template', 'max_per_minute', 'system_id']
const FIRST_TEMPLATE = `{
  "order": "{{order_id}}",
  "paid": "{{amount}}",
  "id": "{{transaction_id}}",
  "timestamp": "{{timestamp}}"
}`

const fieldsOf = (values: Record<string, string>, { payload_format, custom_template }: Format) => ({
  name: values.name,
  url: values.url,
  // The shops may not be loaded.
  system_id: values.system_id === undefined ? undefined : wholeNumber(values.system_id),
  http_method: values.http_method,
  filter_type: values.filter_type,
  filter_banks: bankCodes(values.filter_banks ?? ''),
  min_amount: wholeNumber(values.min_amount ?? ''),
  payload_format,
  custom_template,
  max_per_minute: wholeNumber(values.max_per_minute ?? ''),
  ordered: values.ordered === 'on' ? 1 : 0,
  is_active: values.is_active === 'on' ? 1 : 0,
})

/** Such a code would never match. @param before  codes that the webhook has already */
const refuseUnknownBank = (codes: readonly string[], before: readonly string[] = []): void => {
  const unknown = codes.find((code) => !bankCode(code) && !before.includes(code))
  if (unknown === undefined) return
  const message = texts.value.editor.unknownBank(unknown)
  throw new ApiError(400, 'VALIDATION_FAILED', message, [{ path: 'filter_banks', message }])
}

const shownNumber = (value: number | null | undefined): string | undefined =>
  value === null || value === undefined ? undefined : count(value)

/** @param isNeeded  otherwise it is not requested @returns the webhook that calls the account's own test inbox */
const useInboxRule = (isNeeded: boolean): Rule | undefined => {
  const rules = useRules()
  const inboxes = useQuery({ queryKey: ['inbox'], queryFn: listInboxes, enabled: isNeeded })
  if (!isNeeded) return undefined
  return rules.data?.find((rule) => inboxes.data?.some(({ url }) => url === rule.url))
}

interface PartProps {
  of: Rule | undefined
  error: unknown
}

/** Where and how it is called, and for which shop. That of a shop plugin's webhook stays. */
const Endpoint = ({ of, error }: PartProps) => {
  const t = texts.value.editor
  const systems = useSystems()
  return (
    <>
      <TextField label={t.name} name="name" required value={of?.name} error={error} />
      <TextField label={t.url} name="url" type="url" required value={of?.url} hint={t.urlHint} error={error} />
      <Select
        label={t.method}
        name="http_method"
        value={of?.http_method ?? 'POST'}
        options={[
          ['POST', 'POST'],
          ['PUT', 'PUT'],
        ]}
      />
      <FailedRead of={systems} />
      {of?.is_auto !== 1 && (systems.data?.length ?? 0) > 0 && (
        <Select
          label={t.system}
          name="system_id"
          value={String(of?.system_id ?? '')}
          options={[['', t.noSystem], ...systems.data!.map(({ id, name }) => [String(id), name] as const)]}
        />
      )}
    </>
  )
}

/** The transactions for which it is called. */
const Conditions = ({ of, error }: PartProps) => {
  const { editor: t, webhook, common } = texts.value
  return (
    <>
      <h2>{t.when}</h2>
      <Select
        label={t.type}
        name="filter_type"
        value={of?.filter_type ?? 'credit'}
        options={[
          ['credit', common.direction.credit],
          ['debit', common.direction.debit],
          ['both', webhook.both],
        ]}
      />
      <TextField
        label={t.banks}
        name="filter_banks"
        value={of?.filter_banks.join(', ')}
        hint={t.banksHint}
        error={error}
      />
      <TextField
        label={t.min}
        name="min_amount"
        inputMode="numeric"
        value={shownNumber(of?.min_amount)}
        error={error}
      />
    </>
  )
}

/** @param isDeleted  since the form was opened. Then it creates a new webhook */
const Editor = ({ of, isDeleted = false }: { of?: Rule; isDeleted?: boolean }) => {
  const { editor: t, webhook, common } = texts.value
  const { route } = useLocation()
  const [format, setFormat] = useState<Format>({
    payload_format: of?.payload_format ?? 'standard',
    custom_template: of?.custom_template ?? null,
  })
  const shown = useSettled(format)
  const [before] = useState(of)
  const isNew = !before || isDeleted
  const replaced = useRef<Rule>()
  const save = useAction(
    async (fields: ReturnType<typeof fieldsOf>) => {
      refuseUnknownBank(fields.filter_banks, before?.filter_banks)
      if (!isNew) return putData<Rule>(`/api/webhooks/${before.id}`, changedValues<object>(before, fields))
      if (replaced.current) await remove(`/api/webhooks/${replaced.current.id}`)
      return postData<Rule>('/api/webhooks', fields)
    },
    ['webhooks', 'account'],
  )
  // It was not found, and is no longer needed.
  useEffect(() => {
    if (isDeleted) save.reset()
  }, [isDeleted])
  const submit = async (event: Event): Promise<void> => {
    const saved = await save.run(fieldsOf(valuesOf(event), format))
    if (!saved) return
    announce(isNew ? t.created : common.saved)
    route(`/webhooks/${saved.id}`)
  }
  const choose = (payload_format: Rule['payload_format']): void =>
    setFormat({
      payload_format,
      custom_template:
        payload_format === 'custom' ? (format.custom_template ?? FIRST_TEMPLATE) : format.custom_template,
    })
  const { error } = save
  const inbox = useInboxRule(error instanceof ApiError && error.code === 'WEBHOOK_LIMIT_REACHED')
  return (
    <form class="form editor" onSubmit={(event) => void submit(event)}>
      <div class="stack">
        <Endpoint of={of} error={error} />
        <Conditions of={of} error={error} />
        <h2>{t.what}</h2>
        <Select
          label={t.format}
          name="payload_format"
          value={format.payload_format}
          options={FORMATS.map((each) => [each, webhook.formats[each]] as const)}
          onChange={(value) => choose(value as Rule['payload_format'])}
        />
        {format.payload_format === 'custom' && (
          <Template
            value={format.custom_template ?? ''}
            problem={issueOf(error, 'custom_template')}
            set={(custom_template) => setFormat({ payload_format: 'custom', custom_template })}
          />
        )}
      </div>
      {/* Beside the form on a wide screen. */}
      <Preview of={shown} />
      <div class="stack">
        <h2>{t.how}</h2>
        <TextField
          label={t.limit}
          name="max_per_minute"
          inputMode="numeric"
          value={shownNumber(of?.max_per_minute)}
          hint={t.limitHint}
          error={error}
        />
        <Choice label={t.ordered} hint={t.orderedHint} name="ordered" isOn={of?.ordered === 1} />
        <Choice label={t.active} name="is_active" isOn={of?.is_active !== 0} />
        {isDeleted && (
          <p class="notice failed" role="alert">
            {t.deleted}
          </p>
        )}
        <ActionProblem error={error} fields={FIELDS} />
        {inbox && <p>{t.inboxCounts}</p>}
        <div class="row">
          <button class="button main" disabled={save.isRunning} onClick={() => (replaced.current = undefined)}>
            {isNew ? t.create : common.save}
          </button>
          {inbox && (
            <button class="button" disabled={save.isRunning} onClick={() => (replaced.current = inbox)}>
              {t.replaceInbox}
            </button>
          )}
          <a class="button" data-discards href={isNew ? '/webhooks' : `/webhooks/${before.id}`}>
            {common.cancel}
          </a>
        </div>
      </div>
    </form>
  )
}

export const NewWebhook = () => (
  <>
    <Heading title={texts.value.editor.new} />
    <Editor />
  </>
)

export const ChangeWebhook = () => {
  const id = idIn(useRoute().params.id)
  const { editor: t, webhook } = texts.value
  const rules = useRules()
  /** As it was shown last. The typed values stay in its form if it is deleted elsewhere. */
  const opened = useRef<Rule>()
  return (
    <>
      {!rules.data && <Heading title={texts.value.common.webhook} />}
      <Loaded of={rules}>
        {(all) => {
          const found = all.find((each) => each.id === id)
          if (found || opened.current?.id !== id) opened.current = found
          const rule = opened.current
          if (!rule)
            return (
              <>
                <p>
                  <a href="/webhooks">← {webhook.back}</a>
                </p>
                <NotFound />
              </>
            )
          return (
            <>
              <Heading title={t.change(rule.name)} />
              <Editor key={id} of={rule} isDeleted={!found} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
