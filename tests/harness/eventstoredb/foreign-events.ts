/** Events of other programs on the same server. They share their data, so that a million of them fit into memory. */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { EventLog } from './event-log.ts'
import { systemEvent } from './event.ts'

const AT_ONCE = 1_000

export const writeForeignEvents = async (log: EventLog, count: number, stream = 'foreign'): Promise<void> => {
  const shared = systemEvent('Foreign', '{"foreign":true}')
  for (let written = 0; written < count; written += AT_ONCE) {
    log.append(
      stream,
      'any',
      Array.from({ length: Math.min(AT_ONCE, count - written) }, () => ({ ...shared, id: randomUUID() })),
    )
    await setImmediate()
  }
}
