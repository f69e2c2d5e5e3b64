/** A small file system in memory, which tests can fill. Only root may mount one, and not in every container. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataFolder } from './baoco-process.ts'

const MEGABYTE = 1024 ** 2
const MOST_TRIES = 50

export interface SmallDisk {
  /** Makes the data folder a link to this disk. */
  hold(dataFolder: DataFolder): void
  /** Leaves only this much free, in megabytes. */
  fill(left: number): void
  /** Removes what `fill` has added. */
  clear(): void
  remove(): void
}

/** @returns why there can be no such disk here; null if there can */
export const obstacle = (): string | null => {
  if (process.platform !== 'linux') return 'only Linux has tmpfs'
  if (process.getuid?.() !== 0) return 'only root may mount a file system'
  try {
    mountSmallDisk(1).remove()
    return null
  } catch (error) {
    const { message } = error as Error
    // A container without the right to mount is no fault. Everything else is one.
    if (/permission denied|not permitted/i.test(message)) return 'this container may not mount a file system'
    throw error
  }
}

export const mountSmallDisk = (megabytes: number): SmallDisk => {
  const folder = mkdtempSync(join(tmpdir(), 'baoco-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const filler = join(folder, 'filler')
  const clear = (): void => rmSync(filler, { force: true })
  return {
    hold: ({ dataDir }) => {
      rmSync(dataDir, { recursive: true, force: true })
      mkdirSync(join(folder, 'data'))
      symlinkSync(join(folder, 'data'), dataDir)
    },
    fill: (left) => {
      clear()
      const tooMuch = () => {
        const { bavail, bsize } = statfsSync(folder)
        return bavail * bsize - left * MEGABYTE
      }
      for (let bytes = tooMuch(), tries = 0; bytes > 0; bytes = tooMuch())
        try {
          execFileSync('fallocate', ['-l', String(bytes), filler], { stdio: 'pipe' })
          return
        } catch (error) {
          // Baoco writes at the same time.
          if (++tries === MOST_TRIES) throw error
        }
    },
    clear,
    remove: () => {
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
      rmSync(folder, { recursive: true })
    },
  }
}

/** Skips a suite where no file system can be mounted. Call it first in a `describe`. */
export const needsSmallDisk = (): void => {
  before(function () {
    const reason = obstacle()
    if (reason === null) return
    console.log(`    ${reason}, so the tests with a full disk are left out`)
    this.skip()
  })
}
