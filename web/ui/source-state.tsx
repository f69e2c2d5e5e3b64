// Tests: tests/e2e/browser/dashboard.test.ts
/** When a source last reported, how often it usually does, and whether it is silent. */
import { useQuery } from '@tanstack/preact-query'
import { getData } from '../api/client.ts'
import type { LastSeen } from '../api/types.ts'
import { duration, moment } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { refetchAfter } from '../app/session.ts'
import { Ago, StatusText } from './basics.tsx'

/** A source that reports nothing new causes no message in the live stream. */
const REFETCH_MS = 30_000

/** @param name  the second part of the query's key */
export const useSource = <Value,>(name: string, path: string, missing?: (error: unknown) => Value) =>
  useQuery({
    queryKey: ['sources', name],
    queryFn: () => (missing ? getData<Value>(path).catch(missing) : getData<Value>(path)),
    refetchInterval: ({ state }) => refetchAfter(state.error, REFETCH_MS),
  })

export const SourceState = ({ of: { last_heard_at, usual_pause_s, silent_since } }: { of: LastSeen }) => {
  const t = texts.value.sources.seen
  if (last_heard_at === null) return <StatusText kind="neutral" text={t.never} />
  return (
    <div>
      {silent_since ? (
        <StatusText kind="failed" text={t.silent(moment(silent_since))} />
      ) : (
        <StatusText kind="success" text={t.good} />
      )}
      <p class="muted">
        {t.last}: <Ago at={last_heard_at} />. {usual_pause_s === null ? t.learning : t.usual(duration(usual_pause_s))}
      </p>
    </div>
  )
}

export const QrCode = ({ svg, label }: { svg: string; label: string }) => (
  <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} />
)
