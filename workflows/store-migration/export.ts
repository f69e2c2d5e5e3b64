// Tests: tests/integration/store-migration/store-migration.test.ts
/**
 * Writes everything in a store, in order, to a file that can fill another store. Events that the store was to forget
 * are left out, even if they still exist: only the closing event of a closed stream is exported, nothing before the last
 * release of an address, and no expired events of streams with a retention time.
 *
 * The store is read twice, first to find these streams. So memory holds their names and one page of events.
 */
import { isEmailStream } from '../../domain/account/email-claim.ts'
import { isClosing } from '../../domain/erasure.ts'
import type { Metadata, RecordedEvent } from '../../domain/event.ts'
import { IMPORT_STREAM } from '../../domain/import.ts'
import { Resolutions } from '../../domain/parked/resolutions.ts'
import { isTombstoneType } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { keptFor } from '../../domain/retention.ts'
import { FileWriter, resolutionOf, type LastLine } from './event-file.ts'
import { pages } from '../support/store-pages.ts'

const isLast = (type: string): boolean => isClosing(type) || type === 'EmailReleased' || isTombstoneType(type)

interface Known {
  /** The revision of the last event of each closed or deleted stream, or of the release of an address. */
  erased: ReadonlyMap<string, number>
  resolutions: Resolutions
}

const readKnown = async (store: EventStore<RecordedEvent>): Promise<Known> => {
  const erased = new Map<string, number>()
  const resolutions = new Resolutions()
  for await (const page of pages(store))
    for (const event of page) {
      if (isLast(event.type)) erased.set(event.stream, event.revision)
      const resolution = resolutionOf(event)
      if (resolution) resolutions.add(resolution)
    }
  return { erased, resolutions }
}

/** A file cannot contain the event as it is stored. */
export class NotExportable extends Error {
  override name = 'NotExportable'
  constructor({ stream, revision }: RecordedEvent, why: string) {
    super(`${stream}@${revision} ${why}: run \`baoco parked skip ${stream} --yes\` if nothing needs it`)
  }
}

export interface ExportOptions {
  store: EventStore<RecordedEvent>
  /** The position of each reader of the store. Readers that have processed nothing are left out. */
  readers: Readonly<Record<string, Checkpoint>>
  now: Date
  /** Lifetime of unparsed notifications, seconds. */
  keepUnread: number
  write: (text: string) => Promise<void>
  /** Called before the last line, without which no file is imported. It rejects if events may be missing. */
  beforeEnd?: () => Promise<void>
  /** Called after each page with the number of events written so far. */
  onProgress?: (events: number) => void
}

/**
 * @returns the file's last line
 * @throws {NotExportable} if an event is not JSON, or marks a deleted stream, and the operator has not skipped it
 */
export const exportEvents = async (options: ExportOptions): Promise<LastLine> => {
  const { store, readers, now, keepUnread, write, beforeEnd, onProgress } = options
  const { erased, resolutions } = await readKnown(store)
  const file = new FileWriter()
  const met: Record<string, string> = {}
  let events = 0
  const isGone = ({ stream, revision, metadata }: RecordedEvent): boolean => {
    if (stream === IMPORT_STREAM) return true
    const last = erased.get(stream) ?? revision
    // An address may be registered again after its release. Nothing belongs to a closed stream after its closing event.
    if (revision < last || (revision > last && !isEmailStream(stream))) return true
    const kept = keptFor(stream, keepUnread)
    return kept !== null && Date.parse((metadata as Metadata | undefined)?.at ?? '') < now.getTime() - kept * 1_000
  }
  /** Whether the event is to be written. */
  const isWritten = (event: RecordedEvent): boolean => {
    if (isGone(event)) return false
    const isDeletedStream = isTombstoneType(event.type)
    const isDamaged = event.data === undefined || (event.metadata as Metadata | undefined) === undefined
    if ((isDeletedStream || isDamaged) && !resolutions.isSkipped(event))
      throw new NotExportable(event, isDeletedStream ? 'was deleted in the event store' : 'is not JSON')
    // In the other store, the stream does not exist.
    return !isDeletedStream
  }
  for await (const page of pages(store)) {
    let text = ''
    for (const event of page) {
      if (!isWritten(event)) continue
      text += file.line(event)
      events++
      for (const [reader, checkpoint] of Object.entries(readers))
        if (!store.isAfter(event.checkpoint, checkpoint)) met[reader] = event.id
    }
    await write(text)
    onProgress?.(events)
  }
  await beforeEnd?.()
  const { text, summary } = file.end(met)
  await write(text)
  return summary
}
