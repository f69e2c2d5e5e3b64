// Tests: tests/integration/postgres/pooler.test.ts
/**
 * Finds out whether a pooler between this process and the server keeps sessions apart.
 *
 * Baoco needs its sessions: for settings, prepared statements, LISTEN and locks. A pooler in transaction or statement mode
 * gives each transaction any free session of the server. Settings of one client then hold for another.
 */
import type pg from 'pg'
import { isTooLong } from '../event-store/postgres/outage.ts'
import { UnsuitableServer } from './requirements.ts'

export type Opener = () => Promise<pg.Client>

class MixedSessions extends UnsuitableServer {
  override name = 'MixedSessions'
  constructor() {
    super(
      'DATABASE_URL names a pooler that can give each transaction a different session: name the Postgres server itself, or set the pooler to session pooling (PgBouncer: pool_mode = session)',
    )
  }
}

/** Such a pooler may use its sessions in turn, so two clients are asked often, in random order. */
const ROUNDS = 16

/** A pooler without a free connection would make its client wait for minutes. */
export const ANSWERS_WITHIN_MS = 5_000

/** Fails with this if the first statements on a new connection are not answered. The driver's error would blame one long statement. */
export const answered = <Result>(first: Promise<Result>): Promise<Result> =>
  first.catch((error: unknown) => {
    if (!isTooLong(error)) throw error
    throw new Error(
      `no answer on a new connection within ${ANSWERS_WITHIN_MS / 1_000} s: the server is slow, or a pooler has too few connections (each process of Baoco needs up to 22)`,
      { cause: error },
    )
  })

const BACKEND = { text: 'SELECT pg_catalog.pg_backend_pid() AS pid', query_timeout: ANSWERS_WITHIN_MS }

const backendOf = async (client: pg.ClientBase): Promise<number> =>
  (await answered(client.query<{ pid: number }>(BACKEND))).rows[0]!.pid

/** A pooler gives its clients process ids of its own. */
const isDirect = (client: pg.ClientBase, backend: number): boolean =>
  (client as unknown as { processID: number | null }).processID === backend

/**
 * Checks a connection, before anything is set in its session. A direct connection costs one short query.
 * @throws {MixedSessions}
 */
export const refuseMixedSessions = async (client: pg.ClientBase, open: Opener): Promise<void> => {
  const backend = await backendOf(client)
  if (isDirect(client, backend)) return
  const other = await open()
  try {
    const mine = { client, backend }
    const others = { client: other, backend: await backendOf(other) }
    if (mine.backend === others.backend) throw new MixedSessions()
    for (let round = 0; round < ROUNDS; round++)
      for (const each of Math.random() < 0.5 ? [mine, others] : [others, mine])
        if ((await backendOf(each.client)) !== each.backend) throw new MixedSessions()
  } finally {
    await other.end().catch(() => {})
  }
}
