// Tests: tests/e2e/browser/dashboard.test.ts
/** A value that follows another one after a pause, so that typing does not cause a call for each letter. */
import { useEffect, useState } from 'preact/hooks'

const PAUSE_MS = 500

export const useSettled = <Value>(value: Value): Value => {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
