/** Runs an import that is killed in the middle: `node --import tsx killed-import.ts FILE`, with the settings in the environment. */
import { linesOfFile } from '../../../adapters/system/lines-of-file.ts'
import { openEventStore } from '../../../cmd/process/open-event-store.ts'
import { readSettings } from '../../../cmd/settings/settings.ts'
import { checkFile } from '../../../workflows/store-migration/event-file.ts'
import { importEvents } from '../../../workflows/store-migration/import.ts'

const file = process.argv[2]!
const lines = () => linesOfFile(file)
const summary = await checkFile(lines(), () => true)
const store = await openEventStore(readSettings(process.env), '')
let calls = 0
await importEvents({
  store: {
    ...store,
    append: async (units) => {
      const results = await store.append(units)
      if (++calls === 3) process.kill(process.pid, 'SIGKILL')
      return results
    },
  },
  lines,
  summary,
  now: new Date(),
  settle: () => Promise.resolve(),
})
