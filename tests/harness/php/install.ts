/**
 * Installs Debian's PHP for the test of the receiver that the dashboard shows, once.
 */
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/bin/php'

export const installPhp = (): Promise<void> => installPackage('php-cli', [PROGRAM])

/** For suites that run PHP. */
export const needsPhp = needs('PHP', installPhp)
