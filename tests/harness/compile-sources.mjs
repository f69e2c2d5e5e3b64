/**
 * Compiles all sources at once, file by file, for the processes of `npm test`. Each of them would otherwise compile what it loads, which takes
 * longer than many of its tests.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, stop } from 'esbuild'

const FOLDERS = ['adapters', 'bench', 'cmd', 'docs', 'domain', 'projections', 'tests', 'web', 'workflows']
const SOURCE = /\.tsx?$/
/** Stands for `import.meta.url` in a compiled source. */
const OWN_URL = 'urlOfSource'

/** The path of a compiled source, in the folder of all of them. */
export const compiledPath = (source) => source.replace(SOURCE, '.mjs')

const sourcesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

/** Each file stays a module of its own. It imports other compiled ones, and finds everything else beside its source. */
const fileByFile = {
  name: 'file by file',
  setup: (build) => {
    build.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => ({
      path: SOURCE.test(path) ? compiledPath(path) : pathToFileURL(resolve(resolveDir, path)).href,
      external: true,
    }))
    // On the first line, so that all lines keep their numbers.
    build.onLoad({ filter: SOURCE }, ({ path }) => ({
      contents: `const ${OWN_URL} = ${JSON.stringify(pathToFileURL(path).href)};${readFileSync(path, 'utf8')}`,
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}

/** @param folder  below a folder in which the packages are found */
export const compileSources = async (root, folder) => {
  await build({
    absWorkingDir: root,
    entryPoints: FOLDERS.flatMap((name) => sourcesIn(join(root, name))),
    outbase: root,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    define: { 'import.meta.url': OWN_URL },
    plugins: [fileByFile],
  })
  await stop()
}
