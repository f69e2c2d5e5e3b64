// Tests: tests/integration/postgres/requirements.test.ts
/** What a server must have, checked before anything is created there. */
import type { Queryable } from '../../projections/engine/queryable.ts'

/** Waiting does not help. The message tells the operator what to do. */
export class UnsuitableServer extends Error {
  override name = 'UnsuitableServer'
}

const OLDEST = 15

interface Server {
  /** Such as 150018. */
  version: number
  encoding: string
}

const SERVER = `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`

/** @returns why the server cannot be used; null if it can */
export const unsuitable = ({ version, encoding }: Server): string | null => {
  const major = Math.floor(version / 10_000)
  if (major < OLDEST) return `the server of DATABASE_URL is Postgres ${major}: use version ${OLDEST} or later`
  if (encoding !== 'UTF8')
    return `the database of DATABASE_URL has the encoding ${encoding}: create it with ENCODING 'UTF8' TEMPLATE template0`
  return null
}

/** @throws {UnsuitableServer} */
export const refuseUnsuitable = async (database: Queryable): Promise<void> => {
  const [server] = await database.query<Server>(SERVER)
  const reason = unsuitable(server!)
  if (reason !== null) throw new UnsuitableServer(reason)
}
