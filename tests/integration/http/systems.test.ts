/** Connected systems: what may be set, by whom, and how the answers look. */
import { expect } from 'chai'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

const HOOK = 'https://shop.example/hook'

describe('connected systems', () => {
  let api: ApiUnderTest
  let key: string
  const ask = (method: string, path = '', json?: unknown, as = key) =>
    api.ask(method, `/api/systems${path}`, { key: as, ...(json === undefined ? {} : { json }) })
  const fields = (payment_prefix: string) => ({ name: 'Shop', type: 'haravan', payment_prefix })

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
  })
  after(() => api.close())

  it('include one with the prefix DH in the first account', async () => {
    const { body } = await ask('GET')
    expect(body.data).to.have.lengthOf(1)
    expect(body.data[0]).to.include({ payment_prefix: 'DH', type: 'custom', is_active: 1 })
    expect(body.data[0]).to.have.all.keys('id', 'name', 'type', 'payment_prefix', 'is_active', 'created_at')
  })

  it('are created, read, changed and deleted', async () => {
    const { status, body } = await ask('POST', '', fields('abc1'))
    expect(status).to.equal(201)
    expect(body.data).to.include({ name: 'Shop', type: 'haravan', payment_prefix: 'ABC1', is_active: 1 })
    const path = `/${body.data.id}`
    expect((await ask('GET', path)).body).to.deep.equal({ success: true, data: body.data })
    const changed = await ask('PUT', path, { ...body.data, name: 'Other', id: 1, payment_prefix: 'abc1' })
    expect(changed.body.data).to.deep.equal({ ...body.data, name: 'Other' })
    expect((await ask('PUT', path, {})).body.data).to.deep.equal(changed.body.data)
    expect((await ask('DELETE', path)).body).to.have.all.keys('success', 'message')
    expect((await ask('GET', path)).status).to.equal(404)
    expect((await ask('PUT', path, {})).status).to.equal(404)
    expect((await ask('DELETE', path)).status).to.equal(404)
  })

  it('refuse prefixes that banks print, the plan prefix, and malformed ones', async () => {
    const printed = 'TK SD ND GD CT FT MB VND REF LUC VAO NGAY TAI SO PS'.split(' ')
    for (const prefix of [...printed, 'bc', 'ref', 'A', 'ABCDEFGHIJK', 'A-B', 'ĐH', '', ' '])
      expect((await ask('POST', '', fields(prefix))).body.issues?.[0]?.path, prefix).to.equal('payment_prefix')
    for (const bad of [{ ...fields('XY'), type: 'magento' }, { ...fields('XY'), secret: 1 }, { name: 'x' }])
      expect((await ask('POST', '', bad)).status).to.equal(400)
  })

  it('have unique prefixes, compared without case', async () => {
    const refused = await ask('POST', '', fields('dh'))
    expect([refused.status, refused.body.error]).to.deep.equal([409, 'CONFLICT'])
    const both = await Promise.all([ask('POST', '', fields('RACE')), ask('POST', '', fields('race'))])
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409])
    const { body } = await ask('POST', '', fields('OTHER'))
    expect((await ask('PUT', `/${body.data.id}`, { payment_prefix: 'dh' })).status).to.equal(409)
    const elsewhere = await api.newAccount('elsewhere@example.com')
    expect((await ask('POST', '', fields('DH'), elsewhere.api_key)).status).to.equal(201)
  })

  it('cannot be deleted while own rules refer to them, and are deleted with their automatic rule', async () => {
    const { id } = (await ask('POST', '', fields('KEEP'))).body.data
    const rule = (await api.ask('POST', '/api/webhooks', { key, json: { name: 'r', url: HOOK, system_id: id } })).body
      .data
    expect((await ask('DELETE', `/${id}`)).status).to.equal(409)
    await api.ask('DELETE', `/api/webhooks/${rule.id}`, { key })
    const auto = await api.nextId()
    const { id: _, secret_key: __, system_name: ___, ...given } = rule
    const shown = (await api.ask('POST', '/api/webhooks', { key, json: { name: 'other', url: HOOK } })).body.data
    await api.decree(api.owner.user_id, {
      type: 'RuleCreated',
      data: { ...given, rule_id: auto, is_auto: 1, sealed_secret: 'x' },
    })
    expect((await ask('DELETE', `/${id}`)).status).to.equal(200)
    const left = (await api.ask('GET', '/api/webhooks', { key })).body.data as { id: number }[]
    expect(left.map((each) => each.id)).to.deep.equal([shown.id])
  })

  it('are not accessible to other users', async () => {
    const { id } = (await ask('GET')).body.data[0]
    const stranger = await api.newAccount('stranger@example.com')
    for (const [method, json] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
      expect((await ask(method, `/${id}`, json, stranger.api_key)).status).to.equal(404)
  })
})
