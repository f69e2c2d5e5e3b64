/**
 * Installs the browser for the tests of pages, Debian's Chromium, once.
 *
 * node --import tsx tests/harness/chromium/install.ts
 */
import { fileURLToPath } from 'node:url'
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/bin/chromium'

const installChromium = (): Promise<void> => installPackage('chromium', [PROGRAM])

/** For suites that need a real browser. */
export const needsChromium = needs('browser', installChromium)

if (process.argv[1] === fileURLToPath(import.meta.url)) await installChromium()
