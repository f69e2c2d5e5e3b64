/** Bundles a script that tests or benchmarks start often: a start that compiles its sources takes five times the CPU time. */
import { fork, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop, type BuildOptions } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** `npm test` names a folder for all its processes, so that each script is bundled once. It is of no use in another clone. */
const shared = process.env.BUNDLED_SCRIPTS?.startsWith(ROOT) ? process.env.BUNDLED_SCRIPTS : undefined
/** Packages that stay outside a bundle are found from here. */
const FOLDER = shared ?? join(ROOT, 'node_modules/.cache/baoco-scripts', String(process.pid))

/** The name of a bundle, without its extension. */
const nameOf = (source: string): string =>
  relative(ROOT, source)
    .replaceAll('/', '-')
    .replace(/\.m?[jt]s$/, '')

const bundleAll = async (sources: readonly string[]): Promise<void> => {
  const { FOR_NODE } = (await import(join(ROOT, 'cmd/build.mjs'))) as { FOR_NODE: BuildOptions }
  if (mkdirSync(FOLDER, { recursive: true }) && !shared)
    process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
  // Another process may bundle the same scripts at the same time.
  const draft = `.${process.pid}.mjs`
  await build({
    ...FOR_NODE,
    entryPoints: sources.map((source) => ({ in: source, out: nameOf(source) })),
    outdir: FOLDER,
    outExtension: { '.js': draft },
    sourcemap: false,
  })
  for (const name of sources.map(nameOf)) renameSync(join(FOLDER, name + draft), join(FOLDER, `${name}.mjs`))
}

const bundle = async (source: string): Promise<string> => {
  const script = join(FOLDER, `${nameOf(source)}.mjs`)
  if (!existsSync(script)) await bundleAll([source])
  return script
}

/** The scripts that `npm test` starts. */
const SCRIPTS: readonly string[] = [
  'bench/backlog.ts',
  'bench/delivery.ts',
  'bench/hanging.ts',
  'bench/whole-way.ts',
  'bench/support/create-accounts.ts',
  'bench/support/load.ts',
  'bench/support/receiver.ts',
  'bench/support/sign-and-post.ts',
  'tests/contract/event-store/appending-child.ts',
  'tests/contract/event-store/open-eventstoredb-store.ts',
  'tests/contract/event-store/open-postgres-store.ts',
  'tests/contract/log/consuming-child.ts',
  'tests/contract/log/open-embedded-log.ts',
  'tests/contract/log/open-kafka-log.ts',
  'tests/harness/embedded-process.ts',
  'tests/harness/eventstoredb/main.ts',
  'tests/harness/next-version.mjs',
  'tests/integration/eventstoredb/crowded.ts',
  'tests/integration/eventstoredb/fault-of-our-own.ts',
  'tests/integration/eventstoredb/late-answer.ts',
  'tests/integration/eventstoredb/undiscovered.ts',
  'tests/integration/failing-benchmark.ts',
  'tests/integration/heap-at-rest.ts',
  'tests/integration/kafka/relaying-child.ts',
  'tests/integration/store-migration/killed-import.ts',
]

/** Bundles them together, for a third of the CPU time that they take one by one. A script that is missing here is bundled when it is used. */
export const bundleScripts = async (): Promise<void> => {
  await bundleAll(SCRIPTS.map((name) => join(ROOT, name)))
  await stop()
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
