/**
 * Installs Debian's Postgres for the tests, once.
 *
 * node --import tsx tests/harness/stock-postgres/install.ts
 *
 * The tests run their own instance, with its own port and folder.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackage, needs } from '../debian.ts'

const VERSIONS = '/usr/lib/postgresql'

/** The programs of the newest version. Packages of clients have a folder there too. */
export const findPrograms = (): string | undefined =>
  (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))

export const installPostgres = async (): Promise<void> => {
  if (!findPrograms()) await installPackage('postgresql', [VERSIONS + '/any'])
}

/** For suites that need a Postgres with the settings of its package. */
export const needsStockPostgres = needs('Postgres of Debian', installPostgres)

if (process.argv[1] === fileURLToPath(import.meta.url)) await installPostgres()
