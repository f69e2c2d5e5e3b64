/**
 * Installs Debian's Postgres for the tests, once.
 *
 * The tests run their own instance, with its own port and folder.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
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
