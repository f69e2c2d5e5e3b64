// Tests: tests/integration/scheduled/watch-clocks.test.ts
/** Alerts the operator when the clock of a machine differs much from the database's. */
import { CLOCK_ALERT_MS } from '../../domain/clock.ts'
import { inEach } from '../texts/texts.ts'
import { operatorWatch, type OperatorWatchParts } from './operator-watch.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchClocksParts extends OperatorWatchParts {
  /** Processes whose clock differs, those that differ most first. */
  differing: () => Promise<readonly { machine: string; ahead_ms: number }[]>
}

const EVERY_HALF_MINUTE = '4-59/30 * * * * *'
/** Characters of the name of a machine. */
const LONGEST_NAME = 100

const shown = (machine: string): string => machine.slice(0, LONGEST_NAME)
const subjectOf = (machine: string): string => `clock:${shown(machine)}`

export const watchClocks = ({ differing, ...parts }: WatchClocksParts): ScheduledJob => ({
  name: 'watch_clocks',
  at: EVERY_HALF_MINUTE,
  run: operatorWatch(parts, 'clock_differs', async ({ lasting, raise, end }) => {
    const present = await differing()
    for (const { machine, ahead_ms } of present)
      if (Math.abs(ahead_ms) >= CLOCK_ALERT_MS) await raise(subjectOf(machine), textOf(shown(machine), ahead_ms))
    const differ = new Set(present.map(({ machine }) => subjectOf(machine)))
    for (const subject of lasting) if (!differ.has(subject)) await end(subject)
  }),
})

const textOf = (machine: string, aheadMs: number) =>
  inEach(({ alerts }) => alerts.clockDiffers(machine, Math.round(Math.abs(aheadMs) / 1_000), aheadMs > 0))
