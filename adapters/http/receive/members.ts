// Tests: tests/unit/adapters/http/receive/fields.test.ts
/** Finds members of a posted value by their plain names. */
import { plainName, type Path } from './field-names.ts'

/** An object's own members by plain name. */
export type Members = ReadonlyMap<string, unknown>

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Apps send fewer. */
const MOST_MEMBERS = 500

/** If several members have the same plain name, the first counts. A value that is not an object has no members. */
export const membersOf = (value: unknown): Members => {
  const members = new Map<string, unknown>()
  if (!isObject(value) || Array.isArray(value)) return members
  for (const name of Object.keys(value).slice(0, MOST_MEMBERS)) {
    const plain = plainName(name)
    if (!members.has(plain)) members.set(plain, (value as Record<string, unknown>)[name])
  }
  return members
}

/** Undefined if there is no such member. */
export const memberAt = (members: Members, path: Path): unknown => {
  let value = members.get(path[0]!)
  for (let depth = 1; depth < path.length && value !== undefined; depth++) value = membersOf(value).get(path[depth]!)
  return value
}
