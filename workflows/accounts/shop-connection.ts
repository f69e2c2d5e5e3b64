// Tests: tests/integration/http/shop-plugins.test.ts
/** The command that connects a shop's plugin: load → decide → append. */
import type { Rule, System } from '../../domain/account/account.ts'
import { invalid } from '../../domain/account/refusals.ts'
import {
  connectionOf,
  connectShop as decide,
  normalSite,
  type ShopConnection,
} from '../../domain/account/shop-connection.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import type { AccountParts, OwnersOccasion } from './accounts.ts'
import { newRuleSecret } from './secrets.ts'

export interface Connected {
  system: System
  rule: Rule
  systems: ReadonlyMap<number, { name: string }>
  /** Whether the connection was created by this call. */
  isNew: boolean
  checkpoint: Checkpoint | null
}

/** @throws {Refused} WEBHOOK_LIMIT_REACHED, SYSTEM_LIMIT_REACHED, VALIDATION_FAILED, CONFLICT · {StoreUnavailable} */
export const connectShop = async (
  {
    accounts,
    ids,
    vault,
    urlProblem,
    planPrefix,
  }: Pick<AccountParts, 'accounts' | 'ids' | 'vault' | 'urlProblem' | 'planPrefix'>,
  occasion: OwnersOccasion,
  given: ShopConnection,
): Promise<Connected> => {
  const problem = urlProblem(given.webhook_url)
  if (problem !== null) throw invalid({ path: 'webhook_url', message: `The URL ${problem}.` })
  const shop = { ...given, site_url: normalSite(given.site_url) }
  const [system_id, rule_id] = (await ids.next(2)) as [number, number]
  const sealed_secret = vault.seal(newRuleSecret())
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide(account, { ...shop, system_id, rule_id, sealed_secret, planPrefix, at: occasion.at }),
  )
  const { system, rule } = connectionOf(account, shop)!
  return { system, rule, systems: account.systems, isNew: system.system_id === system_id, checkpoint }
}
