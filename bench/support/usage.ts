/** What all processes of an embedded installation use together, Baoco's and those of its Postgres, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../adapters/database/database.ts'
import { inside } from '../../tests/harness/installation-database.ts'
import type { Bench } from './installation.ts'

/** The unit of CPU time in `/proc/…/stat` on every Linux. */
const TICKS_PER_SECOND = 100

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

interface Stat {
  parent: number
  /** Seconds, those of its ended children included. */
  cpu: number
}

const statOf = (pid: number): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((place) => fields[place]!)
    return { parent: parent!, cpu: (user! + system! + endedUser! + endedSystem!) / TICKS_PER_SECOND }
  } catch {
    return null // It has ended.
  }
}

/** By process id. */
type Family = Readonly<Record<number, Stat>>

/** A process and all its descendants. */
const familyOf = (root: number): Family => {
  const all = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null
    if (stat) all.set(Number(name), stat)
  }
  const belongs = (pid: number): boolean => pid === root || (all.has(pid) && belongs(all.get(pid)!.parent))
  return Object.fromEntries([...all].filter(([pid]) => belongs(pid)))
}

const sumOf = (family: Family): number => Object.values(family).reduce((sum, { cpu }) => sum + cpu, 0)

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
      inside(installation, async (url) => {
        const database = openDatabase(url, { poolSize: 1 })
        const [row] = await database.query<{ bytes: number }>(
          `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS bytes`,
        )
        await database.close()
        return row!.bytes
      }),
  }
}
