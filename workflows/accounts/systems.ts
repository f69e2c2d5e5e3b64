// Tests: tests/integration/http/shop-plugins.test.ts
/** Commands on connected systems: load → decide → append. */
import type { System } from '../../domain/account/account.ts'
import * as decide from '../../domain/account/systems.ts'
import type { Checkpoint, Ids } from '../../domain/ports.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import { nextId } from '../support/next-id.ts'

export interface SystemParts {
  accounts: Accounts
  ids: Ids
  /** The operator's own prefix, reserved for plan orders. */
  planPrefix: string
}

export interface WrittenSystem {
  system: System
  checkpoint: Checkpoint | null
}

/** @throws {Refused} SYSTEM_LIMIT_REACHED, VALIDATION_FAILED, CONFLICT · {StoreUnavailable} */
export const addSystem = async (
  { accounts, ids, planPrefix }: SystemParts,
  occasion: OwnersOccasion,
  fields: decide.SystemFields,
): Promise<WrittenSystem> => {
  const system_id = await nextId(ids)
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide.addSystem(account, { system_id, fields, planPrefix, at: occasion.at }),
  )
  return { system: account.systems.get(system_id)!, checkpoint }
}

/** @throws {Refused} NOT_FOUND, VALIDATION_FAILED, CONFLICT · {StoreUnavailable} */
export const changeSystem = async (
  { accounts, planPrefix }: SystemParts,
  occasion: OwnersOccasion,
  system_id: number,
  change: decide.SystemChange,
): Promise<WrittenSystem> => {
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide.changeSystem(account, { system_id, change, planPrefix }),
  )
  return { system: account.systems.get(system_id)!, checkpoint }
}

/** @throws {Refused} NOT_FOUND, CONFLICT · {StoreUnavailable} */
export const removeSystem = async (
  { accounts }: SystemParts,
  occasion: OwnersOccasion,
  system_id: number,
): Promise<{ checkpoint: Checkpoint | null }> =>
  accounts.change(occasion, (account) => decide.removeSystem(account, system_id))
