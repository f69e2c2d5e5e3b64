// Tests: tests/e2e/browser/dashboard.test.ts
/** Fields of a filter that is the address of the page. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { bankCode } from '../app/bank-codes.ts'
import { marked } from '../app/hidden-characters.ts'
import { chosenDay } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { Field } from './basics.tsx'
import { useRules } from './rules.tsx'

/** The values of a filter with these names. */
export type FilterOf<Names extends readonly string[]> = Partial<Record<Names[number], string>>

/** @param query  of the address, which may contain other names too */
export const filterIn = <const Names extends readonly string[]>(
  query: Readonly<Record<string, string>>,
  names: Names,
): FilterOf<Names> =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as FilterOf<Names>

interface FormProps {
  /** Stays visible. */
  search?: ComponentChildren
  /** How many of the others select something. */
  active: number
  /** Something must be selected, so nothing is folded away. */
  isNeeded?: boolean
  /** The address without a filter; null if there is none to clear. */
  clear: string | null
  children: ComponentChildren
}

/** On a phone all but the search is folded away until somebody wants it, so that the list begins on the first screen. */
export const Filters = ({ search, active, isNeeded = false, clear, children }: FormProps) => {
  const t = texts.value.transactions
  const [isUnfolded, unfold] = useState(false)
  const isOpen = isUnfolded || isNeeded
  return (
    <form
      class={isOpen ? 'filters open' : 'filters'}
      role={search ? 'search' : undefined}
      onSubmit={(event) => event.preventDefault()}
    >
      {search && <div class="search">{search}</div>}
      <button
        class="button fold"
        type="button"
        aria-expanded={isOpen}
        disabled={isNeeded}
        onClick={() => unfold(!isUnfolded)}
      >
        {t.filters(active)}
      </button>
      {children}
      {clear !== null && (
        <a class="button plain" href={clear}>
          {t.clear}
        </a>
      )}
    </form>
  )
}

interface FilterProps {
  label: string
  value: string | undefined
  change: (value: string) => void
}

/** A list to choose from; the first choice is "all". */
export const ChosenFilter = ({
  label,
  value = '',
  change,
  options,
}: FilterProps & { options: readonly (readonly [value: string, text: string])[] }) => (
  <Field label={label}>
    {(attributes) => (
      <select {...attributes} value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{texts.value.transactions.any}</option>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {marked(text)}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** The webhook of an address may have been deleted. */
export const WebhookFilter = ({ value, change }: Omit<FilterProps, 'label'>) => {
  const label = texts.value.common.webhook
  const rules = useRules().data?.map(({ id, name }) => [String(id), name] as const) ?? []
  const isKnown = !value || rules.some(([id]) => id === value)
  return (
    <ChosenFilter
      label={label}
      value={value}
      change={change}
      options={isKnown ? rules : [...rules, [value, `${label} ${value}`]]}
    />
  )
}

export const BankFilter = ({ value, change }: Omit<FilterProps, 'label'>) => (
  <WrittenFilter
    label={texts.value.transactions.bank}
    value={value}
    change={(written) => change(bankCode(written) ?? written)}
  />
)

/** A written value counts when the field is left, or by Enter. Until then it stays, whatever is drawn again meanwhile. */
export const WrittenFilter = ({ label, value = '', change, type = 'text' }: FilterProps & { type?: string }) => {
  const [written, write] = useState(value)
  useEffect(() => write(value), [value])
  // A date field has the format of the browser, which may not be that of the page.
  const day = type === 'date' && chosenDay(value)
  return (
    <Field
      label={
        day ? (
          <>
            {label}
            <span aria-hidden="true">: {day}</span>
          </>
        ) : (
          label
        )
      }
    >
      {(attributes) => (
        <input
          {...attributes}
          type={type}
          value={written}
          onInput={(event) => write(event.currentTarget.value)}
          onChange={(event) => change(event.currentTarget.value.trim())}
        />
      )}
    </Field>
  )
}
