/** A running API with one shop and one rule. */
import { captured, statusChanged } from '../http/captured.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import type { Answer } from '../http/ask.ts'
import { openShop, type Shop } from '../../harness/shop.ts'
import type { TransactionEventData } from '../../../domain/transaction/events.ts'

type Status = TransactionEventData['TransactionCaptured']['webhook_status']

/** To be called in a `describe`. */
export const openInterface = () => {
  let api: ApiUnderTest
  let shop: Shop
  let key: string
  let ruleId: number

  const get = (path: string, as = key): Promise<Answer> => api.ask('GET', path, { key: as })
  const post = (path: string, json?: unknown, as = key) =>
    api.ask('POST', path, { key: as, ...(json === undefined ? {} : { json }) })

  /** Creates a transaction with the given status by appending its events. */
  const transaction = async (
    webhook_status: Status,
    given: Partial<TransactionEventData['TransactionCaptured']> = {},
  ): Promise<number> => {
    const [user, id] = [api.owner.user_id, await api.nextId()]
    const failed = webhook_status === 'failed' || webhook_status === 'success'
    await api.happened(user, id, [
      captured(user, id, {
        ...given,
        rules: failed ? [ruleId] : [],
        webhook_status: failed ? 'pending' : webhook_status,
      }),
      ...(failed ? [statusChanged(id, 'pending', webhook_status)] : []),
    ])
    return id
  }
  const statusOf = async (id: number): Promise<string> =>
    (await get(`/api/transactions/${id}`)).body.data.webhook_status

  before(async () => {
    api = await openApi()
    shop = await openShop()
    key = api.owner.api_key
    ruleId = (await post('/api/webhooks', { name: 'shop', url: shop.url })).body.data.id
  })
  after(async () => {
    await shop.close()
    await api.close()
  })

  return {
    get api() {
      return api
    },
    get shop() {
      return shop
    },
    get key() {
      return key
    },
    get ruleId() {
      return ruleId
    },
    get,
    post,
    transaction,
    statusOf,
  }
}
