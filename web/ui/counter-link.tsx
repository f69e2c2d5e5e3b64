// Tests: tests/e2e/browser/dashboard.test.ts
/** Creates the link of the screen at the counter. It is shown once, and ends the one before. */
import { useState } from 'preact/hooks'
import { postData } from '../api/client.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { Copyable } from './basics.tsx'
import { Confirm } from './confirm.tsx'

const Made = ({ url }: { url: string }) => {
  const t = texts.value.settings.counter
  const ref = useIntoView<HTMLDivElement>()
  return (
    <div ref={ref} class="notice done stack tight">
      <p>{t.created}</p>
      <Copyable text={url} />
      <div>
        <a class="button" href={url} target="_blank" rel="noreferrer">
          {t.open}
        </a>
      </div>
    </div>
  )
}

export const CounterLink = () => {
  const t = texts.value.settings.counter
  const [url, show] = useState<string | null>(null)
  const create = async (): Promise<string> => {
    const made = await postData<{ url: string }>('/api/counter')
    show(made.url)
    return made.url
  }
  return (
    <section class="block stack">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      {url !== null && <Made key={url} url={url} />}
      <div>
        <Confirm
          button={t.create}
          title={t.askTitle}
          text={t.ask}
          act={create}
          stale={[]}
          done={t.created}
          isDangerous={false}
        />
      </div>
    </section>
  )
}
