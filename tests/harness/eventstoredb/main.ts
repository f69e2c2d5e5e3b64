/**
 * Runs the stand-in as a process, to be stopped, killed and started again:
 *
 * node --import tsx tests/harness/eventstoredb/main.ts --port 2113 --folder /tmp/events
 *
 * It prints `listening on <port>`. Without a folder it starts empty. With `--as-slow-as-real`, appends take as long as on a real server.
 */
import { parseArgs } from 'node:util'
import { startStandIn } from './server.ts'

const { values } = parseArgs({
  options: { port: { type: 'string' }, folder: { type: 'string' }, 'as-slow-as-real': { type: 'boolean' } },
})
const { port } = await startStandIn({
  port: Number(values.port ?? 0),
  isAsSlowAsReal: values['as-slow-as-real'] ?? false,
  ...(values.folder !== undefined && { folder: values.folder }),
})
process.on('SIGTERM', () => process.exit(0))
console.log(`listening on ${port}`)
