/** The resources that all processes of an embedded installation use together, Baoco's and those of its Postgres, as Linux counts it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onDatabase, type Bench } from './installation.ts'
import { timesOfAll, type ProcessTimes } from './process-times.ts'

export interface Cpu {
  /** Seconds since the start. */
  baoco: number
  postgres: number
}

export interface Usage {
  cpu(): Cpu
  /** Proportional set size in MB: memory that several processes share counts once. */
  memory(): number
  /** Bytes that Postgres has written to its log. */
  wal(): Promise<number>
}

/** A process and all its descendants, by process id. */
type Family = Readonly<Record<number, ProcessTimes>>

const familyOf = (root: number): Family => {
  const all = timesOfAll()
  const belongs = (pid: number): boolean => pid === root || (all.has(pid) && belongs(all.get(pid)!.parent))
  return Object.fromEntries([...all].filter(([pid]) => belongs(pid)))
}

const sumOf = (family: Family): number => Object.values(family).reduce((sum, { withEnded }) => sum + withEnded, 0)

const pssOf = (pid: number): number => {
  try {
    const [, kib] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kib ?? 0) / 1024
  } catch {
    return 0 // It has ended.
  }
}

export const openUsage = ({ baoco, installation }: Bench): Usage => {
  const [pid] = readFileSync(join(installation.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  const [own, postmaster] = [baoco.process.pid!, Number(pid)]
  const all = () => ({ ...familyOf(own), ...familyOf(postmaster) })
  return {
    cpu: () => {
      const [both, postgres] = [sumOf(all()), sumOf(familyOf(postmaster))]
      return { baoco: both - postgres, postgres }
    },
    memory: () => Object.keys(all()).reduce((sum, each) => sum + pssOf(Number(each)), 0),
    wal: () =>
      onDatabase(installation, async (database) => {
        const [row] = await database.query<{ bytes: number }>(
          `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS bytes`,
        )
        return row!.bytes
      }),
  }
}
