// Tests: tests/e2e/browser/undelivered.test.ts
/** Sends again what a filter selects: counts first, asks, then starts a job. Its progress can be followed and stopped. */
import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData, post, remove } from '../api/client.ts'
import type { Job } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { count, duration } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { queries, refetchAfter } from '../app/session.ts'
import { useAction } from './action.ts'
import { ActionProblem } from './basics.tsx'
import { Dialog } from './dialog.tsx'
import { FailedRead } from './loaded.tsx'

export type RetriedStatus = 'failed' | 'pending' | 'success'

export interface RetryFilter {
  status: RetriedStatus
  rule_id?: number
  error?: string
  bank_code?: string
  date_from?: string
  date_to?: string
}

interface Counted {
  count: number
  job_id: number | null
}

const BULK_RETRY = '/api/webhooks/bulk-retry'
const POLL_MS = 1_000

interface RetryManyProps {
  button: string
  /** For screen readers, if the button's text does not say what it acts on. */
  label?: string
  filter: RetryFilter
  /** How long it takes if the endpoints work; null: unknown. */
  seconds: number | null
  isMain?: boolean
  started: (job: number) => void
}

export const RetryMany = ({ button, label, filter, seconds, isMain, started }: RetryManyProps) => {
  const { undelivered: t, common } = texts.value
  const { ask } = t
  const [isAsking, setAsking] = useState(false)
  const counted = useAction(() => post<Counted>(BULK_RETRY, { filter, dry_run: true }))
  const start = useAction(() => post<Counted>(BULK_RETRY, { filter }), ['undelivered', 'transactions'])
  const open = (): void => {
    start.reset()
    setAsking(true)
    void counted.run()
  }
  const send = async (): Promise<void> => {
    const job = (await start.run())?.job_id
    if (!job) return
    setAsking(false)
    announce(t.job.started)
    started(job)
  }
  const number = counted.result?.count
  const error = counted.error ?? start.error
  return (
    <>
      <button class={isMain ? 'button main' : 'button'} type="button" aria-label={label} onClick={open}>
        {button}
      </button>
      <Dialog title={ask.title[filter.status]} isOpen={isAsking} onClose={() => setAsking(false)}>
        <ActionProblem error={error} />
        {counted.isRunning && <p role="status">{ask.counting}</p>}
        {number === 0 && <p role="status">{ask.none}</p>}
        {!!number && (
          <>
            <p role="status">
              <b>{ask.count(count(number), number === 1)}</b>{' '}
              {seconds !== null && (seconds < 60 ? ask.soon : ask.takes(duration(seconds)))}
            </p>
            <p>{ask[filter.status]}</p>
          </>
        )}
        <div class="row">
          {!!number && (
            <button class="button main" type="button" disabled={start.isRunning} onClick={() => void send()}>
              {ask.start(count(number), number === 1)}
            </button>
          )}
          <button class="button" type="button" onClick={() => setAsking(false)}>
            {common.cancel}
          </button>
        </div>
      </Dialog>
    </>
  )
}

/** The progress of a job. @param hide  takes it off the page */
export const JobProgress = ({ id, hide }: { id: number; hide: () => void }) => {
  const { undelivered } = texts.value
  const t = undelivered.job
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: () => getData<Job>(`/api/jobs/${id}`),
    refetchInterval: ({ state }) => refetchAfter(state.error, state.data?.status === 'running' ? POLL_MS : false),
  })
  const cancel = useAction(() => remove(`/api/jobs/${id}`), ['job'])
  const { data } = job
  const isRunning = data?.status === 'running'
  useEffect(() => {
    if (data && !isRunning) void queries.invalidateQueries({ queryKey: ['undelivered'] })
  }, [data?.status])
  return (
    <section class="block stack tight" aria-label={t.title}>
      <h2>{t.title}</h2>
      <FailedRead of={job} />
      <ActionProblem error={cancel.error} />
      {isRunning && (
        <>
          <p>{t.progress(count(data.done), count(data.total))}</p>
          <progress value={data.done} max={Math.max(1, data.total)} aria-label={t.title} />
        </>
      )}
      {data && !isRunning && (
        <p class={data.status === 'done' ? 'notice done' : 'notice waiting'} role="status">
          {data.status === 'done'
            ? t.done(count(data.done - data.failed), data.done - data.failed === 1)
            : t.cancelled(count(data.done), count(data.total))}
        </p>
      )}
      {!!data?.failed && <p class="notice waiting">{t.failed(count(data.failed), data.failed === 1)}</p>}
      <div>
        {isRunning ? (
          <button class="button danger" type="button" disabled={cancel.isRunning} onClick={() => void cancel.run()}>
            {t.cancel}
          </button>
        ) : (
          <button class="button" type="button" onClick={hide}>
            {t.hide}
          </button>
        )}
      </div>
    </section>
  )
}
