/** Where notifications come from: devices, trusted senders, bank accounts (decisions, "Connected systems, rules, sources" and "Trust"). */
import { expect } from 'chai'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { textOfQr } from '../../harness/qr-code.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

describe('sources', () => {
  let api: ApiUnderTest
  let key: string
  before(async () => {
    api = await openApi({}, 'real')
    key = api.owner.api_key
  })
  after(() => api.close())
  afterEach(() => (api.clock.at = null))

  const invite = async (name = 'Shop phone', by = key) =>
    (await api.ask('POST', '/api/devices', { key: by, json: { name } })).body.data
  const pair = (code: string, more: object = {}) => api.ask('POST', '/api/receive/pair', { json: { code, ...more } })
  const post = (device_token: string, text: string, sender = 'Vietcombank') =>
    api.ask('POST', '/api/receive/sms', {
      headers: { 'x-device-token': device_token },
      json: { sender, text, received_at: api.clock.now().toISOString() },
    })
  let payments = 0
  /** The text of a new payment with its own order id. */
  const vcb = (account = '0011000415567') => {
    const number = ++payments
    const text = vietcombankText(number, `DH${1000 + number}`, { at: api.clock.now() })
    return text.replace('0011000415567', account)
  }

  describe('devices', () => {
    it('are invited with a code in a QR code, and paired by it once', async () => {
      const answer = await api.ask('POST', '/api/devices', { key, json: { name: 'Shop phone' } })
      expect(answer.status).to.equal(201)
      const { id, name, pairing_code, expires_at, qr_svg } = answer.body.data
      expect(answer.body.data).to.have.all.keys('id', 'name', 'pairing_code', 'expires_at', 'qr_svg')
      expect(name).to.equal('Shop phone')
      expect(Date.parse(expires_at) - Date.now()).to.be.within(9 * 60_000, 10 * 60_000)
      const link = new URL(textOfQr(qr_svg)!)
      expect(link.href.startsWith('baoco://pair?url=')).to.equal(true)
      expect(link.searchParams.get('url')).to.equal('https://baoco.example')
      expect(link.searchParams.get('code')).to.equal(pairing_code)

      const paired = await pair(pairing_code, { platform: 'android', model: 'Pixel 9', version: '1.2' })
      expect(paired.status).to.equal(200)
      expect(paired.body.data).to.have.all.keys('device_id', 'device_token', 'name')
      expect(paired.body.data).to.include({ device_id: id, name: 'Shop phone' })
      const taken = await post(paired.body.data.device_token, vcb())
      expect([taken.status, Number.isInteger(taken.body.data.id)]).to.deep.equal([200, true])
      expect((await pair(pairing_code)).status, 'a used code').to.equal(401)
      await api.ask('DELETE', `/api/devices/${id}`, { key })
    })

    it('have different codes of at least 50 random bits', async () => {
      const codes = await Promise.all(Array.from({ length: 5 }, () => invite()))
      const random = codes.map(({ pairing_code }) => pairing_code.split('.')[1] as string)
      expect(new Set(random).size).to.equal(5)
      for (const each of random) expect(each).to.match(/^[a-z0-9]{11,}$/)
      await Promise.all(codes.map(({ id }) => api.ask('DELETE', `/api/devices/${id}`, { key })))
    })

    it('are not paired by a code that is expired, unknown, or of no account', async () => {
      const { id, pairing_code } = await invite()
      api.clock.at = new Date(Date.now() + 10 * 60_000 + 1_000)
      expect((await pair(pairing_code)).status).to.equal(401)
      expect((await api.ask('GET', `/api/devices/${id}`, { key })).status).to.equal(404)
      for (const code of [pairing_code + 'x', 'bcp_999999.abcdefghjkmn', 'nothing'])
        expect((await pair(code)).body).to.include({ success: false, error: 'UNAUTHORIZED' })
      expect((await api.ask('POST', '/api/receive/pair', { json: {} })).body.error).to.equal('VALIDATION_FAILED')
    })

    it('are listed, shown, renamed and removed, and removal invalidates their token at once', async () => {
      const { id, pairing_code } = await invite('First name')
      const shown = async () => (await api.ask('GET', `/api/devices/${id}`, { key })).body.data
      expect(await shown()).to.include({ id, name: 'First name', paired: false, platform: null })
      const { device_token } = (await pair(pairing_code, { platform: 'ios' })).body.data
      expect(await shown()).to.include({ paired: true, expires_at: null, platform: 'ios', model: null })
      const sentBack = { ...(await shown()), name: 'Second name' }
      const renamed = await api.ask('PUT', `/api/devices/${id}`, { key, json: sentBack })
      expect([renamed.status, renamed.body.data.name]).to.deep.equal([200, 'Second name'])
      expect((await api.ask('PUT', `/api/devices/${id}`, { key, json: {} })).body.data.name).to.equal('Second name')
      expect(
        (await api.ask('GET', '/api/devices', { key })).body.data.map((each: { id: number }) => each.id),
      ).to.include(id)
      expect(JSON.stringify((await api.ask('GET', '/api/devices', { key })).body)).to.not.include(device_token)
      expect((await post(device_token, vcb())).status).to.equal(200)
      expect((await api.ask('DELETE', `/api/devices/${id}`, { key })).body).to.have.all.keys('success', 'message')
      expect((await post(device_token, vcb())).status).to.equal(401)
      expect((await api.ask('DELETE', `/api/devices/${id}`, { key })).status).to.equal(404)
    })

    it('are not accessible to other users', async () => {
      const { id } = await invite()
      const stranger = (await api.newAccount('stranger@devices.example')).api_key
      for (const [method, json] of [['GET'], ['PUT', { name: 'mine' }], ['DELETE']] as [string, object?][])
        expect((await api.ask(method, `/api/devices/${id}`, { key: stranger, json })).status, method).to.equal(404)
      expect((await api.ask('GET', '/api/devices', { key: stranger })).body.data).to.deep.equal([])
      await api.ask('DELETE', `/api/devices/${id}`, { key })
    })

    it('refuse unknown fields and invalid names', async () => {
      for (const json of [{}, { name: '' }, { name: 5 }, { name: 'x', token: 'y' }])
        expect((await api.ask('POST', '/api/devices', { key, json })).body.error).to.equal('VALIDATION_FAILED')
    })

    it('are limited by the plan, even with parallel calls (section 8)', async () => {
      const { api_key } = await api.newAccount('two@devices.example', 'Basic')
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => api.ask('POST', '/api/devices', { key: api_key, json: { name: 'phone' } })),
      )
      expect(answers.filter(({ status }) => status === 201)).to.have.length(2)
      const refused = answers.filter(({ status }) => status === 403)
      expect(refused).to.have.length(4)
      expect(refused[0]!.body).to.include({ error: 'DEVICE_LIMIT_REACHED', plan: 'Basic', limit: 2 })
    })
  })

  describe('trusted senders', () => {
    const path = '/api/account/trusted-senders'

    it('are empty at first, and then the names that were set, without duplicates', async () => {
      const { api_key } = await api.newAccount('senders@example.com')
      expect((await api.ask('GET', path, { key: api_key })).body.data).to.deep.equal({
        trusted_senders: [],
        without_sender: false,
      })
      const json = { trusted_senders: [' 0909 000 111', 'My Bank', 'MYBANK'] }
      const set = await api.ask('PUT', path, { key: api_key, json })
      expect(set.body).to.deep.equal({
        success: true,
        data: { trusted_senders: ['0909 000 111', 'MYBANK'], without_sender: false },
      })
      expect((await api.ask('GET', path, { key: api_key })).body.data).to.deep.equal(set.body.data)
    })

    it('are accepted in addition to the senders of the bank, from then on', async () => {
      const { device_token, device_id } = (await pair((await invite()).pairing_code)).body.data
      expect((await post(device_token, vcb(), '0909000222')).body.data.reason).to.equal('unknown_sender')
      await api.ask('PUT', path, { key, json: { trusted_senders: ['0909 000 222'] } })
      expect((await post(device_token, vcb(), '0909000222')).body.data.id).to.be.a('number')
      await api.ask('PUT', path, { key, json: { trusted_senders: [] } })
      expect((await post(device_token, vcb(), '0909000222')).body.data.reason).to.equal('unknown_sender')
      await api.ask('DELETE', `/api/devices/${device_id}`, { key })
    })

    it('must be a list of names', async () => {
      for (const json of [{ trusted_senders: 'VCB' }, { trusted_senders: [''] }, { trusted_senders: [1] }])
        expect((await api.ask('PUT', path, { key, json })).body.error).to.equal('VALIDATION_FAILED')
    })
  })

  describe('bank accounts', () => {
    const list = async (by: string) => (await api.ask('GET', '/api/bank-accounts', { key: by })).body.data
    let token: string
    before(async () => (token = (await pair((await invite()).pairing_code)).body.data.device_token))

    it('are listed once from their first notification on, however often and however masked they appear', async () => {
      await post(token, vcb('0022000111222'))
      const known = async () =>
        (await list(key)).filter((each: { account_number: string }) => each.account_number.startsWith('0022'))
      await eventually(async () => (await known()).length === 1, { what: 'the bank account' })
      await post(token, vcb('0022000111222'))
      await post(token, vcb('0022xxxx1222'))
      await post(token, vcb('0033000111222'))
      await eventually(async () =>
        (await list(key)).some((each: { account_number: string }) => each.account_number === '0033000111222'),
      )
      expect(await known()).to.have.length(1)
      expect((await known())[0]).to.have.all.keys('id', 'bank_code', 'account_number', 'is_active', 'confirmed')
      expect((await known())[0]).to.include({ bank_code: 'VCB', account_number: '0022000111222', is_active: 1 })
    })

    it('make their transactions no_match while they are switched off', async () => {
      const url = 'http://127.0.0.1:9/webhook'
      await api.ask('POST', '/api/webhooks', { key, json: { name: 'shop', url } })
      expect((await post(token, vcb('0044000111222'))).body.data.webhook_status).to.equal('pending')
      const find = async () =>
        (await list(key)).find((each: { account_number: string }) => each.account_number === '0044000111222')
      await eventually(async () => (await find()) !== undefined)
      const { id } = await find()
      const off = await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { is_active: 0 } })
      expect(off.body.data).to.include({ id, is_active: 0 })
      const quiet = await post(token, vcb('0044000111222'))
      expect(quiet.body.data.webhook_status).to.equal('no_match')
      expect((await post(token, vcb('0055000111222'))).body.data.webhook_status, 'another').to.equal('pending')
      await api.ask('POST', `/api/transactions/${quiet.body.data.id}/retry`, { key })
      const after = (await api.ask('GET', `/api/transactions/${quiet.body.data.id}`, { key })).body.data
      expect(after.webhook_status, 'retried by hand').to.equal('no_match')
      await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { ...(await find()), is_active: 1 } })
      expect((await post(token, vcb('0044000111222'))).body.data.webhook_status).to.equal('pending')
    })

    it('are not accessible to other users, and accept only 0 or 1', async () => {
      const [{ id }] = await list(key)
      const stranger = (await api.newAccount('stranger@banks.example')).api_key
      expect(await list(stranger)).to.deep.equal([])
      const change = (by: string, json: object) => api.ask('PUT', `/api/bank-accounts/${id}`, { key: by, json })
      expect((await change(stranger, { is_active: 0 })).status).to.equal(404)
      expect((await change(key, { is_active: 2 })).body.error).to.equal('VALIDATION_FAILED')
      expect((await change(key, { name: 'x' })).body.error).to.equal('VALIDATION_FAILED')
      expect((await change(key, {})).body.data.is_active).to.equal(1)
    })
  })
})
