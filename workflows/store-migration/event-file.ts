// Tests: tests/unit/workflows/store-migration/event-file.test.ts
/**
 * The events of a store as a file: JSON lines, one line per event, in the order of the store. The last line contains
 * the number of events, a SHA-256 of everything before it, and the last event that each reader of the old store had
 * processed. So a file that was truncated, altered or spliced is detected before it is used.
 */
import { createHash, type Hash } from 'node:crypto'
import { z } from 'zod'
import type { Metadata, NewEvent } from '../../domain/event.ts'
import { PARKED_STREAM, parkedEvents } from '../../domain/parked/events.ts'

const line = z.strictObject({
  stream: z.string().min(1),
  revision: z.int().nonnegative(),
  id: z.guid(),
  type: z.string().min(1),
  data: z.unknown(),
  metadata: z.looseObject({ user_id: z.int().nullable(), at: z.iso.datetime() }),
})

const lastLine = z.strictObject({
  events: z.int().nonnegative(),
  /** Readers of the store (`reactions`, `relay <topic>`), and the last event in this file that each has processed. */
  readers: z.record(z.string(), z.guid()),
  /** Lower-case hexadecimal: of all lines before this one, and of this one without it. */
  sha256: z.string(),
})

export type LastLine = z.infer<typeof lastLine>

export interface FiledEvent extends NewEvent {
  stream: string
  revision: number
}

/** The error in a file, in one line. */
export class BadFile extends Error {
  override name = 'BadFile'
}

const digest = (hash: Hash, { events, readers }: Omit<LastLine, 'sha256'>): string =>
  hash.update(JSON.stringify({ events, readers })).digest('hex')

/** Makes the lines of a file, each with its line break. */
export class FileWriter {
  readonly #hash = createHash('sha256')
  #events = 0

  line({ stream, revision, id, type, data, metadata }: FiledEvent): string {
    const text = `${JSON.stringify({ stream, revision, id, type, data, metadata })}\n`
    this.#hash.update(text)
    this.#events++
    return text
  }

  end(readers: Readonly<Record<string, string>>): { text: string; summary: LastLine } {
    const summary = { events: this.#events, readers: { ...readers } }
    const whole = { ...summary, sha256: digest(this.#hash, summary) }
    return { text: `${JSON.stringify(whole)}\n`, summary: whole }
  }
}

const parsed = (text: string, number: number): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new BadFile(`line ${number} is not JSON`)
  }
}

/** @throws {BadFile} */
export const eventOfLine = (text: string, number: number): FiledEvent => {
  const { data, error } = line.safeParse(parsed(text, number))
  if (error)
    throw new BadFile(`line ${number} is not an event: ${error.issues[0]!.path.join('.')} ${error.issues[0]!.message}`)
  return { ...data, metadata: data.metadata as unknown as Metadata }
}

/** Events of a file that this version does not know. Those that the operator skipped are allowed, because everything ignores them. */
class UnknownEvents {
  readonly #found = new Map<string, { text: string; isSkipped: boolean }>()

  add(text: string, { id }: FiledEvent): void {
    if (this.#found.size >= MOST_UNKNOWN) this.refuse()
    this.#found.set(id, { text, isSkipped: false })
  }

  /** Takes a decision of the operator. The last one about an event counts. */
  decide({ type, data }: FiledEvent): void {
    const { data: decision } = parkedEvents.ParkedEventSkipped.safeParse(data)
    const found = decision && this.#found.get(decision.event_id)
    if (found) found.isSkipped = type === 'ParkedEventSkipped'
  }

  /** @throws {BadFile} if one of them is not skipped */
  refuse(): void {
    for (const { text, isSkipped } of this.#found.values()) if (!isSkipped) throw new BadFile(text)
  }
}

/** More of them are not skipped one by one: the file comes from a newer version. */
const MOST_UNKNOWN = 10_000

/**
 * Reads a file to its end.
 * @param knows  whether this version has the given type of event
 * @returns its last line
 * @throws {BadFile} if it is incomplete or altered, or has events that this version does not know and nobody skipped
 */
export const checkFile = async (lines: AsyncIterable<string>, knows: (type: string) => boolean): Promise<LastLine> => {
  const hash = createHash('sha256')
  const unknown = new UnknownEvents()
  let last: string | undefined
  let number = 0
  for await (const text of lines) {
    if (last !== undefined) {
      const event = eventOfLine(last, number)
      if (!knows(event.type)) unknown.add(`line ${number} is an event this version does not know: ${event.type}`, event)
      else if (event.stream === PARKED_STREAM) unknown.decide(event)
      hash.update(`${last}\n`)
    }
    last = text
    number++
  }
  const { data: summary } = lastLine.safeParse(last === undefined ? undefined : parsed(last, number))
  if (!summary) throw new BadFile('its last line does not say how many events there are: the file was cut off')
  if (summary.events !== number - 1)
    throw new BadFile(`it contains ${number - 1} events, but its last line says ${summary.events}`)
  if (digest(hash, summary) !== summary.sha256)
    throw new BadFile('it was changed after it was written: its SHA-256 differs')
  unknown.refuse()
  return summary
}
