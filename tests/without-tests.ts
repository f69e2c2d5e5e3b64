/**
 * `npm run untested` prints the source files whose test is not clear: a file `domain/x.ts` has either a test `tests/unit/domain/x.test.ts`,
 * or a first line `// Tests: tests/…` that names a suite which exists. It prints nothing if every file has one of them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LAYERS = ['domain', 'workflows', 'projections', 'adapters', 'cmd', 'web']
const NAMED = /^\/\/ Tests: (tests\/\S+\.test\.ts)$/

const sources = (): string[] =>
  LAYERS.flatMap((layer) =>
    readdirSync(join(ROOT, layer), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
      .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name))),
  )

const hasTests = (source: string): boolean => {
  if (existsSync(join(ROOT, 'tests', 'unit', source.replace(/\.tsx?$/, '.test.ts')))) return true
  const [first = ''] = readFileSync(join(ROOT, source), 'utf8').split('\n', 1)
  const [, suite] = NAMED.exec(first) ?? []
  return suite !== undefined && existsSync(join(ROOT, suite))
}

export const withoutTests = (): string[] => sources().filter((source) => !hasTests(source))

if (process.argv[1]?.endsWith('without-tests.ts')) for (const source of withoutTests()) console.log(source)
