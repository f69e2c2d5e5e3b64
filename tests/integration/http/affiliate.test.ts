/** Affiliate links and commissions (interface, sections 4.5 and 8; decisions, "Affiliate"). */
import { expect } from 'chai'
import { openAffiliates, type Affiliates } from '../../../workflows/affiliate/affiliates.ts'
import { openIds } from '../../../adapters/system/ids.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

describe('affiliates', () => {
  let api: ApiUnderTest
  let affiliates: Affiliates
  before(async () => {
    api = await openApi()
    affiliates = openAffiliates({ store: api.store, ids: openIds({ store: api.store, clock: api.clock }) })
  })
  after(() => api.close())

  const account = async (name: string) => api.newAccount(`${name}@affiliates.example`, 'Free')
  const bank = { bank_code: 'VCB', account_number: '0011000415567', account_name: 'NGUYEN VAN A' }
  const summary = async (key: string) => (await api.ask('GET', '/api/affiliate', { key })).body.data
  const withdraw = (key: string, amount: unknown) =>
    api.ask('POST', '/api/affiliate/withdraw', { key, json: { amount } })
  const setBank = (key: string, json: object = bank) => api.ask('PUT', '/api/affiliate/bank', { key, json })
  const earn = (user_id: number, amount: string, caused_by: string) =>
    affiliates.earn(
      { user_id, at: new Date(), correlation_id: 'test', causation_id: caused_by },
      { user_id, amount, referred_user_id: 999, plan_order_id: 998, caused_by },
    )

  it('start with no balance, links or withdrawals', async () => {
    const { api_key } = await account('nothing')
    expect(await summary(api_key)).to.deep.equal({
      balance: '0.00',
      earned: '0.00',
      withdrawn: '0.00',
      bank: null,
      links: [],
      withdrawals: [],
    })
  })

  it('create links with codes that belong to them', async () => {
    const { api_key, user_id } = await account('links')
    const made = await api.ask('POST', '/api/affiliate/links', { key: api_key, json: { label: 'My blog' } })
    expect(made.status).to.equal(201)
    expect(made.body.data).to.have.all.keys('id', 'label', 'code', 'url')
    const { code, url } = made.body.data
    expect(new URL(url).searchParams.get('ref')).to.equal(code)
    const second = await api.ask('POST', '/api/affiliate/links', { key: api_key, json: { label: 'Newsletter' } })
    expect(second.body.data.label).to.equal('Newsletter')
    const { links } = await summary(api_key)
    expect(links.map(({ label }: { label: string }) => label)).to.deep.equal(['Newsletter', 'My blog'])
    expect(links[1]).to.deep.equal(made.body.data)
    expect(await affiliates.ownerOfCode(code)).to.equal(user_id)
    expect(await affiliates.ownerOfCode(`${code}x`)).to.equal(null)
    expect(await affiliates.ownerOfCode('nonsense')).to.equal(null)
    for (const json of [{}, { label: '' }, { label: 'x', code: 'mine' }])
      expect((await api.ask('POST', '/api/affiliate/links', { key: api_key, json })).status).to.equal(400)
  })

  it('set the bank account for their withdrawals', async () => {
    const { api_key } = await account('bank')
    const { status, body } = await setBank(api_key, { ...bank, bank_code: 'vcb' })
    expect([status, body]).to.deep.equal([200, { success: true, data: bank }])
    expect((await setBank(api_key)).body.data).to.deep.equal(bank)
    expect((await summary(api_key)).bank).to.deep.equal(bank)
    for (const json of [{}, { ...bank, account_number: '' }, { ...bank, bank_code: '?' }, { ...bank, more: 1 }])
      expect((await setBank(api_key, json)).status).to.equal(400)
  })

  it('withdraw what they have earned, once they have set a bank account', async () => {
    const { api_key, user_id } = await account('earner')
    await earn(user_id, '120000.00', 'payment-1')
    await earn(user_id, '120000.00', 'payment-1')
    expect((await summary(api_key)).balance, 'once a payment').to.equal('120000.00')
    expect([(await withdraw(api_key, 1)).status, (await withdraw(api_key, 1)).body.error]).to.deep.equal([
      409,
      'CONFLICT',
    ])
    await setBank(api_key)
    const taken = await withdraw(api_key, 70_000)
    expect(taken.status).to.equal(201)
    expect(taken.body.data).to.include({ amount: '70000.00', status: 'requested', ...bank })
    expect((await withdraw(api_key, 50_001)).status).to.equal(409)
    expect(await summary(api_key)).to.include({ balance: '50000.00', earned: '120000.00', withdrawn: '70000.00' })
    expect((await summary(api_key)).withdrawals).to.deep.equal([taken.body.data])
    expect((await withdraw(api_key, 10_000)).body.data.amount).to.equal('10000.00')
    for (const amount of [0, -1, 1.5, '1', null, 1e300]) expect((await withdraw(api_key, amount)).status).to.equal(400)
  })

  it('cannot withdraw more than their balance, even with parallel calls', async () => {
    const { api_key, user_id } = await account('parallel')
    await earn(user_id, '100000.00', 'payment-2')
    await setBank(api_key)
    const answers = await Promise.all(Array.from({ length: 6 }, () => withdraw(api_key, 40_000)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 409, 409, 409, 409])
    expect((await summary(api_key)).balance).to.equal('20000.00')
  })

  it('see only their own links', async () => {
    const [one, other] = [await account('one'), await account('two')]
    await api.ask('POST', '/api/affiliate/links', { key: one.api_key, json: { label: 'x' } })
    expect((await summary(other.api_key)).links).to.deep.equal([])
    expect((await api.ask('GET', '/api/affiliate')).status).to.equal(401)
  })
})
