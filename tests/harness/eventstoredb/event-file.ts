/** The stand-in's events on disk: one line per append, so that after a kill an append exists completely or not at all. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { StoredEvent } from './event.ts'

interface Line extends Omit<StoredEvent, 'data' | 'metadata'> {
  data: string
  metadata: string
}

const lineOf = (events: readonly StoredEvent[]): string => {
  const lines = events.map((event): Line => ({
    id: event.id,
    type: event.type,
    contentType: event.contentType,
    stream: event.stream,
    revision: event.revision,
    position: event.position,
    created: event.created,
    data: event.data.toString('base64'),
    metadata: event.metadata.toString('base64'),
  }))
  return `${JSON.stringify(lines)}\n`
}

export class EventFile {
  readonly #path: string
  readonly #removedPath: string
  #file: number

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#path = join(folder, 'events.jsonl')
    this.#removedPath = join(folder, 'removed.json')
    if (!existsSync(this.#path)) writeFileSync(this.#path, '')
    this.#file = openSync(this.#path, 'a')
  }

  /** Reads all appends. An incomplete line at the end was never answered, and is removed. */
  *read(): Generator<StoredEvent[]> {
    const content = readFileSync(this.#path)
    const whole = content.lastIndexOf('\n') + 1
    if (whole < content.length) truncateSync(this.#path, whole)
    for (const line of content.subarray(0, whole).toString().split('\n').filter(Boolean))
      yield (JSON.parse(line) as Line[]).map((event) => ({
        ...event,
        data: Buffer.from(event.data, 'base64'),
        metadata: Buffer.from(event.metadata, 'base64'),
      }))
  }

  /** Positions of events that a scavenge has removed. */
  removed(): number[] {
    return existsSync(this.#removedPath) ? (JSON.parse(readFileSync(this.#removedPath, 'utf8')) as number[]) : []
  }

  append(events: readonly StoredEvent[]): void {
    writeSync(this.#file, lineOf(events))
  }

  rewrite(events: readonly StoredEvent[], removed: ReadonlySet<number>): void {
    writeFileSync(this.#removedPath, JSON.stringify([...removed]))
    const next = `${this.#path}.next`
    writeFileSync(next, events.map((event) => lineOf([event])).join(''))
    renameSync(next, this.#path)
    closeSync(this.#file)
    this.#file = openSync(this.#path, 'a')
  }
}
