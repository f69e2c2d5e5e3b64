/**
 * The disks of the servers, measured when somebody asks, at most once a minute. A server that does not answer is left out, and that is
 * logged once.
 */
import type { DiskOwner, OwnedDisk } from '../../domain/disk.ts'

export type Measure = () => Promise<Pick<OwnedDisk, 'space' | 'place'> | null>

export interface ServerDisks {
  /** Those that the settings let Baoco measure. */
  readonly watched: readonly DiskOwner[]
  /** Never rejects. */
  measured(): Promise<readonly OwnedDisk[]>
}

const KEPT_MS = 60_000

export interface ServerDiskOptions {
  measures: Partial<Record<DiskOwner, Measure>>
  onFailure: (of: DiskOwner, error: Error) => void
  /** Milliseconds that have passed. */
  elapsed?: () => number
}

export const openServerDisks = ({
  measures,
  onFailure,
  elapsed = () => performance.now(),
}: ServerDiskOptions): ServerDisks => {
  const watched = Object.keys(measures) as DiskOwner[]
  const failing = new Set<DiskOwner>()
  let last: { at: number; disks: Promise<OwnedDisk[]> } | null = null

  const measure = async (of: DiskOwner): Promise<OwnedDisk[]> => {
    try {
      const found = await measures[of]!()
      failing.delete(of)
      return found ? [{ of, ...found }] : []
    } catch (error) {
      if (!failing.has(of)) onFailure(of, error as Error)
      failing.add(of)
      return []
    }
  }
  return {
    watched,
    measured: () => {
      if (last === null || elapsed() - last.at >= KEPT_MS)
        last = { at: elapsed(), disks: Promise.all(watched.map(measure)).then((found) => found.flat()) }
      return last.disks
    },
  }
}
