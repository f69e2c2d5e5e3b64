// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * How long events are kept, and the removal of those that have expired or were erased. Events that `retain` and `erase` hide
 * disappear at once for readers of their stream. They disappear from the whole store with the next `expire`, which is a
 * scavenge.
 */
import type { EventStore } from '../../../domain/ports.ts'
import { checkName } from '../encoding.ts'
import type { History } from '../history.ts'
import { hideEvent } from './hidden-event.ts'
import { setMetadata } from './metadata.ts'
import type { Reading } from './reading.ts'
import type { Retention } from './retention.ts'
import { refuseClockAhead, scavenge, type ScavengeParts } from './scavenge.ts'
import type { Names } from './stream-names.ts'

export interface ForgettingParts extends ScavengeParts {
  names: Names
  reading: Reading
  retention: Retention
  history: History
}

export const openForgetting = (parts: ForgettingParts): Pick<EventStore, 'retain' | 'expire' | 'erase'> => {
  const { connection, names, answered, reading, retention, history } = parts
  return {
    retain: async (prefix, maxAgeSeconds) => {
      retention.keep(checkName(prefix), maxAgeSeconds)
      history.retains(prefix, maxAgeSeconds)
    },
    expire: async () => {
      const hidden = await hideEvent(connection, names, answered)
      refuseClockAhead(hidden, new Date())
      await scavenge(parts, hidden)
      return 0
    },
    erase: async (stream) => {
      const [[first] = [], [last] = []] = await reading.slices([
        { stream, limit: 1 },
        { stream, backwards: true, limit: 1 },
      ])
      if (!first || !last || first.revision === last.revision) return
      await setMetadata(connection, answered, names.onServer(stream), { $tb: last.revision })
    },
  }
}
