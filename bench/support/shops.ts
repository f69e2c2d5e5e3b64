/** Several shops on one installation. Each shop has an account with its own personal URL and API key. */
import { callApi, type Installation, type Running } from '../../tests/harness/baoco-process.ts'
import { runChild } from './children.ts'

export interface ShopAccount {
  apiKey: string
  personalUrl: string
}

/** Returns the first account and `count - 1` new ones. Each new one gets a connected system with the prefix DH. */
export const openShops = async (
  running: Running,
  installation: Installation,
  count: number,
  settings: Record<string, string>,
): Promise<readonly ShopAccount[]> => {
  const shops: ShopAccount[] = [{ apiKey: installation.apiKey, personalUrl: installation.personalUrl }]
  const env = { BAOCO_DATA_DIR: installation.dataDir, ...settings }
  for (const apiKey of await runChild<string[]>('./create-accounts.ts', count - 1, env)) {
    const system = { name: 'Shop', type: 'custom', payment_prefix: 'DH' }
    const made = await callApi(running, apiKey, 'POST', '/api/systems', system)
    if (made.status !== 201) throw new Error(`no system: ${JSON.stringify(made.body)}`)
    const { body } = await callApi(running, apiKey, 'GET', '/api/receive-url')
    shops.push({ apiKey, personalUrl: (body.data as { url: string }).url })
  }
  return shops
}

/** A rule and the prefix of the payments that it matches. */
export interface ShopRule {
  id: number
  user_id: number
  prefix: string
  url: string
}

/** Creates a rule for each shop that posts its payments with the prefix DH to this URL. */
export const addRules = async (running: Running, shops: readonly ShopAccount[], url: string): Promise<ShopRule[]> => {
  const rules: ShopRule[] = []
  for (const { apiKey } of shops) {
    const { status, body } = await callApi(running, apiKey, 'POST', '/api/webhooks', { name: 'benchmark', url })
    if (status !== 201) throw new Error(`the rule was not created: ${JSON.stringify(body)}`)
    rules.push({ ...(body.data as Omit<ShopRule, 'prefix'>), prefix: 'DH' })
  }
  return rules
}

/** Connects each URL with its own payment prefix: four letters that no bank prints, numbered from `from`. */
export const connectShop = async (
  running: Running,
  { apiKey }: ShopAccount,
  urls: readonly string[],
  from = 0,
): Promise<ShopRule[]> => {
  const letter = (value: number): string => String.fromCharCode(65 + (value % 26))
  const rules: ShopRule[] = []
  for (const [index, url] of urls.entries()) {
    const payment_prefix = `QZ${letter(Math.floor((from + index) / 26))}${letter(from + index)}`
    const shop = { type: 'custom', site_url: `${url}/${payment_prefix}`, webhook_url: `${url}/`, payment_prefix }
    const { status, body } = await callApi(running, apiKey, 'POST', '/api/systems/connect', shop)
    if (status !== 201) throw new Error(`the shop was not connected: ${JSON.stringify(body)}`)
    const { rule } = body.data as { rule: Omit<ShopRule, 'prefix'> }
    rules.push({ ...rule, prefix: payment_prefix })
  }
  return rules
}

/** Pauses or resumes the calls of rules. */
export const setActive = async (
  running: Running,
  { apiKey }: ShopAccount,
  rules: readonly ShopRule[],
  is_active: 0 | 1,
): Promise<void> => {
  for (const { id } of rules) {
    const { status, body } = await callApi(running, apiKey, 'PUT', `/api/webhooks/${id}`, { is_active })
    if (status !== 200) throw new Error(`the rule was not changed: ${JSON.stringify(body)}`)
  }
}

/** The total number of transactions in the lists of all shops. */
export const listed = async (running: Running, shops: readonly ShopAccount[]): Promise<number> => {
  let total = 0
  for (const { apiKey } of shops)
    total += (await callApi(running, apiKey, 'GET', '/api/transactions')).body.total as number
  return total
}
