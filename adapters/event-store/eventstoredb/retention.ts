// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * How long events of streams with a given prefix are kept. The server supports a maximum age only per stream, so the age is
 * set on each stream before its first event. The configured age may have changed since then. So it is set again, concurrently
 * with the append, when this process first appends to an existing stream.
 */
import type { StreamMetadata } from './metadata.ts'

/** The number of streams remembered as set. A stream that is no longer remembered is set again, which changes nothing. */
const MOST_TOLD = 50_000

type Tell = (stream: string, wanted: StreamMetadata, isNew: boolean) => Promise<void>

export class Retention {
  readonly #tell: Tell
  readonly #ages = new Map<string, number>()
  readonly #told = new Map<string, { age: number; telling: Promise<void> }>()

  /** @param tell  sets a stream's metadata */
  constructor(tell: Tell) {
    this.#tell = tell
  }

  /** @param age  seconds */
  keep(prefix: string, age: number): void {
    this.#ages.set(prefix, age)
  }

  /** Resolves when the stream has its age. Null if the stream needs none. */
  told(stream: string, isNew: boolean): Promise<void> | null {
    const age = this.#ageOf(stream)
    if (age === undefined) return null
    const known = this.#told.get(stream)
    if (known?.age === age) return known.telling
    const telling = this.#tell(stream, { $maxAge: age }, isNew)
    this.#told.set(stream, { age, telling })
    telling.catch(() => this.#told.delete(stream))
    if (this.#told.size > MOST_TOLD) this.#told.delete(this.#told.keys().next().value!)
    return telling
  }

  /** If several prefixes match, the longest applies. */
  #ageOf(stream: string): number | undefined {
    let found: string | undefined
    for (const prefix of this.#ages.keys())
      if (stream.startsWith(prefix) && prefix.length > (found?.length ?? -1)) found = prefix
    return found === undefined ? undefined : this.#ages.get(found)
  }
}
