// Tests: tests/integration/http/jobs.test.ts
/**
 * Retries many transactions as a job. A call starts it. The process that holds the lease does it page by page, oldest
 * first. A page is recorded before it is done, so after a crash it is done once more: transactions that the job has already
 * queued are skipped. After each page the job pauses for longer than the page took, so
 * that other work comes first.
 */
import { jobEvents, jobStream, type JobEvent, type JobFilter, type JobPosition } from '../../domain/job/events.ts'
import { cancel, evolve, goOn, type Job, type Page } from '../../domain/job/job.ts'
import { Refused } from '../../domain/errors.ts'
import { NO_STREAM, type Checkpoint, type Clock, type EventStore, type Ids } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import type { Accounts, OwnersOccasion } from '../accounts/accounts.ts'
import { execute } from '../support/execute.ts'
import { foldCache, type FoldCache } from '../support/fold-cache.ts'
import { stamp, ownCause } from '../support/stamp.ts'
import { nextId } from '../support/next-id.ts'
import { retryAll } from '../transactions/by-hand.ts'

/** A user's transactions that a filter selects, and the running jobs, from the read models. */
export interface RetriedTransactions {
  count(userId: number, filter: JobFilter): Promise<{ count: number; newest: JobPosition | null }>
  /** Oldest first. */
  between(
    userId: number,
    filter: JobFilter,
    page: { after: JobPosition | null; to: JobPosition; limit: number },
  ): Promise<JobPosition[]>
  /** The next jobs to continue, in turns by account. Those of locked accounts are left out. */
  runningJobs(): Promise<number[]>
  /** Number of a user's running jobs. */
  runningOf(userId: number): Promise<number>
}

export interface JobParts {
  store: EventStore
  accounts: Pick<Accounts, 'find'>
  clock: Clock
  transactions: RetriedTransactions
}

const PAGE = 100

/** Running jobs of an account. Calls at the same moment may exceed it by a few. */
export const MOST_RUNNING = 10

/** Milliseconds between two searches for jobs. The pause after a page is a multiple of its duration, but has a minimum. */
const LOOK_EVERY = 3_000
const REST = { times: 3, atLeast: 20 }

const jobs = () =>
  foldCache<Job | null, keyof typeof jobEvents>(
    { stream: (id) => jobStream(Number(id)), events: jobEvents, initial: null, evolve },
    100,
  )

/**
 * @returns the job's id and its position in the store
 * @throws {Refused} CONFLICT if too many jobs of the account are running · {StoreUnavailable}
 */
export const createJob = async (
  { store, ids, transactions }: { store: EventStore; ids: Ids; transactions: Pick<RetriedTransactions, 'runningOf'> },
  occasion: OwnersOccasion,
  filter: JobFilter,
  { count, newest }: { count: number; newest: JobPosition | null },
): Promise<{ job_id: number; checkpoint: Checkpoint | null }> => {
  const { user_id, at } = occasion
  if ((await transactions.runningOf(user_id)) >= MOST_RUNNING)
    throw new Refused(
      'CONFLICT',
      `An account can have at most ${MOST_RUNNING} running bulk retries. Wait until one ends, or cancel one.`,
    )
  const job_id = await nextId(ids)
  const created: JobEvent = {
    type: 'JobCreated',
    data: { job_id, user_id, kind: 'bulk_retry', filter, total: count, up_to: newest, created_at: at.toISOString() },
  }
  const events = stamp([created], occasion)
  const [result] = await store.append([[{ stream: jobStream(job_id), expectedRevision: NO_STREAM, events }]])
  if (!result?.ok) throw new Error(`the stream of job ${job_id} already exists`)
  return { job_id, checkpoint: result.checkpoint }
}

/** @throws {Refused} NOT_FOUND, also for another user's job; CONFLICT if it has ended · {StoreUnavailable} */
export const cancelJob = (store: EventStore, occasion: OwnersOccasion, id: number) =>
  execute(store, jobs(), String(id), occasion, ({ state }) => cancel(state, occasion.user_id))

const runPage = async ({ store, accounts, clock, transactions }: JobParts, job: Job): Promise<number | 'later'> => {
  const { user_id, filter, page, job_id } = job
  if (!page) return 0
  const account = await accounts.find(user_id)
  if (!account) return 0
  // Like the account's deliveries, the job waits until the account is unlocked.
  if (account.locked) return 'later'
  const { after, to } = page
  const found = await transactions.between(user_id, filter, { after, to, limit: PAGE })
  const occasion = { user_id, at: clock.now(), ...ownCause(jobStream(job_id)) }
  const ids = found.map(({ id }) => id)
  const meant = { status: filter.status, only: filter.rule_id }
  const { count } = ids.length > 0 ? await retryAll(store, account, occasion, ids, meant) : { count: 0 }
  return ids.length - count
}

const nextPage = async ({ transactions }: JobParts, { user_id, filter, page, up_to }: Job): Promise<Page | null> => {
  if (!up_to) return null
  const after = page?.to ?? null
  const found = await transactions.between(user_id, filter, { after, to: up_to, limit: PAGE })
  const to = found.at(-1)
  return to ? { after, to, count: found.length } : null
}

/** Does a job's page and begins the next one. @returns whether there was something to do */
const step = async (parts: JobParts, cache: FoldCache<Job | null>, id: number): Promise<boolean> => {
  const { state: job } = await cache.load(parts.store, String(id))
  if (job?.status !== 'running') return false
  const failed = await runPage(parts, job)
  if (failed === 'later') return false
  const next = await nextPage(parts, job)
  const occasion = { user_id: job.user_id, at: parts.clock.now(), ...ownCause(jobStream(id)) }
  // If the job was cancelled, or another process continued it, then this page is done, and nothing is recorded.
  await execute(parts.store, cache, String(id), occasion, ({ state }) =>
    state?.page?.to.id === job.page?.to.id && state ? goOn(state, failed, next) : [],
  )
  return true
}

/** Continues all jobs, one page of each in turn, until the signal aborts. */
export const runJobs = async (
  parts: JobParts,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> => {
  const cache = jobs()
  while (!signal.aborted) {
    let worked = false
    for (const id of await parts.transactions.runningJobs().catch((error: unknown) => (onError(error), []))) {
      if (signal.aborted) return
      const began = performance.now()
      const did = await step(parts, cache, id).catch((error: unknown) => (onError(error), false))
      worked ||= did
      const rest = did ? Math.max(REST.atLeast, REST.times * (performance.now() - began)) : 0
      await waitUnlessAborted(rest, signal)
    }
    if (!worked) await waitUnlessAborted(LOOK_EVERY, signal)
  }
}
