// Tests: tests/integration/http/systems.test.ts
/** Adds connected systems: load → decide → append. */
import type { System } from '../../domain/account/account.ts'
import * as decide from '../../domain/account/systems.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import type { AccountParts, OwnersOccasion } from './accounts.ts'
import { nextId } from '../support/next-id.ts'

export interface WrittenSystem {
  system: System
  checkpoint: Checkpoint | null
}

/** @throws {Refused} SYSTEM_LIMIT_REACHED, VALIDATION_FAILED, CONFLICT · {StoreUnavailable} */
export const addSystem = async (
  { accounts, ids, planPrefix }: Pick<AccountParts, 'accounts' | 'ids' | 'planPrefix'>,
  occasion: OwnersOccasion,
  fields: decide.SystemFields,
): Promise<WrittenSystem> => {
  const system_id = await nextId(ids)
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide.addSystem(account, { system_id, fields, planPrefix, at: occasion.at }),
  )
  return { system: account.systems.get(system_id)!, checkpoint }
}
