/** Several shops on one installation, as a service has them: an account each, with its own personal URL and key. */
import { callApi, type Installation, type Running } from '../../tests/support/baoco-process.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface ShopAccount {
  apiKey: string
  personalUrl: string
}

const baoco = new URL('../../cmd/baoco.mjs', import.meta.url).pathname

const create = async ({ dataDir }: Installation, number: number, settings: Record<string, string>): Promise<string> => {
  const args = [baoco, 'account', 'create', `shop${number}@baoco.local`, '--plan', 'Pro', '--password']
  const { stdout } = await promisify(execFile)(process.execPath, [...args, 'a password of a benchmark'], {
    env: { PATH: process.env.PATH, BAOCO_DATA_DIR: dataDir, ...settings },
  })
  const [key] = /bck_\S+/.exec(stdout) ?? []
  if (!key) throw new Error(`no key in: ${stdout}`)
  return key
}

/** The first account and as many more as asked for, each with a connected system of prefix DH. */
export const openShops = async (
  running: Running,
  installation: Installation,
  count: number,
  settings: Record<string, string>,
): Promise<readonly ShopAccount[]> => {
  const shops: ShopAccount[] = [{ apiKey: installation.apiKey, personalUrl: installation.personalUrl }]
  for (let number = 1; number < count; number++) {
    const apiKey = await create(installation, number, settings)
    const system = { name: 'Shop', type: 'custom', payment_prefix: 'DH' }
    const made = await callApi(running, apiKey, 'POST', '/api/systems', system)
    if (made.status !== 201) throw new Error(`no system: ${JSON.stringify(made.body)}`)
    const { body } = await callApi(running, apiKey, 'GET', '/api/receive-url')
    shops.push({ apiKey, personalUrl: (body.data as { url: string }).url })
  }
  return shops
}

/** Every payment with prefix DH to any of them is posted to this address from now on. */
export const addRules = async (running: Running, shops: readonly ShopAccount[], url: string): Promise<void> => {
  for (const { apiKey } of shops) {
    const { status, body } = await callApi(running, apiKey, 'POST', '/api/webhooks', { name: 'benchmark', url })
    if (status !== 201) throw new Error(`the rule was not created: ${JSON.stringify(body)}`)
  }
}

/** Transactions in the lists of all of them. */
export const listed = async (running: Running, shops: readonly ShopAccount[]): Promise<number> => {
  let total = 0
  for (const { apiKey } of shops)
    total += (await callApi(running, apiKey, 'GET', '/api/transactions')).body.total as number
  return total
}
