// Tests: tests/unit/workflows/store-migration/event-file.test.ts
/**
 * The events of a store as a file: JSON lines, one line per event, in the order of the store. The last line contains
 * the number of events, a SHA-256 of everything before it, and the last event that each reader of the old store had
 * processed. So a file that was truncated, altered or spliced is detected before it is used.
 */
import { createHash, type Hash } from 'node:crypto'
import { z } from 'zod'
import type { Metadata, NewEvent, RecordedEvent } from '../../domain/event.ts'
import { PARKED_STREAM, parkedEvents } from '../../domain/parked/events.ts'
import { isResolution, Resolutions, type Resolution } from '../../domain/parked/resolutions.ts'

const line = z.strictObject({
  stream: z.string().min(1),
  revision: z.int().nonnegative(),
  id: z.guid(),
  type: z.string().min(1),
  data: z.unknown(),
  metadata: z.unknown(),
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

  /** Data or metadata that is not JSON becomes null, which no version can read either. */
  line({ stream, revision, id, type, data = null, metadata }: FiledEvent): string {
    const text = `${JSON.stringify({ stream, revision, id, type, data, metadata: metadata ?? null })}\n`
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

/** More events of unknown types are not skipped one by one: the file comes from a newer version. */
const MOST_UNKNOWN = 10_000

interface UnknownEvent extends Pick<FiledEvent, 'stream' | 'id' | 'type'> {
  /** The number of its line. */
  number: number
}

/** @throws {BadFile} if the operator has not skipped one of them: nothing could read its stream */
const refuse = (unknown: readonly UnknownEvent[], resolutions: Resolutions): void => {
  for (const event of unknown)
    if (!resolutions.isSkipped(event))
      throw new BadFile(`line ${event.number} is an event this version does not know: ${event.type}`)
}

/** The operator's decision that an event of a file or of a raw store is. */
export const resolutionOf = (
  event: Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'data'>,
): Resolution | undefined => {
  if (event.stream !== PARKED_STREAM || !isResolution(event)) return undefined
  const { data } = parkedEvents[event.type].safeParse(event.data)
  return data && ({ ...event, data } as Resolution)
}

/**
 * Reads a file to its end.
 * @param knows  whether this version has the given type of event
 * @returns its last line
 * @throws {BadFile} if it is incomplete or altered, or has events that this version does not know and nobody skipped
 */
export const checkFile = async (lines: AsyncIterable<string>, knows: (type: string) => boolean): Promise<LastLine> => {
  const hash = createHash('sha256')
  const unknown: UnknownEvent[] = []
  const resolutions = new Resolutions()
  let last: string | undefined
  let number = 0
  for await (const text of lines) {
    if (last !== undefined) {
      const event = eventOfLine(last, number)
      const { stream, id, type } = event
      if (!knows(type) && unknown.push({ stream, id, type, number }) > MOST_UNKNOWN) refuse(unknown, resolutions)
      const resolution = resolutionOf(event)
      if (resolution) resolutions.add(resolution)
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
  refuse(unknown, resolutions)
  return summary
}
