/** A process with an open store in which other code throws an error that nothing catches. */
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'

const store = await openEventStoreDb({ url: process.argv[2]!, prefix: 'test.', parse: unparsed })
await store.end()
setImmediate(() => {
  throw new Error('a fault of our own')
})
