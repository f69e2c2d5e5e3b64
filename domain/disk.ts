/** The free space on the disks, and what happens when there is little. */

/** In bytes. */
export interface DiskSpace {
  free: number
  /** The free and the used space, without the space that the system reserves. */
  size: number
}

/** The disk of the data folder is measured here. A server's is reported by the server, or follows from a setting. */
export type DiskOwner = 'data_folder' | 'postgres' | 'event_store'

export interface OwnedDisk {
  of: DiskOwner
  space: DiskSpace
  /** Where the server says that it is; null if that is not known. */
  place: string | null
}

/**
 * New notifications are refused while less than this is free, in bytes: two segments of Postgres' log. So Postgres keeps running, lists stay readable
 * and what was accepted is still delivered. A Postgres without any space stops.
 */
export const RESERVE_BYTES = 32 * 1024 ** 2

/** The operator is alerted when less than this share is free: per cent. */
export const ALERT_LEVELS = [10, 5] as const

/** An alert ends when this much more than its level is free: per cent. Otherwise it would begin and end by turns. */
const MORE_TO_END = 1

export const isOutOfSpace = ({ free }: DiskSpace): boolean => free < RESERVE_BYTES

/** @returns per cent, 0 to 100 */
export const shareFree = ({ free, size }: DiskSpace): number => (size > 0 ? (100 * free) / size : 0)

/** Which alerts should begin and which should end; between the two nothing changes. */
export const levelsOf = (space: DiskSpace): { below: number[]; above: number[] } => {
  const share = shareFree(space)
  return {
    below: ALERT_LEVELS.filter((level) => share < level),
    above: ALERT_LEVELS.filter((level) => share >= level + MORE_TO_END),
  }
}
