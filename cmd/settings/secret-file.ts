/**
 * Reads a secret from a file. Messages never repeat the path, because someone may set the secret itself by mistake.
 *
 * A file of the user that runs Baoco must be closed to all other users. A file of another user may be readable by all:
 * the secrets that Docker and Kubernetes mount into a container are files of root, and Baoco does not run as root there.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/** Bytes. Longer than any secret. */
const LONGEST = 65_536
const READABLE_BY_ALL = 0o004
const WRITABLE_BY_ALL = 0o002

type SecretFile = { content: string; problem?: never } | { content?: never; problem: string }

const tooOpen = ({ mode, uid }: Stats): string | undefined => {
  // Windows has no such modes.
  if (process.getuid === undefined) return undefined
  if (mode & WRITABLE_BY_ALL) return 'names a file that every user can write: run chmod 600 on it'
  if (mode & READABLE_BY_ALL && uid === process.getuid())
    return 'names a file that every user can read: run chmod 600 on it'
  return undefined
}

/** @returns the content without the line breaks at its end, or the problem, which continues "setting NAME_FILE …" */
export const readSecretFile = (path: string): SecretFile => {
  let file: number | undefined
  try {
    // Does not wait for the writer of a named pipe.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    if (!stats.isFile()) return { problem: 'does not name a file' }
    if (stats.size > LONGEST) return { problem: `names a file of more than ${LONGEST} bytes` }
    const problem = tooOpen(stats)
    if (problem !== undefined) return { problem }
    const content = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '')
    return content.trim() === '' ? { problem: 'names an empty file' } : { content }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return {
      problem:
        code === 'ENOENT' || code === 'ENOTDIR'
          ? 'names a file that does not exist'
          : `names a file that cannot be read (${code})`,
    }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
