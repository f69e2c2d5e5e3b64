/** Bundles a script that tests or benchmarks start often: a start that compiles its sources takes five times the CPU time. */
import { fork, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** `npm test` names a folder for all its processes, so that each script is bundled once. It is of no use in another clone. */
const shared = process.env.BUNDLED_SCRIPTS?.startsWith(ROOT) ? process.env.BUNDLED_SCRIPTS : undefined
/** Packages that stay outside a bundle are found from here. */
const FOLDER = shared ?? join(ROOT, 'node_modules/.cache/baoco-scripts', String(process.pid))

const bundle = async (source: string): Promise<string> => {
  const name = relative(ROOT, source)
    .replaceAll('/', '-')
    .replace(/\.m?[jt]s$/, '')
  const script = join(FOLDER, `${name}.mjs`)
  if (existsSync(script)) return script
  const { FOR_NODE } = (await import(join(ROOT, 'cmd/build.mjs'))) as { FOR_NODE: BuildOptions }
  if (mkdirSync(FOLDER, { recursive: true }) && !shared)
    process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
  // Another process may bundle it at the same time.
  const draft = join(FOLDER, `${name}.${process.pid}.mjs`)
  await build({ ...FOR_NODE, entryPoints: [source], outfile: draft, sourcemap: false })
  renameSync(draft, script)
  return script
}

const bundled = new Map<string, Promise<string>>()

/** @returns the path of the bundle, which exists until this process or `npm test` ends */
export const bundledScript = (source: string): Promise<string> => {
  const known = bundled.get(source) ?? bundle(source)
  bundled.set(source, known)
  return known
}

/**
 * Starts a bundled script with a channel for messages.
 * @param module  the URL of a module that the script imports by its first argument
 */
export const forkBundled = async (
  source: string,
  module: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ChildProcess> => {
  const [script, imported] = await Promise.all([bundledScript(source), bundledScript(fileURLToPath(module))])
  return fork(script, [imported, ...args], { execArgv: [], env: { ...process.env, ...env } })
}
