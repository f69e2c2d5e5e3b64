import { expect } from 'chai'
import type { StoredEvent } from '../../../domain/parse-event.ts'
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
    attempts.forEach(({ attempt_id }, index) => {
      const { method, url, headers, body } = requests.get(attempt_id)!
      const got = shop.calls[index]!
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

  it('looks at each event once, however many attempts there are', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    let looks = 0
    const watched = <Event extends { type: string }>(event: Event): Event =>
      Object.defineProperty({ ...event }, 'type', { get: () => (looks++, event.type) })
    const looksFor = async (attempts: number): Promise<number> => {
      const read = async (slices: Parameters<typeof setting.store.read>[0]) => {
        const [events = [], account = []] = await setting.store.read(slices)
        const repeated = events.flatMap((event): StoredEvent[] =>
          event.type === 'WebhookAttempted' ? Array.from({ length: attempts }, () => event) : [event],
        )
        return [repeated.map(watched), account.map(watched)] as never
      }
      looks = 0
      await remakeRequests({ store: { ...setting.store, read }, vault }, USER, transaction!)
      return looks
    }
    const [few, many] = [await looksFor(10), await looksFor(100)]
    expect(many / few).to.be.below(10)
  })

  it('reads the account up to the newest attempt, in pages, and at most 20,000 of its events', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    /** @param changes  of the account after its registration, which the store has in addition. @returns the sizes of the pages, and the requests */
    const remadeAfter = async (changes: number): Promise<{ read: number[]; requests: number }> => {
      const [account = []] = await setting.store.read([{ stream: `account-${USER}` }])
      const [first] = account
      const changed = {
        ...first!,
        type: 'LanguageSet',
        data: { user_id: USER, language: 'en' },
      } as unknown as StoredEvent
      const whole = [first!, ...Array.from({ length: changes }, () => changed), ...account.slice(1)].map(
        (event, revision) => ({ ...event, revision }),
      )
      const read: number[] = []
      const store = {
        read: async (slices: Parameters<typeof setting.store.read>[0]) => {
          const [{ stream, from = 0, limit = Infinity }] = slices as [(typeof slices)[0]]
          if (!stream.startsWith('account-')) {
            const [events = []] = await setting.store.read(slices)
            const later = ({ data }: StoredEvent) => ({
              ...data,
              account_revision: (data as { account_revision: number }).account_revision + changes,
            })
            return [
              events.map((event) => (event.type === 'WebhookAttempted' ? { ...event, data: later(event) } : event)),
            ] as never
          }
          const page = whole.slice(from, from + limit)
          read.push(page.length)
          return [page] as never
        },
      }
      return {
        read,
        requests: (await remakeRequests({ store: { ...setting.store, ...store }, vault }, USER, transaction!)).size,
      }
    }
    expect((await remadeAfter(0)).requests).to.equal(1)
    const few = await remadeAfter(5_000)
    expect(few.requests).to.equal(1)
    expect(Math.max(...few.read)).to.be.at.most(2_000)
    const many = await remadeAfter(30_000)
    expect(many).to.deep.include({ requests: 0, read: Array.from({ length: 10 }, () => 2_000) })
  })
})
