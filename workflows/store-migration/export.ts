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
import type { RecordedEvent } from '../../domain/event.ts'
import { IMPORT_STREAM } from '../../domain/import.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { keptFor } from '../../domain/retention.ts'
import { FileWriter, type LastLine } from './event-file.ts'
import { pages } from '../support/store-pages.ts'

/** The revision of the closing event of each closed stream, or of the release of an address. The last one counts. */
const erasedStreams = async (store: EventStore<RecordedEvent>): Promise<Map<string, number>> => {
  const erased = new Map<string, number>()
  for await (const page of pages(store))
    for (const { type, stream, revision } of page)
      if (isClosing(type) || type === 'EmailReleased') erased.set(stream, revision)
  return erased
}

export interface ExportOptions {
  store: EventStore<RecordedEvent>
  /** The position of each reader of the store. Readers that have processed nothing are left out. */
  readers: Readonly<Record<string, Checkpoint>>
  now: Date
  write: (text: string) => Promise<void>
  /** Called before the last line, without which no file is imported. It rejects if events may be missing. */
  beforeEnd?: () => Promise<void>
  /** Called after each page with the number of events written so far. */
  onProgress?: (events: number) => void
}

/** @returns the file's last line */
export const exportEvents = async (options: ExportOptions): Promise<LastLine> => {
  const { store, readers, now, write, beforeEnd, onProgress } = options
  const erased = await erasedStreams(store)
  const file = new FileWriter()
  const met: Record<string, string> = {}
  let events = 0
  const isGone = ({ stream, revision, metadata }: RecordedEvent): boolean => {
    if (stream === IMPORT_STREAM) return true
    const last = erased.get(stream) ?? revision
    // An address may be registered again after its release. Nothing belongs to a closed stream after its closing event.
    if (revision < last || (revision > last && !isEmailStream(stream))) return true
    const kept = keptFor(stream)
    return kept !== null && Date.parse(metadata.at) < now.getTime() - kept * 1_000
  }
  for await (const page of pages(store)) {
    let text = ''
    for (const event of page) {
      if (isGone(event)) continue
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
