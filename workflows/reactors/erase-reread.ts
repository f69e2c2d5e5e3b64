// Tests: tests/integration/http/notifications.test.ts
/** Erases an unread notification from its stream after it was read or given up. Only the event that records this stays. */
import type { RecordedEvent } from '../../domain/event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { reactor, type Reactor } from './reactor.ts'

const LAST: ReadonlySet<string | undefined> = new Set(['NotificationReread', 'NotificationGivenUp'])

export const eraseReread = (store: Pick<EventStore, 'read' | 'erase'>): Reactor => {
  const erase = async ({ stream }: RecordedEvent) => {
    const [[last] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
    if (LAST.has(last?.type)) await store.erase(stream)
  }
  return reactor('erase_reread', ['unread-'], { NotificationReread: erase, NotificationGivenUp: erase })
}
