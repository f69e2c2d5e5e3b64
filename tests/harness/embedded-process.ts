/** A process that holds the embedded Postgres of a data folder until it is killed, like `serve`. It prints the URL, or the error. */
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/embedded.ts'

const [dataDir = ''] = process.argv.slice(2)
try {
  const { url } = await openEmbeddedPostgres({ dataDir, log: silent })
  console.log(`url ${url}`)
  setInterval(() => {}, 60_000)
} catch (error) {
  console.log(`refused ${(error as Error).message}`)
}
