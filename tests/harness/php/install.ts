/**
 * Installs Debian's PHP for the test of the receiver that the dashboard shows, once.
 *
 * node --import tsx tests/harness/php/install.ts
 */
import { fileURLToPath } from 'node:url'
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/bin/php'

const installPhp = (): Promise<void> => installPackage('php-cli', [PROGRAM])

/** For suites that run PHP. */
export const needsPhp = needs('PHP', installPhp)

if (process.argv[1] === fileURLToPath(import.meta.url)) await installPhp()
