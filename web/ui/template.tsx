// Tests: tests/e2e/browser/dashboard.test.ts
/** The template of a webhook's body: its text, the names that it may use, and a preview. */
import { useRef } from 'preact/hooks'
import { texts } from '../app/language.ts'
import { Field, issueOf } from './basics.tsx'
import { Loaded } from './loaded.tsx'
import { type Format, usePreview } from './rules.tsx'

/** The names that a template may use: those of the other formats. */
const usePlaceholders = (): string[] => {
  const names = (body: string | undefined) => (body === undefined ? [] : Object.keys(JSON.parse(body) as object))
  const { data: standard } = usePreview({ payload_format: 'standard', custom_template: null })
  const { data: woocommerce } = usePreview({ payload_format: 'woocommerce', custom_template: null })
  return [...names(standard), ...names(woocommerce).map((name) => `woocommerce.${name}`)]
}

export const Template = ({
  value,
  problem,
  set,
}: {
  value: string
  problem: string | undefined
  set: (value: string) => void
}) => {
  const t = texts.value.editor
  const area = useRef<HTMLTextAreaElement>(null)
  const placeholders = usePlaceholders()
  const insert = (name: string): void => {
    const { current } = area
    if (!current) return
    current.focus()
    current.setRangeText(`{{${name}}}`, current.selectionStart, current.selectionEnd, 'end')
    set(current.value)
  }
  return (
    <>
      <Field label={t.template} hint={t.templateHint} problem={problem}>
        {(attributes) => (
          <textarea
            {...attributes}
            ref={area}
            rows={10}
            spellcheck={false}
            value={value}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )}
      </Field>
      <details>
        <summary>{t.placeholders}</summary>
        <p class="muted">{t.placeholdersHint}</p>
        <div class="names">
          {placeholders.map((name) => (
            <button
              key={name}
              class="button plain"
              type="button"
              aria-label={t.insert(name)}
              onClick={() => insert(name)}
            >
              <code>{name}</code>
            </button>
          ))}
        </div>
      </details>
    </>
  )
}

export const Preview = ({ of }: { of: Format }) => {
  const preview = usePreview(of)
  return (
    <section class="preview stack tight">
      <h3>{texts.value.editor.preview}</h3>
      {issueOf(preview.error, 'custom_template') ? (
        <p class="notice failed" role="status">
          {issueOf(preview.error, 'custom_template')}
        </p>
      ) : (
        <Loaded of={preview}>{(body) => <pre tabIndex={0}>{JSON.stringify(JSON.parse(body), null, 2)}</pre>}</Loaded>
      )}
    </section>
  )
}
