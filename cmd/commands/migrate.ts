// Tests: tests/integration/migrate.test.ts
/** `baoco migrate`: migrates the database's tables to this version. `serve` does the same when it starts. */
import type { Command } from 'commander'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { withDatabase } from '../command-parts/with-database.ts'

export const migrate = (program: Command): void => {
  program
    .command('migrate')
    .description('migrate the database to this version')
    .action(() =>
      withDatabase(async ({ url }) => {
        const ran = await migrateDatabase(url)
        console.log(ran.length > 0 ? `ran ${ran.join(', ')}` : 'nothing to do')
      }),
    )
}
