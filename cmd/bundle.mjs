/**
 * The sources as a few files that Node runs as they are: a start that loads and translates five hundred of them one by one takes twice
 * as long. Made by esbuild when there is none yet of the sources as they stand, and kept with the packages.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const FOLDERS = ['cmd', 'adapters', 'projections', 'workflows', 'domain']
/** A process of older sources has loaded all it needs of its bundle long before. */
const KEPT_FOR_MS = 24 * 3_600_000

/** Of where the sources are, and of what they are, this file too: a checkout gives files new times. */
const nameOfSources = () => {
  const hash = createHash('sha256').update(root)
  for (const folder of FOLDERS)
    for (const path of readdirSync(join(root, folder), { recursive: true }).sort())
      if (/\.(?:ts|mjs)$/.test(path))
        hash.update(`\n${folder}/${path}\n`).update(readFileSync(join(root, folder, path)))
  return hash.digest('hex').slice(0, 32)
}

/** A file of the bundle finds what lies beside its source. */
const urlsOfSources = {
  name: 'urls of sources',
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    })),
}

const make = async (build, into) => {
  await build({
    entryPoints: [join(root, 'cmd/baoco.ts')],
    outdir: into,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    plugins: [urlsOfSources],
  })
}

const isOld = (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > KEPT_FOR_MS

/**
 * The path of the bundle; null where it cannot be kept, as in a folder that only somebody else may write to.
 * @throws what esbuild says of sources that are none; ERR_MODULE_NOT_FOUND where the packages are not installed
 */
export const bundled = async () => {
  const all = join(root, 'node_modules/.cache/baoco')
  const own = join(all, nameOfSources())
  const entry = join(own, 'baoco.mjs')
  if (existsSync(entry)) return entry
  const { build } = await import('esbuild')
  const mine = `${own}.${process.pid}`
  try {
    mkdirSync(mine, { recursive: true })
  } catch {
    return null
  }
  try {
    await make(build, mine)
    renameSync(mine, own)
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(entry)) throw error
  } finally {
    rmSync(mine, { recursive: true, force: true })
  }
  for (const name of readdirSync(all))
    if (isOld(join(all, name))) rmSync(join(all, name), { recursive: true, force: true })
  return entry
}
