/** Bundles a script that tests or benchmarks start often: a start that compiles its sources takes five times the CPU time. */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'

/** Packages that stay outside a bundle are found from here. */
const FOLDER = fileURLToPath(new URL(`../../node_modules/.cache/baoco-scripts/${process.pid}`, import.meta.url))

const bundle = async (source: string): Promise<string> => {
  const { FOR_NODE } = (await import('../../cmd/build.mjs' as string)) as { FOR_NODE: BuildOptions }
  const script = join(FOLDER, basename(source).replace(/\.ts$/, '.mjs'))
  if (mkdirSync(FOLDER, { recursive: true }))
    process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
  await build({ ...FOR_NODE, entryPoints: [source], outfile: script, sourcemap: false })
  return script
}

const bundled = new Map<string, Promise<string>>()

/** @returns the path of the bundle, which exists until this process ends */
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
