/**
 * Installs the browser for the tests of pages, once: Debian's Chromium without a window. It has the engine of the whole browser, and uses less
 * than half of the CPU time.
 */
import { installPackage, needs } from '../debian.ts'

const PROGRAM = '/usr/bin/chromium-headless-shell'

/** How it is started: without a sandbox, which root must not have, and without a process of its own for a graphics card that is not there. */
export const BROWSER = { executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu', '--in-process-gpu'] }

export const installChromium = (): Promise<void> => installPackage('chromium-headless-shell', [PROGRAM])

/** For suites that need a real browser. */
export const needsChromium = needs('browser', installChromium)
