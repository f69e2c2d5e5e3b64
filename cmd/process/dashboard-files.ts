// Tests: tests/e2e/browser/dashboard.test.ts
/** The built dashboard. `cmd/build.mjs` builds it beside the bundle, and writes its folder into the bundle. */
import { readWebFiles, type WebFiles } from '../../adapters/http/dashboard/files.ts'

/** @returns null if this process runs from the sources, because the bundle could not be stored */
export const dashboardFiles = (): WebFiles | null => {
  const folder = (globalThis as { BAOCO_WEB?: string }).BAOCO_WEB
  return folder === undefined ? null : readWebFiles(folder)
}
