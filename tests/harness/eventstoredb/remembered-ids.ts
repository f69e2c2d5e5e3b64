/** With ANY and STREAM_EXISTS, event ids are recognised only while the server remembers them. */
import type { StoredEvent } from './event.ts'

const MOST = 100_000

export class RememberedIds {
  /** Revisions by stream and id. The older half is forgotten when the newer one is full. */
  #newer = new Map<string, number>()
  #older = new Map<string, number>()

  add({ stream, id, revision }: StoredEvent): void {
    this.#newer.set(`${stream} ${id}`, revision)
    if (this.#newer.size < MOST / 2) return
    this.#older = this.#newer
    this.#newer = new Map()
  }

  get(stream: string, id: string): number | undefined {
    const key = `${stream} ${id}`
    return this.#newer.get(key) ?? this.#older.get(key)
  }
}
