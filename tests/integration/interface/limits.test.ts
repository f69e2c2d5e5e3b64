/**
 * Tests section 8 of the interface. Each row of the tables there has a test. `http/rate-limits.test.ts` tests the rows of request rates,
 * `http/abuse.test.ts` those of the abuse lock.
 */
import { expect } from 'chai'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from '../http/api-under-test.ts'

const PLANS = [
  { plan: 'Free', transactions: 100, devices: 1, mailAccounts: 0, rules: 1 },
  { plan: 'Basic', transactions: 5_000, devices: 2, mailAccounts: 1, rules: 3 },
  { plan: 'Advanced', transactions: 20_000, devices: 5, mailAccounts: 3, rules: 10 },
  { plan: 'Pro', transactions: null, devices: 10, mailAccounts: 10, rules: null },
] as const

/** More than the limit of any plan. */
const MANY = 12

describe('the interface, section 8', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi()
  })
  after(() => api.close())

  for (const { plan, transactions, devices, mailAccounts, rules } of PLANS)
    describe(`plan ${plan}`, () => {
      let key: string
      before(async () => {
        key = (await api.newAccount(`${plan.toLowerCase()}@limits.example`, plan, OWNERS_PASSWORD)).api_key
      })

      /** Creates resources until one is refused. Returns how many were created, and the refusal. */
      const most = async (path: string, thing: (number: number) => object) => {
        for (let number = 0; number < MANY; number++) {
          const { status, body } = await api.ask('POST', path, { key, json: thing(number) })
          if (status !== 201) return { made: number, refusal: body as unknown }
        }
        return { made: null, refusal: null }
      }

      it(`§8 plan ${plan}: transactions per month — ${transactions ?? 'unlimited'}`, async () => {
        const { body } = await api.ask('GET', '/api/account', { key })
        expect(body.data.usage).to.deep.equal({ transactions: 0, limit: transactions })
      })
      it(`§8 plan ${plan}: devices — ${devices}`, async () => {
        const { made, refusal } = await most('/api/devices', (number) => ({ name: `phone ${number}` }))
        expect(made).to.equal(devices)
        expect(refusal).to.deep.include({ success: false, error: 'DEVICE_LIMIT_REACHED', plan, limit: devices })
      })
      it(`§8 plan ${plan}: mail accounts — ${mailAccounts}`, async () => {
        const { made, refusal } = await most('/api/mail-accounts', (number) => ({
          email: `box${number}@${plan.toLowerCase()}.example`,
          host: '127.0.0.1',
          password: 'secret',
        }))
        expect(made).to.equal(mailAccounts)
        expect(refusal).to.deep.include({
          success: false,
          error: 'MAIL_ACCOUNT_LIMIT_REACHED',
          plan,
          limit: mailAccounts,
        })
      })
      it(`§8 plan ${plan}: webhook rules — ${rules ?? 'unlimited'}`, async () => {
        const { made, refusal } = await most('/api/webhooks', (number) => ({
          name: `rule ${number}`,
          url: 'https://shop.example/hook',
        }))
        expect(made).to.equal(rules)
        if (rules !== null)
          expect(refusal).to.deep.include({ success: false, error: 'WEBHOOK_LIMIT_REACHED', plan, limit: rules })
      })
    })

  it('§8 JSON request body — at most 10 MB', async () => {
    const key = api.owner.api_key
    const sized = (bytes: number) => {
      const around = JSON.stringify({ name: '' }).length
      return api.ask('POST', '/api/webhooks', { key, json: { name: 'x'.repeat(bytes - around) } })
    }
    expect((await sized(10 * 1024 * 1024)).body.error).to.equal('VALIDATION_FAILED')
    expect((await sized(10 * 1024 * 1024 + 1)).body.error).to.equal('PAYLOAD_TOO_LARGE')
  })
  it('§8 query string — at most 2048 bytes', async () => {
    const sized = (bytes: number) =>
      api.ask('GET', `/api/transactions?search=${'x'.repeat(bytes - 7)}`, { key: api.owner.api_key })
    expect((await sized(2048)).status).to.equal(200)
    expect((await sized(2049)).body.error).to.equal('QUERY_TOO_LONG')
  })
  it('§8 transactions list — 30 records per page, fixed', async () => {
    const { body } = await api.ask('GET', '/api/transactions?limit=5&page_size=5', { key: api.owner.api_key })
    expect(body.limit).to.equal(30)
  })
  it('§8 webhook logs — 20 rows per page', async () => {
    const key = api.owner.api_key
    const rule = await api.ask('POST', '/api/webhooks', { key, json: { name: 'x', url: 'https://shop.example/' } })
    const { body } = await api.ask('GET', `/api/webhooks/${rule.body.data.id}/logs?limit=5`, { key })
    expect(body.limit).to.equal(20)
  })
})
