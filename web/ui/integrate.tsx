// Tests: tests/e2e/browser/dashboard.test.ts
/** How a shop receives the calls of a rule: a receiver to copy, and every header and field explained. */
import { useState } from 'preact/hooks'
import type { Rule } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { LANGUAGES, tellsItsAge, verificationSnippet } from '../app/verification-snippets.ts'
import { Copy } from './basics.tsx'
import { Loaded } from './loaded.tsx'
import { usePreview } from './rules.tsx'

export const Verification = ({ of: { url, payload_format, custom_template } }: { of: Rule }) => {
  const t = texts.value.webhook.verify
  const [chosen, choose] = useState<(typeof LANGUAGES)[number]>('Node')
  const { data: body } = usePreview({ payload_format, custom_template })
  const snippet = verificationSnippet(chosen, url)
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      {body !== undefined && !tellsItsAge(body) && <p class="notice waiting">{t.untimed}</p>}
      <div class="tabs" role="group" aria-label={t.languages}>
        {LANGUAGES.map((each) => (
          <button key={each} type="button" aria-pressed={each === chosen} onClick={() => choose(each)}>
            {each}
          </button>
        ))}
      </div>
      <pre tabIndex={0}>{snippet}</pre>
      <p class="muted">{t.secret}</p>
      <div>
        <Copy text={snippet} label={t.copy} />
      </div>
    </section>
  )
}

const Explained = ({
  rows,
}: {
  rows: readonly (readonly [name: string, meaning: string | undefined, sample?: string])[]
}) => {
  const t = texts.value.webhook.arrives
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t.name}</th>
          <th scope="col">{t.meaning}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, meaning, sample]) => (
          <tr key={name}>
            <td>
              <code class="whole">{name}</code>
            </td>
            <td>
              {meaning}
              {sample && <code class="example">{sample}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const fieldsIn = (body: string, prefix: string) => {
  const { field } = texts.value.webhook.arrives
  return Object.entries(JSON.parse(body) as Record<string, unknown>).map(
    ([name, value]) => [name, field[prefix + name] ?? field[name], JSON.stringify(value)] as const,
  )
}

export const Arrives = ({ of: { payload_format, custom_template } }: { of: Rule }) => {
  const t = texts.value.webhook.arrives
  const preview = usePreview({ payload_format, custom_template })
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      <details>
        <summary>{t.headers}</summary>
        <Explained rows={Object.entries(t.header)} />
      </details>
      {/* An error that is folded away would not be seen. */}
      <Loaded of={preview}>
        {(body) => (
          <details>
            <summary>{t.body}</summary>
            {payload_format === 'custom' ? (
              <pre tabIndex={0}>{JSON.stringify(JSON.parse(body), null, 2)}</pre>
            ) : (
              <Explained rows={fieldsIn(body, payload_format === 'woocommerce' ? 'woocommerce.' : '')} />
            )}
          </details>
        )}
      </Loaded>
    </section>
  )
}
