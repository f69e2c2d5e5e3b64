/** The stream metadata that decides which events of a stream are visible. */
import type { StoredEvent } from './event.ts'

export interface Visibility {
  $maxAge?: number
  $maxCount?: number
  $tb?: number
}

/** `$tb` of a soft-deleted stream: the greatest 64-bit number, which JavaScript reads as a float. */
export const DELETED_BEFORE = 9_223_372_036_854_775_807n

export const visibilityIn = ({ data }: Pick<StoredEvent, 'data'>): Visibility => {
  try {
    return JSON.parse(data.toString()) as Visibility
  } catch {
    return {}
  }
}

/** @param last  the revision of the stream's newest event · @param now  the server's time: milliseconds */
export const visibilityFilter = (
  name: string,
  last: number,
  { $maxAge, $maxCount, $tb }: Visibility,
  now: number,
): ((event: StoredEvent) => boolean) => {
  const oldest = $maxAge === undefined ? -Infinity : now - $maxAge * 1_000
  const most = name.startsWith('$$') ? 1 : ($maxCount ?? Infinity)
  const first = Math.max($tb ?? 0, last - most + 1)
  return ({ revision, created }) => revision >= first && created >= oldest
}
