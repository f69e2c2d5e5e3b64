/** Debian programs for the tests. Each is installed once, and never runs as a service of the machine. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { errorOf } from './outcomes.ts'

const run = promisify(execFile)

/** While this file exists, packages do not start services. */
const POLICY = '/usr/sbin/policy-rc.d'
const LONGEST_MS = 240_000

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
const apt = (...args: string[]) =>
  run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], { env, timeout: LONGEST_MS })

const withoutServices = async (work: () => Promise<unknown>): Promise<void> => {
  const isOurs = !existsSync(POLICY)
  if (isOurs) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    if (isOurs) await rm(POLICY)
  }
}

/**
 * Installs a package unless its files exist.
 * @throws if it is missing and cannot be installed: this needs Debian and root
 */
export const installPackage = async (name: string, files: readonly string[]): Promise<void> => {
  if (files.every((file) => existsSync(file))) return
  if (process.getuid?.() !== 0) throw new Error(`there is no ${name}, and only root can install it`)
  const install = () => apt('install', '-y', '-qq', '--no-install-recommends', name)
  // The package lists may be missing, or older than the packages.
  await withoutServices(() => install().catch(() => apt('update', '-qq').then(install)))
}

/**
 * For suites that need a program. If it is not available, the suites are skipped with a message, or fail where everything must run. Call it
 * first in a `describe`.
 * @param what the kind of program, for the message about skipped suites
 */
export const needs = (what: string, install: () => Promise<unknown>): (() => void) => {
  let installed: Promise<Error | null> | undefined
  return () =>
    before(async function () {
      this.timeout(300_000)
      const had = installed !== undefined
      const failure = await (installed ??= errorOf(install()))
      if (!failure) return
      if (process.env.REQUIRE_ALL === '1') throw failure
      if (!had) console.log(`    no ${what} here, so its tests are left out: ${failure.message}`)
      this.skip()
    })
}
