// Tests: tests/integration/embedded-postgres.test.ts
/** Takes a data folder for this process: creates it, locks it, and finishes what an earlier process was interrupted in. */
import { lockDataFolder, makeDataFolder } from '../../system/data-folder.ts'
import type { LogLines } from '../../../domain/ports.ts'
import { finishRestore } from './finish-restore.ts'
import { finishRelocation, relocate } from './relocate.ts'

/**
 * @returns a function that unlocks the folder
 * @throws {FolderInUse} if another process uses the data folder
 */
export const enterDataFolder = async (dataDir: string, log: LogLines): Promise<() => void> => {
  finishRelocation(dataDir)
  makeDataFolder(dataDir)
  let unlock = lockDataFolder(dataDir)
  try {
    if (await relocate(dataDir, log)) {
      // The lock stayed with the old folder.
      makeDataFolder(dataDir)
      unlock = lockDataFolder(dataDir)
    }
    finishRestore(dataDir)
    return unlock
  } catch (error) {
    unlock()
    throw error
  }
}
