/** A process whose server restarts while so many appends are in flight that some wait to be written. Prints how many succeeded. */
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { appended, appendOne, event, part, streamName, upTo } from '../../contract/event-store/harness.ts'

const url = process.argv[2]!
// A busy machine may take longer for so many than the production limit.
const store = await openEventStoreDb({ url, prefix: 'test.', parse: unparsed, deadlineMs: 120_000 })
await appended(store, [part(streamName(), NO_STREAM)])
const units = upTo(600).map(() => [part(streamName(), NO_STREAM, [event('x'.repeat(20_000))])])
const appending = units.map((unit) => appendOne(store, unit))
await appending[0]
await fetch(`${url.replace('esdb:', 'http:').replace(/\?.*/, '')}/stand-in/restart`, { method: 'POST', body: '{}' })
const results = await Promise.all(appending)
console.log(`${results.filter(({ ok }) => ok).length} appended`)
process.exit(0)
