// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Several parts of a page may have the same message. The first of them shows it, and the next one does when the first one no longer needs
 * to.
 */
import { signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'

interface Saying {
  text: string
}

const all = signal<readonly Saying[]>([])

/** @returns whether this component is the first of those that are shown and have this text */
export const useIsFirst = (text: string): boolean => {
  const own = useMemo((): Saying => ({ text }), [text])
  useLayoutEffect(() => {
    all.value = [...all.peek(), own]
    return () => void (all.value = all.peek().filter((each) => each !== own))
  }, [own])
  return all.value.find((each) => each.text === text) === own
}
