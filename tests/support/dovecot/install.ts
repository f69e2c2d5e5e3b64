/**
 * Gets the IMAP server of the mail tests, Debian's Dovecot, once.
 *
 *     node --import tsx tests/support/dovecot/install.ts
 *
 * Needs Debian and root, or a Dovecot that is there already; where it cannot be had the tests that need it are left out. It
 * is never run as the machine's service: the tests run their own, on ports and a folder of their own.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const PROGRAM = '/usr/sbin/dovecot'
const IMAP = '/usr/lib/dovecot/imap'
/** While it is there packages do not start services. */
const POLICY = '/usr/sbin/policy-rc.d'
const LONGEST_MS = 240_000

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
const apt = (...args: string[]) => run('apt-get', args, { env, timeout: LONGEST_MS })

const withoutServices = async (work: () => Promise<unknown>): Promise<void> => {
  const isOurs = !existsSync(POLICY)
  if (isOurs) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    if (isOurs) await rm(POLICY)
  }
}

/** @returns the program */
export const installDovecot = async (): Promise<string> => {
  if (existsSync(PROGRAM) && existsSync(IMAP)) return PROGRAM
  if (process.getuid?.() !== 0) throw new Error('there is no Dovecot, and only root can install one')
  const install = () => apt('install', '-y', '-qq', '--no-install-recommends', 'dovecot-imapd')
  // Lists of packages may be missing, or older than the packages.
  await withoutServices(() => install().catch(() => apt('update', '-qq').then(install)))
  return PROGRAM
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void installDovecot().then(console.log)
