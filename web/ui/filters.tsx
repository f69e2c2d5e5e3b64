// Tests: tests/e2e/browser/dashboard.test.ts
/** Fields of a filter that is the address of the page. */
import { marked } from '../app/hidden-characters.ts'
import { texts } from '../app/language.ts'
import { Field } from './basics.tsx'

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

export const WrittenFilter = ({ label, value = '', change, type = 'text' }: FilterProps & { type?: string }) => (
  <Field label={label}>
    {(attributes) => (
      <input {...attributes} type={type} value={value} onChange={(event) => change(event.currentTarget.value.trim())} />
    )}
  </Field>
)
