// Tests: tests/integration/backup.test.ts
/** `baoco backup`: writes the embedded database and the secrets of the data folder to one file. */
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { writeBackup } from '../../adapters/postgres/embedded/backup.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { withDatabase } from '../command-parts/with-database.ts'

export const backup = (program: Command): void => {
  program
    .command('backup')
    .description('write the embedded database and the secrets to a new file, and check it; Baoco may be running')
    .argument('<file>', 'new file; it contains secrets (mode 0600)')
    .action(run)
}

const run = async (file: string): Promise<void> => {
  if (readSettings(process.env).databaseUrl !== undefined)
    throw new Error('DATABASE_URL names your own server: back it up with its own tools (docs/operate.md)')
  const signal = stopSignal()
  await withDatabase(async ({ settings, url }) => {
    const bytes = await writeBackup({ dataDir: settings.dataDir, url, now: clock.now(), signal }, resolve(file))
    console.log(`${file}: ${(bytes / 1024 ** 2).toFixed(1)} MB, checked`)
    for (const missing of notIncluded(settings)) console.log(missing)
  })
}

/** The data that the backup cannot contain, because it lies elsewhere. */
const notIncluded = ({ jwtSecret, vaultKey, eventStoreUrl }: Settings): string[] => [
  ...(jwtSecret === undefined ? [] : ['JWT_SECRET is set, so it is not in the backup: keep it too']),
  ...(vaultKey === undefined ? [] : ['VAULT_KEY is set, so it is not in the backup: keep it too']),
  ...(eventStoreUrl === undefined
    ? []
    : ['The events are in EventStoreDB and not in the backup: back up EventStoreDB too']),
]
