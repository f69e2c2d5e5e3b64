// Tests: tests/e2e/browser/dashboard.test.ts
/** A choice that this browser remembers. Where storage is forbidden, it lasts as long as the page. */

export interface Choice<Value> {
  read(): Value
  keep(value: Value): void
}

export const choice = <Value extends string>(name: string, options: readonly Value[], usual: Value): Choice<Value> => {
  let current = usual
  try {
    const kept = localStorage.getItem(`baoco.${name}`) as Value
    if (options.includes(kept)) current = kept
  } catch {
    // Storage is forbidden.
  }
  return {
    read: () => current,
    keep: (value) => {
      current = value
      try {
        localStorage.setItem(`baoco.${name}`, value)
      } catch {
        // Storage is forbidden.
      }
    },
  }
}
