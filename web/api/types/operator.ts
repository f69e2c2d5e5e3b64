// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers about the operator. */

export interface OperatorAccount {
  id: number
  email: string
  plan: string
  plan_expires_at: string | null
  locked: boolean
  operator: boolean
}

export interface OperatorStatus {
  lag: { projector: string; behind: boolean; last_event_at: string | null }[]
  lanes: { lane: string; open: number; due: number }[]
  breakers: { user_id: number; endpoint: string; since: string }[]
  parked: number
  overdue: number
  processes: { name: string; since: string | null; address: string | null }[]
  /** A process of an older version does not report them. */
  clocks?: { process: string; ahead_seconds: number }[]
  leases: { name: string; process: string | null; since: string }[]
  mailboxes: number
  versions: { baoco: string; postgres: string; tables: string; node: string }
  disk: {
    database_bytes: number
    schemas: { name: string; bytes: number }[]
    free_bytes: number | null
    servers: { server: 'postgres' | 'event_store'; place: string | null; free_bytes: number; size_bytes: number }[]
    /** A process of an older version does not report them. */
    low?: {
      disk: 'data_folder' | 'postgres' | 'event_store'
      /** null if it is not measured. */
      free_bytes: number | null
      full: boolean
      refusing: boolean
    }[]
  }
  audit: { ended_at: string; events: number; transactions: number; faults: number; whole_at: string } | null
}

export interface Mail {
  id: number
  to: string
  subject: string
  text: string | null
  created_at: string
  /** The number of attempts, including one that is made now. A process of an older version does not report it. */
  tries?: number
}
