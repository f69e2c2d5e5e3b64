// Tests: tests/unit/domain/account/rules.test.ts
/** A partial change. A field that is not given (undefined) stays as it is. */
export type Change<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined }

/** The given fields that differ from the current ones. Null if none does. */
export const differing = <Fields extends object>(present: Fields, change: Change<Fields>): Partial<Fields> | null => {
  const given = Object.entries(change).filter(
    ([field, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(present[field as keyof Fields]),
  )
  return given.length === 0 ? null : (Object.fromEntries(given) as Partial<Fields>)
}
