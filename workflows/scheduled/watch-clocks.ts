// Tests: tests/integration/scheduled/watch-clocks.test.ts
/** Alerts the operator when the clock of a machine differs much from the database's. */
import { randomUUID } from 'node:crypto'
import { CLOCK_ALERT_MS } from '../../domain/clock.ts'
import type { Clock } from '../../domain/ports.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchClocksParts {
  /** Processes whose clock differs, those that differ most first. */
  differing: () => Promise<readonly { machine: string; ahead_ms: number }[]>
  /** Subjects of the user's alerts about clocks that last. */
  lasting: (userId: number) => Promise<string[]>
  /** The operator's account; null while there is none. */
  operator: () => Promise<number | null>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

const EVERY_HALF_MINUTE = '*/30 * * * * *'
/** Characters of the name of a machine. */
const LONGEST_NAME = 100

export const watchClocks = ({ differing, lasting, operator, alerts, clock }: WatchClocksParts): ScheduledJob => ({
  name: 'watch_clocks',
  at: EVERY_HALF_MINUTE,
  run: async () => {
    const user_id = await operator()
    if (user_id === null) return null
    const look = randomUUID()
    const now = clock.now().toISOString()
    const of = (subject: string) =>
      ({ user_id, kind: 'clock_differs', subject, causation_id: look, correlation_id: look }) as const
    const present = await differing()
    const subjectOf = (machine: string): string => `clock:${machine.slice(0, LONGEST_NAME)}`
    const differ = new Set(present.map(({ machine }) => subjectOf(machine)))
    let raised = 0
    let ended = 0
    for (const { machine, ahead_ms } of present) {
      if (Math.abs(ahead_ms) < CLOCK_ALERT_MS) continue
      const alert = { ...of(subjectOf(machine)), text: textOf(machine.slice(0, LONGEST_NAME), ahead_ms), since: now }
      if ((await alerts.raise(alert)).checkpoint) raised++
    }
    for (const subject of await lasting(user_id))
      if (!differ.has(subject) && (await alerts.end({ ...of(subject), until: now })).checkpoint) ended++
    return raised + ended > 0 ? { raised, ended } : null
  },
})

const textOf = (machine: string, aheadMs: number) =>
  inEach(({ alerts }) => alerts.clockDiffers(machine, Math.round(Math.abs(aheadMs) / 1_000), aheadMs > 0))
