/** A process that holds a data folder's embedded Postgres until it is killed, as `serve` does; says the url, or why not. */
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
