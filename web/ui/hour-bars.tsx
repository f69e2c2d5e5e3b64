// Tests: tests/e2e/browser/dashboard.test.ts
/** The calls of a webhook by hour: delivered ones, and failed ones above them. */
import type { HourStats } from '../api/types.ts'
import { moment, shortTime } from '../app/localised.ts'
import { columnsOf, figuresOf, HEIGHT } from '../app/hour-columns.ts'
import { texts } from '../app/language.ts'
import { HOUR_MS } from '../app/vietnam-time.ts'

const STEP = 6
const BAR = 5

export const HourBars = ({ of }: { of: readonly HourStats[] }) => {
  const { webhooks: t } = texts.value
  const { called, failed, uncounted, lastFailed } = figuresOf(of)
  const end = lastFailed && new Date(Date.parse(lastFailed) + HOUR_MS).toISOString()
  const last = end ? t.hourOf(moment(lastFailed), shortTime(end)) : ''
  return (
    <svg
      class="hours"
      viewBox={`0 0 ${of.length * STEP} ${HEIGHT + 1}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t.hours(called, failed, last, uncounted)}
    >
      {columnsOf(of).map((hour, index) => {
        const x = index * STEP
        return (
          <g key={hour.from}>
            <rect class="good" x={x} y={HEIGHT - hour.delivered} width={BAR} height={hour.delivered} />
            <rect class="bad" x={x} y={HEIGHT - hour.delivered - hour.failed} width={BAR} height={hour.failed} />
            {/* An hour that was not counted has no base line. */}
            {hour.isCounted && <rect class="base" x={x} y={HEIGHT} width={STEP} height="1" />}
          </g>
        )
      })}
    </svg>
  )
}
