// Tests: tests/e2e/browser/long-lists.test.ts
/** Whether somebody reads a list below its top, and how much has arrived above meanwhile. */
import { useEffect, useState } from 'preact/hooks'

/** Pixels. */
const TOP = 120

export const useIsAtTop = (): boolean => {
  const [isAtTop, set] = useState(scrollY < TOP)
  useEffect(() => {
    const look = (): void => set(scrollY < TOP)
    // On the way back, the browser has scrolled before this.
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  return isAtTop
}

interface Row {
  id: number
  /** ISO 8601. */
  created_at: string
}

const isNewer = (a: Row, b: Row): boolean =>
  a.created_at === b.created_at ? a.id > b.id : Date.parse(a.created_at) > Date.parse(b.created_at)

/** @returns how many rows are newer than another one, which need not be among them */
export const numberOfNewer = (rows: readonly Row[], than: Row | undefined): number =>
  than ? rows.filter((row) => isNewer(row, than)).length : 0
