/**
 * How long events of streams with a prefix are kept. The server knows ages of streams only, so each stream is told before
 * its first event; and, as the age may have been another when that was, once more when this process first appends to one
 * that is there already, beside the append.
 */
import type { StreamMetadata } from './metadata.ts'

/** Streams whose retention was set. A forgotten stream is set again, which changes nothing. */
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

  /** Resolves when the stream is known to have its age; null where it needs none. */
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

  /** The longest prefix counts. */
  #ageOf(stream: string): number | undefined {
    let found: string | undefined
    for (const prefix of this.#ages.keys())
      if (stream.startsWith(prefix) && prefix.length > (found?.length ?? -1)) found = prefix
    return found === undefined ? undefined : this.#ages.get(found)
  }
}
