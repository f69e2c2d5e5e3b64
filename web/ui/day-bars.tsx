// Tests: tests/e2e/browser/dashboard.test.ts
/** Bars of money in and out by day, with the same numbers as a table. */
import { signedSum } from '../app/localised.ts'
import { texts } from '../app/language.ts'

export interface DayTotal {
  date: string
  /** Decimal texts. */
  credit: string
  debit: string
}

const HEIGHT = 100
const STEP = 20
const BAR = 7

export const DayBars = ({
  of,
  currency,
  dayOf,
}: {
  of: readonly DayTotal[]
  currency: string
  dayOf: (date: string) => string
}) => {
  const t = texts.value.today
  // Only the height of a bar is a floating-point number.
  const most = Math.max(1, ...of.flatMap(({ credit, debit }) => [Number(credit), Number(debit)]))
  const high = (amount: string): number => (Number(amount) / most) * HEIGHT
  const bar = (kind: 'in' | 'out', amount: string, x: number) => (
    <rect class={kind} x={x} y={HEIGHT - high(amount)} width={BAR} height={high(amount)} />
  )
  return (
    <>
      <svg
        class="bars"
        viewBox={`0 0 ${of.length * STEP} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.days}
      >
        {of.map(({ date, credit, debit }, index) => (
          <g key={date}>
            {bar('in', credit, index * STEP + 2)}
            {bar('out', debit, index * STEP + 2 + BAR + 1)}
          </g>
        ))}
        <line class="axis" x1="0" x2={of.length * STEP} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
      </svg>
      <div class="row between muted ends" aria-hidden="true">
        <span>{dayOf(of[0]!.date)}</span>
        <span>{dayOf(of.at(-1)!.date)}</span>
      </div>
      <details>
        <summary>{t.table}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              <th scope="col" class="amount">
                {t.in}
              </th>
              <th scope="col" class="amount">
                {t.out}
              </th>
            </tr>
          </thead>
          <tbody>
            {[...of].reverse().map(({ date, credit, debit }) => (
              <tr key={date}>
                <td>{dayOf(date)}</td>
                <td class="amount credit">{signedSum('credit', credit, currency)}</td>
                <td class="amount debit">{signedSum('debit', debit, currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
