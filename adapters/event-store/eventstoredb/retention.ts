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

export class Retention {
  readonly #setMetadata: SetMetadata
  readonly #ages = new Map<string, number>()
  readonly #set = new BoundedMap<string, { age: number; setting: Promise<void> }>(MOST_KNOWN)

  /** @param setMetadata  sets a stream's metadata */
  constructor(setMetadata: SetMetadata) {
    this.#setMetadata = setMetadata
  }

  /** @param age  seconds */
  keep(prefix: string, age: number): void {
    this.#ages.set(prefix, age)
  }

  /** Resolves when the stream has its age. Null if the stream needs none. */
  applied(stream: string, isNew: boolean): Promise<void> | null {
    const age = this.#ageOf(stream)
    if (age === undefined) return null
    const known = this.#set.get(stream)
    if (known?.age === age) return known.setting
    const setting = this.#setMetadata(stream, { $maxAge: age }, isNew)
    this.#set.set(stream, { age, setting })
    setting.catch(() => this.#set.delete(stream))
    return setting
  }

  /** If several prefixes match, the longest applies. */
  #ageOf(stream: string): number | undefined {
    let found: string | undefined
    for (const prefix of this.#ages.keys())
      if (stream.startsWith(prefix) && prefix.length > (found?.length ?? -1)) found = prefix
    return found === undefined ? undefined : this.#ages.get(found)
  }
}
