// Tests: tests/e2e/browser/recovery.test.ts
/** Calls it when a tab comes back to the front, or the network returns. @returns the function that stops it */
export const whenBack = (act: () => void): (() => void) => {
  const ended = new AbortController()
  const back = (): void => {
    if (document.visibilityState !== 'hidden') act()
  }
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, back, ended)
  for (const event of ['online', 'pageshow']) addEventListener(event, back, ended)
  return () => ended.abort()
}
