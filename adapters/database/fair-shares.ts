// Tests: tests/unit/adapters/database/fair-shares.test.ts
/**
 * A part of a pool that many accounts share, so that the work of one kind leaves connections to other work, and one account leaves some to
 * the others. Each account has its own line of waiting queries. A connection that becomes free goes to the account with the fewest running
 * queries, and of several such accounts to the one whose last query ended first. So an account with few queries waits for about one
 * query of the others, however many of them wait.
 */
import type { Queryable } from '../../projections/engine/queryable.ts'
import { within } from '../system/within.ts'

export interface SharedDatabase {
  /** @param user  the id of the account that the queries are for. Null: they belong to no account, and share one line. */
  of(user: number | null): Queryable
}

export interface Shares {
  /** Queries at a time. */
  most: number
  /** Queries of one account at a time. */
  mostOfOne: number
}

interface Line {
  running: number
  waiting: Set<() => void>
}

/**
 * @param late  the error of a query that did not get its turn in time, milliseconds
 * @param lines  the lines with work, and no others. The one whose query ended last is at the end. Only tests pass it.
 */
export const fairShares = (
  pool: Queryable,
  { most, mostOfOne }: Shares,
  waitMs: number,
  late: () => Error,
  lines = new Map<number | null, Line>(),
): SharedDatabase => {
  let free = most

  const begin = (user: number | null, line: Line): void => {
    free--
    line.running++
    lines.set(user, line)
  }

  /** Looks at few lines: only those with running queries are passed over. */
  const next = (): [number | null, Line] | undefined => {
    let best: [number | null, Line] | undefined
    for (const [user, line] of lines) {
      if (line.waiting.size === 0 || line.running >= mostOfOne) continue
      if (!best || line.running < best[1].running) best = [user, line]
      if (line.running === 0) break
    }
    return best
  }

  const moveToEnd = (user: number | null, line: Line): void => {
    lines.delete(user)
    if (line.running > 0 || line.waiting.size > 0) lines.set(user, line)
  }

  const leave = (user: number | null, line: Line): void => {
    free++
    line.running--
    moveToEnd(user, line)
    const turn = next()
    if (!turn) return
    const [come] = turn[1].waiting
    turn[1].waiting.delete(come!)
    begin(...turn)
    come!()
  }

  const enter = async (user: number | null): Promise<Line> => {
    const line = lines.get(user) ?? { running: 0, waiting: new Set() }
    if (free > 0 && line.running < mostOfOne) {
      begin(user, line)
      return line
    }
    lines.set(user, line)
    let come!: () => void
    const coming = new Promise<void>((resolve) => line.waiting.add((come = resolve)))
    await within(waitMs, coming, late).catch((error: unknown) => {
      // If its turn has come meanwhile, the next query gets the turn.
      if (!line.waiting.delete(come)) leave(user, line)
      else if (line.running === 0 && line.waiting.size === 0) lines.delete(user)
      throw error
    })
    return line
  }

  return {
    of: (user) => ({
      query: async (text, values, name) => {
        const line = await enter(user)
        try {
          return await pool.query(text, values, name)
        } finally {
          leave(user, line)
        }
      },
    }),
  }
}
