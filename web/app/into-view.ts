// Tests: tests/e2e/browser/dashboard.test.ts
/** Scrolls to the result of an act when it appears: on a phone it may be above or below what is visible. */
import { useEffect, useRef } from 'preact/hooks'

export const useIntoView = <Shown extends HTMLElement>() => {
  const ref = useRef<Shown>(null)
  useEffect(() => ref.current?.scrollIntoView({ block: 'nearest' }), [])
  return ref
}
