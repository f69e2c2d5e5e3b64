import { existsSync, realpathSync, rmSync } from 'node:fs'
import { ELSEWHERE } from '../../adapters/postgres/embedded/directory.ts'

/** Removes a data folder, also if it is a link. Nothing may be running in it. */
export const removeDirectory = (dataDir: string): void => {
  const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const target = existsSync(dataDir) ? realpathSync(dataDir) : dataDir
  if (target.startsWith(`${ELSEWHERE}/`)) remove(target)
  remove(dataDir)
}
