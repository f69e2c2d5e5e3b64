// Tests: tests/e2e/browser/dashboard.test.ts
/** Draws the lower parts of a screen after the upper ones, so that nothing moves while somebody reads it. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Loading } from './basics.tsx'

interface Awaited {
  data: unknown
  failureCount: number
}

/** Draws its children once each of the queries has brought something, or has failed for the first time. */
export const After = ({ of, children }: { of: readonly Awaited[]; children: ComponentChildren }) => {
  const isDrawn = useRef(false)
  isDrawn.current ||= of.every(({ data, failureCount }) => data !== undefined || failureCount > 0)
  return isDrawn.current ? <>{children}</> : <Loading />
}
