/** An import that is killed in the middle: `node --import tsx killed-import.ts FILE`, with the settings in the environment. */
import { linesOfFile } from '../../../adapters/lines-of-file.ts'
import { openEventStore } from '../../../cmd/open-event-store.ts'
import { readSettings } from '../../../cmd/settings.ts'
import { checkFile } from '../../../workflows/moving/event-file.ts'
import { importEvents } from '../../../workflows/moving/import.ts'

const file = process.argv[2]!
const lines = () => linesOfFile(file)
const told = await checkFile(lines(), () => true)
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
  told,
  now: new Date(),
  settle: () => Promise.resolve(),
})
