// Tests: tests/integration/account-commands.test.ts
/** The public address that a command prints. A command often runs in a shell without the settings of the server. */
import { servedAddress } from '../../adapters/postgres/ops/installation.ts'
import type { Queryable } from '../../adapters/database/database.ts'
import type { Settings } from '../settings/settings.ts'

export interface PublicAddress {
  baseUrl: string
  /** Whether the server has used this address, or the settings name it. */
  isKnown: boolean
}

/** BASE_URL if it is set, else the address of the server that ran last, else the one that PORT gives. */
export const publicAddress = async (
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  database: Queryable,
): Promise<PublicAddress> => {
  if (process.env.BASE_URL?.trim()) return { baseUrl, isKnown: true }
  const served = await servedAddress(database)
  return served === null ? { baseUrl, isKnown: Boolean(process.env.PORT?.trim()) } : { baseUrl: served, isKnown: true }
}
