// Tests: tests/e2e/browser/dashboard.test.ts
/** Keeps a list still while somebody reads it further down: what arrives above is held back until they ask, or scroll up. */
import { useEffect, useRef, useState } from 'preact/hooks'

/** Pixels. */
const TOP = 120

const useIsAtTop = (): boolean => {
  const [isAtTop, set] = useState(scrollY < TOP)
  useEffect(() => {
    const look = (): void => set(scrollY < TOP)
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  return isAtTop
}

/**
 * @param rows  newest first
 * @param name  of what is listed; another name begins anew
 * @returns the rows to show, and how many newer ones are held back
 */
export const useStillRows = <Row extends { id: number }>(
  rows: readonly Row[],
  name: string,
): { shown: readonly Row[]; held: number } => {
  const isAtTop = useIsAtTop()
  const newest = useRef<{ name: string; id: number | undefined }>({ name, id: undefined })
  if (isAtTop || newest.current.name !== name || newest.current.id === undefined)
    newest.current = { name, id: rows[0]?.id }
  const held = Math.max(
    0,
    rows.findIndex(({ id }) => id === newest.current.id),
  )
  return { shown: rows.slice(held), held }
}
