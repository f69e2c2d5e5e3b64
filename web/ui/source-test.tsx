// Tests: tests/e2e/browser/dashboard.test.ts
/** Tests a source: asks its owner to send something from it, and says when it has arrived, or what to check if it has not. */
import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { LastSeen } from '../api/types.ts'
import { time } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { DoneNotice, Problem } from './basics.tsx'
import { Dialog } from './dialog.tsx'

const POLL_MS = 2_000
/** A text that is still missing after this long will probably not arrive. */
const PATIENCE_MS = 60_000

const Waiting = ({ ask }: { ask: () => Promise<LastSeen | undefined> }) => {
  const t = texts.value.sources.test
  const [before, setBefore] = useState<string | null | undefined>(undefined)
  const [isLate, setLate] = useState(false)
  const seen = useQuery({
    queryKey: ['source-test'],
    queryFn: async () => (await ask())?.last_heard_at ?? null,
    refetchInterval: POLL_MS,
    gcTime: 0,
    staleTime: 0,
  })
  useEffect(() => {
    if (before === undefined && seen.data !== undefined && !seen.isFetching) setBefore(seen.data)
  }, [seen.data, seen.isFetching])
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (seen.error) return <Problem error={seen.error} retry={seen.refetch} />
  if (seen.data && before !== undefined && seen.data !== before) return <DoneNotice text={t.arrived(time(seen.data))} />
  return (
    <>
      <ol class="steps">
        {t.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p role="status">{before === undefined ? texts.value.common.loading : isLate ? t.late : t.waiting}</p>
      {isLate && (
        <ul class="steps">
          {t.causes.map((cause) => (
            <li key={cause}>{cause}</li>
          ))}
        </ul>
      )}
    </>
  )
}

/** @param name  of the source @param path  of the API, whose answer holds when the source was last seen */
export const SourceTest = ({ name, path }: { name: string; path: string }) => {
  const { test: t } = texts.value.sources
  const [isOpen, open] = useState(false)
  return (
    <>
      <button class="button" type="button" aria-label={t.of(name)} onClick={() => open(true)}>
        {t.button}
      </button>
      <Dialog title={t.of(name)} isOpen={isOpen} onClose={() => open(false)}>
        <Waiting ask={() => getData<LastSeen>(path)} />
        <div>
          <button class="button" type="button" onClick={() => open(false)}>
            {texts.value.common.close}
          </button>
        </div>
      </Dialog>
    </>
  )
}
