/** Several shops on one installation, as a service has them: an account each, with its own personal URL and key. */
import { callApi, type Installation, type Running } from '../../tests/harness/baoco-process.ts'
import { runChild } from './children.ts'

export interface ShopAccount {
  apiKey: string
  personalUrl: string
}

/** The first account and as many more as asked for, each with a connected system of prefix DH. */
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

/** A rule and the prefix of the payments it takes. */
export interface ShopRule {
  id: number
  user_id: number
  prefix: string
  url: string
}

/** Every payment with prefix DH to any of them is posted to this address from now on. */
export const addRules = async (running: Running, shops: readonly ShopAccount[], url: string): Promise<ShopRule[]> => {
  const rules: ShopRule[] = []
  for (const { apiKey } of shops) {
    const { status, body } = await callApi(running, apiKey, 'POST', '/api/webhooks', { name: 'benchmark', url })
    if (status !== 201) throw new Error(`the rule was not created: ${JSON.stringify(body)}`)
    rules.push({ ...(body.data as Omit<ShopRule, 'prefix'>), prefix: 'DH' })
  }
  return rules
}

/** Each address gets the payments of a prefix of its own, four letters that no bank prints, from this number on. */
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

/** Holds the calls of rules, or lets them go on. */
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

/** Transactions in the lists of all of them. */
export const listed = async (running: Running, shops: readonly ShopAccount[]): Promise<number> => {
  let total = 0
  for (const { apiKey } of shops)
    total += (await callApi(running, apiKey, 'GET', '/api/transactions')).body.total as number
  return total
}
