// Tests: tests/unit/domain/lazy.test.ts
/** @returns a function that makes a value when it is first called, and returns it from then on */
export const lazy = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
