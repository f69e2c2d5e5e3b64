/**
 * Everything in a store, in its order, as a file that another store can be filled from. What the store was told to forget stays
 * behind, also where its events are still there: of a closed stream only the closing event goes along, and of streams that
 * are kept for a time nothing older.
 *
 * The store is read twice: first to learn which streams are closed. So it holds their names in memory, and else one page.
 */
import { isClosing } from '../../domain/erasure.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { IMPORT_STREAM } from '../../domain/import.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { keptFor } from '../scheduled/expire-events.ts'
import { FileWriter, type LastLine } from './event-file.ts'
import { pages } from './pages.ts'

/** With the revision of what closes each; the last counts. */
const closedStreams = async (store: EventStore<RecordedEvent>): Promise<Map<string, number>> => {
  const closed = new Map<string, number>()
  for await (const page of pages(store))
    for (const { type, stream, revision } of page) if (isClosing(type)) closed.set(stream, revision)
  return closed
}

export interface ExportOptions {
  store: EventStore<RecordedEvent>
  /** Which readers of the store have come how far; those that have met nothing are left out. */
  readers: Readonly<Record<string, Checkpoint>>
  now: Date
  write: (text: string) => Promise<void>
  /** Told after each page how many events have been written. */
  onProgress?: (events: number) => void
}

/** @returns what the file's last line tells */
export const exportEvents = async ({ store, readers, now, write, onProgress }: ExportOptions): Promise<LastLine> => {
  const closed = await closedStreams(store)
  const file = new FileWriter()
  const met: Record<string, string> = {}
  let events = 0
  const isGone = ({ stream, revision, metadata }: RecordedEvent): boolean => {
    if (stream === IMPORT_STREAM || (closed.get(stream) ?? revision) !== revision) return true
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
  const { text, told } = file.end(met)
  await write(text)
  return told
}
