/**
 * A process with calls and a subscription to a cluster that cannot be discovered. It is a separate process because the test
 * runner hides unhandled rejections. Prints `unavailable` for each failed read, and `answered` after the first other one.
 *
 *     node --import tsx undiscovered.ts <url>
 */
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { appended, follow, part, streamName } from '../../contract/event-store/harness.ts'
import { eventually } from '../../harness/eventually.ts'

const store = await openEventStoreDb({ url: process.argv[2]!, prefix: 'test.', parse: unparsed, deadlineMs: 5_000 })
const following = follow(store, { after: null })
const appending = appended(store, [part(streamName(), NO_STREAM)]).catch(() => {})
for (let isThere = false; !isThere;)
  try {
    await Promise.all([store.read([{ stream: streamName() }]), store.end()])
    isThere = true
  } catch {
    console.log('unavailable')
  }
await appending
await appended(store, [part(streamName(), NO_STREAM)])
await eventually(() => following.events().length > 0)
console.log('answered')
process.exit(0)
