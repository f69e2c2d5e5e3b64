/**
 * A notification that was kept unread and has been read, or was given up, leaves the stream that kept it: only the event that
 * says so stays.
 */
import type { RecordedEvent } from '../../domain/event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { reaction, type Reaction } from './reactor.ts'

const LAST: ReadonlySet<string | undefined> = new Set(['NotificationReread', 'NotificationGivenUp'])

export const eraseReread = (store: Pick<EventStore, 'read' | 'erase'>): Reaction => {
  const erase = async ({ stream }: RecordedEvent) => {
    const [[last] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
    if (LAST.has(last?.type)) await store.erase(stream)
  }
  return reaction('erase_reread', ['unread-'], { NotificationReread: erase, NotificationGivenUp: erase })
}
