/**
 * A process whose client rejects appends before the server has answered them. It is a separate process because the test
 * runner hides some uncaught errors.
 *
 *     node --import tsx late-answer.ts <url> <url of another server>
 *
 * If a call that carries appends breaks, the client rejects every append of the process. Here the other server redirects
 * its caller while an append to the first server is in flight. Prints the result.
 */
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { appended, part, readStream, streamName } from '../../contract/event-store/harness.ts'

const [url, elsewhere] = process.argv.slice(2) as [string, string]
const adminOf = (at: string): string => at.replace('esdb:', 'http:').replace(/\?.*/, '')
const order = (at: string, troubles: object): Promise<Response> =>
  fetch(`${adminOf(at)}/stand-in/troubles`, { method: 'POST', body: JSON.stringify(troubles) })

const troubles: unknown[] = []
const onFailure = (error: unknown): number => troubles.push(error)
const store = await openEventStoreDb({ url, prefix: 'test.', onFailure, parse: unparsed })
const misled = await openEventStoreDb({ url: elsewhere, prefix: 'test.', onFailure, parse: unparsed })
await appended(store, [part(streamName(), NO_STREAM)])

let stream = ''
const isLate = (error: unknown): boolean => error instanceof Error && error.cause instanceof TypeError
/** @returns whether the answer came when nothing waited for it. On a busy machine it may come before the client breaks the call */
const comesLate = async (lateMs: number): Promise<boolean> => {
  stream = streamName()
  await order(url, { answer_late_ms: lateMs })
  await order(elsewhere, { not_leader: 1, leader_port: Number(new URL(adminOf(elsewhere)).port) })
  const slow = appended(store, [part(stream, NO_STREAM)])
  // Its first append queries the features of that server before it is sent, so the other append is in flight by then.
  await appended(misled, [part(streamName(), NO_STREAM)])
  await order(url, { answer_late_ms: 0 })
  await slow
  return eventually(() => troubles.some(isLate), { within: 10 * lateMs, what: 'the late answer' }).catch(() => false)
}
let lateMs = 400
while (!(await comesLate(lateMs)))
  if ((lateMs *= 2) > 10_000) throw new Error('no answer comes when nothing waits for it')

console.log(
  `${(await readStream(store, stream)).length} event, ${(await appended(store, [part(stream, 0)])) && 'goes on'}`,
)
process.exit(0)
