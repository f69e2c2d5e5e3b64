// Tests: tests/unit/workflows/scheduled/watch-disk.test.ts
/** The common part of all watches of this installation: they raise and end alerts of the operator, and count both. */
import type { Clock } from '../../domain/ports.ts'
import type { Alerts, Cause } from '../alerts/alerts.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { ownCause } from '../support/stamp.ts'

export interface OperatorWatchParts {
  /** The operator's account; null while there is none. */
  operator: () => Promise<number | null>
  /** Subjects of the user's alerts of one kind that last. */
  lasting: (userId: number, kind: Cause['kind']) => Promise<string[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

/** One check. */
export interface Look {
  /** Subjects of the alerts that lasted before. */
  lasting: readonly string[]
  /** Does nothing while the alert lasts. */
  raise(subject: string, text: Cause['text']): Promise<void>
  /** @returns false if there was no such alert */
  end(subject: string): Promise<boolean>
}

export const operatorWatch =
  (
    { operator, lasting: lastingOf, alerts, clock }: OperatorWatchParts,
    kind: Cause['kind'],
    look: (of: Look) => Promise<void>,
  ): ScheduledJob['run'] =>
  async () => {
    const user_id = await operator()
    if (user_id === null) return null
    const lasting = await lastingOf(user_id, kind)
    const cause = ownCause()
    const at = clock.now().toISOString()
    const about = (subject: string) => ({ user_id, kind, subject, ...cause })
    let raised = 0
    let ended = 0
    await look({
      lasting,
      raise: async (subject, text) => {
        if (lasting.includes(subject)) return
        if ((await unlessUnreadable(() => alerts.raise({ ...about(subject), text, since: at })))?.checkpoint) raised++
      },
      end: async (subject) => {
        if (!lasting.includes(subject)) return false
        const isEnded = Boolean(
          (await unlessUnreadable(() => alerts.end({ ...about(subject), until: at })))?.checkpoint,
        )
        if (isEnded) ended++
        return isEnded
      },
    })
    return raised + ended > 0 ? { raised, ended } : null
  }
