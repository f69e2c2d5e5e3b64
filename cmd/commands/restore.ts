// Tests: tests/integration/backup.test.ts
/** `baoco restore`: puts a backup into the data folder. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { thisKind } from '../../adapters/postgres/embedded/backup.ts'
import { BadBackup } from '../../adapters/postgres/embedded/backup-archive.ts'
import { restoreBackup } from '../../adapters/postgres/embedded/restore.ts'
import { openLogLines } from '../../adapters/telemetry/log-lines.ts'
import { interruptible } from '../command-parts/interruptible.ts'
import { readSettings } from '../settings/settings.ts'

export const restore = (program: Command): void => {
  program
    .command('restore')
    .description('put a backup into the data folder (BAOCO_DATA_DIR), which must be empty and unused')
    .argument('<file>', 'file that baoco backup wrote')
    .option('--replace', 'replace the Baoco in the data folder, and keep its files beside the new ones')
    .action(run)
}

const run = async (file: string, { replace = false }: { replace?: boolean }): Promise<void> => {
  const settings = readSettings(process.env)
  if (settings.databaseUrl !== undefined)
    throw new Error('DATABASE_URL names your own server: restore it with its own tools (docs/operate.md)')
  const log = openLogLines(settings.logLevel)
  const parts = { file: resolve(file), dataDir: settings.dataDir, replace, here: thisKind(), log }
  const advice = 'the restore was interrupted, and nothing was restored: run it again'
  const { made_at, before } = await interruptible(advice, () => restoreBackup(parts)).catch((error: Error) => {
    throw error instanceof BadBackup ? new Error(`${file} ${error.message}`) : error
  })
  console.log(`the backup of ${made_at} was restored to ${settings.dataDir}`)
  if (before !== null) console.log(`the previous contents are in ${before}`)
  // The folder of the lost state remembers the newest ids. A folder of another Baoco does not.
  const where = before === null ? '' : ', and not in this folder'
  console.log(
    `Check it: baoco audit. If payments came after the backup${where}, set ID_SKIP=1000000 for the first start.`,
  )
}
