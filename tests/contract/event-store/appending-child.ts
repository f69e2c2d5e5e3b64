/**
 * A process that appends endlessly, to be frozen or killed during an append.
 *
 * appending-child.ts <module with openStore> <its argument> <stream prefix>
 *
 * It sends {stream, revision} of every answered append to its parent process.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { event, part } from './harness.ts'

const WRITERS = 16
const UNITS = 8
/** Large enough that a group needs many writes to the socket. The freeze then interrupts one of them. */
const EVENT_BYTES = 30_000

const [, , module, argument, prefix] = process.argv
const { openStore } = (await import(module!)) as { openStore: (argument: string) => Promise<EventStore<RecordedEvent>> }
const store = await openStore(argument!)
const filling = 'x'.repeat(EVENT_BYTES)

const write = async (stream: string): Promise<void> => {
  for (let revision = NO_STREAM; ; revision += UNITS) {
    const units = Array.from({ length: UNITS }, (_, n) => [part(stream, revision + n, [event({ filling })])])
    const results = await store.append(units)
    if (!results.every(({ ok }) => ok)) throw new Error(`the only writer of ${stream} met ${JSON.stringify(results)}`)
    process.send!({ stream, revision: revision + UNITS })
  }
}
await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(`${prefix}${n}`)))
