// Tests: tests/integration/http/registration.test.ts
/**
 * The secrets of the first account that no start has printed completely: `ops.unshown_secrets`, sealed. While a process is about to print
 * them, its session holds a lock on them, so that another process that starts does not print them too.
 */
import type pg from 'pg'
import type { Vault } from '../../../domain/ports.ts'
import type { FreshAccount, UnshownSecrets } from '../../../workflows/accounts/registration.ts'
import type { Database } from '../../database/database.ts'

/** The first of the two numbers of each lock. */
const LOCKS = 0x5ec2e7

/** null if the key of the vault was replaced since. */
const opened = (vault: Vault, sealed: string): FreshAccount | null => {
  try {
    return JSON.parse(vault.open(sealed)) as FreshAccount
  } catch {
    return null
  }
}

export interface OpenUnshownSecrets extends UnshownSecrets {
  close(): Promise<void>
}

export const openUnshownSecrets = (database: Database, vault: Vault): OpenUnshownSecrets => {
  let session: Promise<pg.Client> | null = null
  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> =>
    (await (await (session ??= database.connect())).query<Row>(text, values)).rows
  const close = async (): Promise<void> => {
    const ending = session
    session = null
    await ending?.then((client) => client.end()).catch(() => {})
  }
  return {
    keep: async (account) => {
      // The lock is there before the row can be seen.
      await ask(
        `WITH kept AS (INSERT INTO ops.unshown_secrets (sealed) VALUES ($1) RETURNING id)
          SELECT pg_advisory_lock($2, id::int) FROM kept`,
        [vault.seal(JSON.stringify(account)), LOCKS],
      )
    },
    all: async () => {
      const kept = 'SELECT id, sealed FROM ops.unshown_secrets ORDER BY id'
      const rows = await ask<{ sealed: string }>(
        `SELECT sealed FROM (${kept}) AS kept WHERE pg_try_advisory_lock($1, id::int)`,
        [LOCKS],
      )
      return rows.flatMap(({ sealed }) => opened(vault, sealed) ?? [])
    },
    forget: async () => {
      await database.query('DELETE FROM ops.unshown_secrets')
      await close()
    },
    close,
  }
}
