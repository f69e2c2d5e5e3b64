/**
 * A process whose appends are forgotten by the client before they are answered. A process of its own, as the test runner
 * keeps some of what nobody catches to itself.
 *
 *     node --import tsx late-answer.ts <url> <url of another server>
 *
 * The client rejects every append of the process when any call breaks that carries some; here the other server sends its
 * caller elsewhere while an append to the first is on its way. Prints what came of it.
 */
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { appended, part, readStream, streamName } from '../../contract/event-store/harness.ts'

const [url, elsewhere] = process.argv.slice(2) as [string, string]
const adminOf = (at: string): string => at.replace('esdb:', 'http:').replace(/\?.*/, '')
const order = (at: string, troubles: object): Promise<Response> =>
  fetch(`${adminOf(at)}/stand-in/troubles`, { method: 'POST', body: JSON.stringify(troubles) })

const troubles: unknown[] = []
const onTrouble = (error: unknown): number => troubles.push(error)
const store = await openEventStoreDb({ url, prefix: 'test.', onTrouble })
const misled = await openEventStoreDb({ url: elsewhere, prefix: 'test.', onTrouble })
const stream = streamName()
await appended(store, [part(streamName(), NO_STREAM)])

await order(url, { answer_late_ms: 400 })
await order(elsewhere, { not_leader: 1, leader_port: Number(new URL(adminOf(elsewhere)).port) })
const slow = appended(store, [part(stream, NO_STREAM)])
// Its first append asks what that server can before it is sent, so the other one is on its way by then.
await appended(misled, [part(streamName(), NO_STREAM)])
await order(url, { answer_late_ms: 0 })

await slow
await eventually(() => troubles.some((error) => error instanceof TypeError), { what: 'the late answer' })
console.log(
  `${(await readStream(store, stream)).length} event, ${(await appended(store, [part(stream, 0)])) && 'goes on'}`,
)
process.exit(0)
