// Tests: tests/e2e/browser/dashboard.test.ts
/** A list to choose from, and a box to tick. */
import { marked } from '../app/hidden-characters.ts'
import { BoxLabel, Field } from './basics.tsx'

export const Select = ({
  label,
  name,
  value,
  options,
  onChange,
}: {
  label: string
  name: string
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onChange?: (value: string) => void
}) => (
  <Field label={label}>
    {(attributes) => (
      <select {...attributes} name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {marked(text)}
          </option>
        ))}
      </select>
    )}
  </Field>
)

export const Choice = ({ label, hint, name, isOn }: { label: string; hint?: string; name: string; isOn: boolean }) => (
  <label class="choice">
    <input type="checkbox" name={name} defaultChecked={isOn} />
    <BoxLabel label={label} hint={hint} />
  </label>
)
