/**
 * Installs Debian's libfaketime for the tests, once.
 *
 * A server that is started with it has a clock of its own, which a test sets.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackage, needs } from '../debian.ts'

const LIBRARIES = '/usr/lib'

/** The library; undefined if it is not installed. Its folder is named after the kind of machine. */
const findLibrary = (): string | undefined =>
  readdirSync(LIBRARIES)
    .map((kind) => join(LIBRARIES, kind, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path))

export const installFaketime = async (): Promise<void> => {
  if (!findLibrary()) await installPackage('libfaketime', [LIBRARIES + '/any/faketime'])
}

/** For suites that set the clock of a server. */
export const needsFaketime = needs('libfaketime', installFaketime)

export interface OwnClock {
  /** The environment of the server. */
  env: Record<string, string>
  /** Sets its clock so far ahead of this machine's. It takes effect within a second. */
  ahead(seconds: number): void
}

/** A clock that only the processes with its environment have. Timers do not change. @param file  which they must be able to read */
export const ownClock = (file: string): OwnClock => {
  const library = findLibrary()
  if (!library) throw new Error('there is no libfaketime here: node --import tsx tests/harness/install.ts')
  const ahead = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  ahead(0)
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { env, ahead }
}
