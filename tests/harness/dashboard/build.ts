/** Builds the dashboard for a test, once in a process, into a folder that is removed at its end. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { readWebFiles, type WebFiles } from '../../../adapters/http/dashboard/files.ts'

let built: Promise<WebFiles> | undefined

const buildOnce = async (): Promise<WebFiles> => {
  const { buildWeb } = (await import('../../../web/build.mjs' as string)) as {
    buildWeb(esbuild: typeof build, into: string): Promise<void>
  }
  const folder = mkdtempSync(join(tmpdir(), 'baoco-web-'))
  try {
    await buildWeb(build, folder)
    return readWebFiles(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const builtDashboard = (): Promise<WebFiles> => (built ??= buildOnce())
