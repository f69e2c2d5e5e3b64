/** A notification that was kept unread and has been read is a transaction now: its text leaves the stream that kept it. */
import type { EventStore } from '../../domain/ports.ts'
import { reaction, type Reaction } from './reaction.ts'

export const eraseReread = (store: Pick<EventStore, 'read' | 'erase'>): Reaction =>
  reaction('erase_reread', ['unread-'], {
    NotificationReread: async ({ stream }) => {
      const [[last] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
      if (last?.type === 'NotificationReread') await store.erase(stream)
    },
  })
