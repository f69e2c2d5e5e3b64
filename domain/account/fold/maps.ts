// Tests: tests/unit/domain/account/rules.test.ts
/** Changes of the maps in an account's state. Each returns a new map. */

export const set = <Value>(map: ReadonlyMap<number, Value>, key: number, value: Value): ReadonlyMap<number, Value> =>
  new Map(map).set(key, value)

export const without = <Value>(map: ReadonlyMap<number, Value>, key: number): ReadonlyMap<number, Value> => {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

/** Changes the fields that are given. `undefined` leaves a field as it is. */
export const changed = <Value extends object>(
  map: ReadonlyMap<number, Value>,
  key: number,
  change: { [Key in keyof Value]?: Value[Key] | undefined },
): ReadonlyMap<number, Value> => {
  const before = map.get(key)
  if (!before) return map
  const given = Object.fromEntries(
    Object.entries(change).filter(([field, value]) => value !== undefined && field in before),
  )
  return set(map, key, { ...before, ...given })
}
