// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * How long events of streams with a given prefix are kept. The server supports a maximum age only per stream, so the age is
 * set on each stream before its first event. The configured age may have changed since then. So it is set again, concurrently
 * with the append, when this process first appends to an existing stream.
 */
import { BoundedMap } from '../../../workflows/support/bounded-map.ts'
import type { StreamMetadata } from './metadata.ts'

/** The number of streams remembered as set. A stream that is no longer remembered is set again, which changes nothing. */
const MOST_KNOWN = 50_000

type SetMetadata = (stream: string, wanted: StreamMetadata, isNew: boolean) => Promise<void>

/** @param setMetadata  sets a stream's metadata */
export const openRetention = (setMetadata: SetMetadata) => {
  const ages = new Map<string, number>()
  const set = new BoundedMap<string, { age: number; setting: Promise<void> }>(MOST_KNOWN)

  /** @param age  seconds */
  const keep = (prefix: string, age: number): void => {
    ages.set(prefix, age)
  }

  /** Resolves when the stream has its age. Null if the stream needs none. */
  const applied = (stream: string, isNew: boolean): Promise<void> | null => {
    const age = ageOf(stream)
    if (age === undefined) return null
    const known = set.get(stream)
    if (known?.age === age) return known.setting
    const setting = setMetadata(stream, { $maxAge: age }, isNew)
    set.set(stream, { age, setting })
    setting.catch(() => set.delete(stream))
    return setting
  }

  /** If several prefixes match, the longest applies. */
  const ageOf = (stream: string): number | undefined => {
    let found: string | undefined
    for (const prefix of ages.keys())
      if (stream.startsWith(prefix) && prefix.length > (found?.length ?? -1)) found = prefix
    return found === undefined ? undefined : ages.get(found)
  }

  return { keep, applied }
}

export type Retention = ReturnType<typeof openRetention>
