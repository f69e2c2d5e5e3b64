/**
 * The version of the folds that have snapshots: a digest of their code as it runs, without comments and types, and with what it uses.
 * `npm run fold-version` writes it to workflows/support/fold-version.ts.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The code that a snapshot depends on: the folds, and the reading of their events. */
const FOLDED = `
export { evolve } from './domain/account/account.ts'
export { evolve as evolveAlerts } from './domain/alert/alerts.ts'
export { accountEvents } from './domain/account/events.ts'
export { DedupWindow } from './domain/dedup/window.ts'
export { parseEvent } from './domain/parse-event.ts'
export { foldCache } from './workflows/support/fold-cache.ts'
export { WarmWindow } from './workflows/capture/warm-windows.ts'
`

export const foldVersion = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: FOLDED, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' },
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    minifyWhitespace: true,
    legalComments: 'none',
  })
  return createHash('sha256').update(outputFiles[0]!.text).digest('base64url').slice(0, 16)
}

if (process.argv[1]?.endsWith('fold-version.ts'))
  writeFileSync(
    new URL('../../workflows/support/fold-version.ts', import.meta.url),
    `// Tests: tests/unit/workflows/support/fold-version.test.ts
// Written by \`npm run fold-version\` (tests/corpus/fold-version.ts).
/** The version of the folds that have snapshots. A snapshot of another version is not used. */
export const FOLD_VERSION = '${await foldVersion()}'
`,
  )
