import { expect } from 'chai'
import { remakeRequests } from '../../../workflows/deliver/remake-request.ts'
import { status } from '../../harness/shop.ts'
import { openDeliverySetting, USER, vault, type DeliverySetting } from './setting.ts'

describe('the rebuilt request of an attempt', () => {
  let setting: DeliverySetting
  beforeEach(async () => (setting = await openDeliverySetting()))
  afterEach(() => setting.close())

  it('equals what the shop received, byte for byte, even if the rule has changed since', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url)
    await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'failed')
    await setting.account(USER, {
      type: 'RuleChanged',
      data: {
        user_id: USER,
        rule_id: rule,
        http_method: 'PUT',
        url: 'https://other.vn/',
        payload_format: 'woocommerce',
      },
    })
    const requests = await remakeRequests({ store: setting.store, vault }, USER, transaction!)
    const attempts = await setting.attempts(transaction!)
    expect(attempts).to.have.length(3)
    attempts.forEach(({ attempt_id }, place) => {
      const { method, url, headers, body } = requests.get(attempt_id)!
      const got = shop.calls[place]!
      expect([method, url, body]).to.deep.equal([got.method, shop.url, got.body])
      expect(got.headers).to.deep.include(headers)
    })
  })

  it('is not shown if it would differ from the original', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    const altered = {
      read: async (slices: Parameters<typeof setting.store.read>[0]) =>
        JSON.parse(JSON.stringify(await setting.store.read(slices)).replaceAll('text of', 'other text of')) as never,
    }
    expect(
      (await remakeRequests({ store: { ...setting.store, ...altered }, vault }, USER, transaction!)).size,
    ).to.equal(0)
  })
})
