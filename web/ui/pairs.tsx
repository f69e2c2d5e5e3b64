// Tests: tests/e2e/browser/dashboard.test.ts
/** Labels, each with its value. */
import type { ComponentChildren } from 'preact'

export type Pair = readonly [label: string, value: ComponentChildren]

export const Pairs = ({ rows }: { rows: readonly Pair[] }) => (
  <dl class="pairs">
    {rows.map(([label, value]) => (
      <>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)
