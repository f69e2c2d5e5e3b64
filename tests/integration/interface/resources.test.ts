/** Tests section 2 of the interface on answers of the API. Each row of the tables there has a test. */
import { expect } from 'chai'
import { attempted, captured, statusChanged } from '../http/captured.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'

type Fields = Record<string, unknown>
type Check = (value: unknown) => void

const int: Check = (value) => expect(Number.isSafeInteger(value) && (value as number) > 0).to.equal(true)
const string: Check = (value) => expect(value).to.be.a('string')
const moment: Check = (value) => expect(new Date(value as string).toISOString()).to.equal(value)
const decimal: Check = (value) => expect(value).to.match(/^-?\d+\.\d{2}$/)
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    expect(values).to.include(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

/** The notes are worded as in the interface. */
const TRANSACTION: readonly [field: string, note: string, check: Check][] = [
  ['id', 'int', int],
  ['user_id', 'int, the owner', int],
  ['source_type', 'sms, notification, email, api', oneOf('sms', 'notification', 'email', 'api')],
  ['bank_code', 'string', (value) => expect(value).to.equal('VCB')],
  ['bank_name', 'string', (value) => expect(value).to.equal('Vietcombank')],
  ['transaction_type', 'credit or debit', oneOf('credit', 'debit')],
  ['amount', 'decimal with 2 decimals, as a string', (value) => expect(value).to.equal('150000.00')],
  ['currency', 'string', (value) => expect(value).to.equal('VND')],
  ['account_number', 'string', (value) => expect(value).to.equal('0011000415567')],
  ['transaction_ref', 'string, the bank’s reference', string],
  ['transaction_date', 'ISO 8601 UTC', moment],
  ['counterpart_name', 'string or null', orNull(string)],
  ['counterpart_bank', 'string or null', orNull(string)],
  ['order_id', 'string or null', orNull(string)],
  ['webhook_status', 'see section 3', oneOf('failed')],
  ['created_at', 'string', moment],
  ['updated_at', 'string', moment],
]

const OMITTED: readonly [field: string, check: Check][] = [
  ['account_name', orNull(string)],
  ['counterpart_account', orNull(string)],
  ['description', (value) => expect(value).to.equal('SD TK 0011000415567 +150,000VND')],
  ['raw_data', (value) => void JSON.parse(value as string)],
  ['balance_after', orNull(decimal)],
]

const DELIVERY: readonly [field: string, check: Check][] = [
  ['id', int],
  ['webhook_url', (value) => expect(value).to.match(/^https:/)],
  ['http_status', (value) => expect(value).to.equal(500)],
  ['response_body', (value) => expect(value).to.equal('not now')],
  ['attempt', (value) => expect(value).to.equal(1)],
  ['sent_at', moment],
]

const LOG: readonly [field: string, check: Check][] = [
  ['id', int],
  ['webhook_rule_id', int],
  ['transaction_id', int],
  ['bank_code', string],
  ['amount', decimal],
  ['transaction_type', oneOf('credit', 'debit')],
  ['http_status', (value) => expect(value).to.equal(500)],
  ['response_body', string],
  ['attempt', int],
  ['sent_at', moment],
  ['created_at', moment],
]

/** The fields of a rule that was created with only name and url. */
const RULE: readonly [field: string, note: string, check: Check][] = [
  ['id', 'int', int],
  ['user_id', 'int', int],
  ['system_id', 'null by default', (value) => expect(value).to.equal(null)],
  ['system_name', 'string, returned in the list', string],
  ['name', 'label', (value) => expect(value).to.equal('shop')],
  ['url', 'HTTPS URL', (value) => expect(value).to.equal('https://shop.example/hook')],
  ['secret_key', '48 hexadecimal characters, generated', (value) => expect(value).to.match(/^[0-9a-f]{48}$/)],
  ['http_method', 'POST by default', (value) => expect(value).to.equal('POST')],
  ['filter_banks', '[] by default', (value) => expect(value).to.deep.equal([])],
  ['filter_type', 'both by default', (value) => expect(value).to.equal('both')],
  ['min_amount', 'null by default', (value) => expect(value).to.equal(null)],
  ['payload_format', 'standard by default', (value) => expect(value).to.equal('standard')],
  ['custom_template', 'null by default', (value) => expect(value).to.equal(null)],
  ['is_active', '1 or 0', oneOf(0, 1)],
  ['is_auto', '1 or 0', oneOf(0, 1)],
  ['created_at', 'timestamp', moment],
]

const unix: Check = (value) => {
  int(value)
  expect(Math.abs((value as number) - Date.now() / 1000)).to.be.lessThan(600)
}

const STANDARD: readonly [field: string, note: string, check: Check][] = [
  ['event', 'bank_transaction', oneOf('bank_transaction')],
  ['bank_code', 'string', string],
  ['bank_name', 'string', string],
  ['transaction_type', 'credit or debit', oneOf('credit', 'debit')],
  ['amount', 'string, decimal with 2 decimals', decimal],
  ['currency', 'string', string],
  ['balance_after', 'decimal or null', orNull((value) => expect(String(value)).to.match(/^-?\d+(\.\d{1,2})?$/))],
  ['account_number', 'string', string],
  ['transaction_ref', 'string', string],
  ['transaction_date', 'ISO 8601 UTC string', moment],
  ['description', 'string', string],
  ['counterpart_name', 'string', string],
  ['order_id', 'string', string],
  ['transaction_id', 'int, id of the record', int],
  ['timestamp', 'int, Unix time in seconds', unix],
]

const WOOCOMMERCE: readonly [field: string, note: string, check: Check][] = [
  ['order_id', 'string', string],
  ['payment_method', 'bank_transfer', oneOf('bank_transfer')],
  ['transaction_id', 'string, the bank reference', string],
  ['amount', 'string', string],
  ['currency', 'string', string],
  ['status', 'completed', oneOf('completed')],
  ['description', 'string', string],
  ['note', 'string, free-text summary', string],
  ['bank_code', 'string', string],
  ['bank_name', 'string', string],
  ['transaction_type', 'string', oneOf('credit', 'debit')],
  ['payer_name', 'string', string],
  ['timestamp', 'int, Unix seconds', unix],
]

describe('the interface, section 2', () => {
  let api: ApiUnderTest
  let key: string
  let plain: Fields
  let raw: Fields
  let detail: Fields
  let log: Fields
  let rule: Fields

  const payload = async (payload_format: string): Promise<Fields> => {
    const { body } = await api.ask('POST', '/api/webhooks/preview', { key, json: { payload_format } })
    return JSON.parse(body.data.body as string) as Fields
  }

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    const made = await api.ask('POST', '/api/webhooks', {
      key,
      json: { name: 'shop', url: 'https://shop.example/hook' },
    })
    rule = made.body.data as Fields
    const [user, id, attempt_id] = [api.owner.user_id, await api.nextId(), await api.nextId()]
    await api.happened(user, id, [
      captured(user, id, { rules: [rule.id as number], webhook_status: 'pending' }),
      attempted(id, { attempt_id, rule_id: rule.id as number }),
      statusChanged(id, 'pending', 'failed'),
    ])
    const get = async (path: string): Promise<Fields> => (await api.ask('GET', path, { key })).body as Fields
    plain = ((await get('/api/transactions')).data as Fields[])[0]!
    raw = ((await get('/api/transactions?include_raw=1')).data as Fields[])[0]!
    detail = (await get(`/api/transactions/${id}`)).data as Fields
    log = ((await get(`/api/webhooks/${rule.id as number}/logs`)).data as Fields[])[0]!
  })
  after(() => api.close())

  for (const [field, note, check] of TRANSACTION)
    it(`§2.1 transaction: ${field} — ${note}`, () => {
      for (const shown of [plain, raw, detail]) check(shown[field])
    })
  for (const [field, check] of OMITTED)
    it(`§2.1 transaction: ${field} — omitted by default, restored by include_raw=1`, () => {
      expect(plain).not.to.have.property(field)
      expect(detail).not.to.have.property(field)
      expect(raw).to.have.property(field)
      check(raw[field])
    })
  it('§2.1 transaction: user_id — lists contain only the caller’s transactions', async () => {
    const other = await api.newAccount('other@example.com')
    const { body } = await api.ask('GET', '/api/transactions', { key: other.api_key })
    expect([body.total, body.data]).to.deep.equal([0, []])
    expect(plain.user_id).to.equal(api.owner.user_id)
  })
  it('§2.1 transaction: no other fields except already_run_of, and in a list how many deliveries wait, succeeded and failed', () => {
    const known = [...TRANSACTION, ...OMITTED].map(([field]) => field)
    expect(raw).to.have.all.keys(...known, 'already_run_of', 'deliveries')
  })
  it('§2.1 transaction: the detail adds deliveries', () => {
    expect(detail.deliveries).to.be.an('array').with.lengthOf(1)
  })

  for (const [field, check] of DELIVERY)
    it(`§2.2 delivery record: ${field}`, () => check((detail.deliveries as Fields[])[0]![field]))
  for (const [field, check] of LOG) it(`§2.2 webhook log: ${field}`, () => check(log[field]))

  for (const [field, note, check] of RULE)
    it(`§2.3 webhook rule: ${field} — ${note}`, async () => {
      check(rule[field])
      const [listed] = (await api.ask('GET', '/api/webhooks', { key })).body.data as Fields[]
      check(listed![field])
    })
  for (const [field, good, bad] of [
    ['http_method', ['POST', 'PUT'], ['GET', 'post', '', null]],
    ['filter_type', ['credit', 'debit', 'both'], ['all', '', null, 1]],
    ['payload_format', ['standard', 'woocommerce'], ['json', '', null]],
    ['is_active', [0, 1], [2, -1, true, '1', null]],
    ['min_amount', [0, 1, 1_000_000_000, null], [-1, 0.5, '1']],
    ['filter_banks', [[], ['MB'], ['VCB', 'TCB']], ['MB', [1], [''], null]],
    ['url', ['https://shop.example/x', 'https://shop.example:8443/x?y=1'], ['ftp://shop.example', 'shop', '', null]],
    ['name', ['x', 'Cửa hàng'], ['', ' ', null, 1]],
  ] as const)
    it(`§2.3 webhook rule: ${field} — accepts its values, and no others`, async () => {
      for (const value of good) {
        const { status, body } = await api.ask('PUT', `/api/webhooks/${rule.id as number}`, {
          key,
          json: { [field]: value },
        })
        expect(status, JSON.stringify([value, body])).to.equal(200)
        expect(body.data[field]).to.deep.equal(value)
      }
      for (const value of bad) {
        const { status, body } = await api.ask('PUT', `/api/webhooks/${rule.id as number}`, {
          key,
          json: { [field]: value },
        })
        expect(status, JSON.stringify(value)).to.equal(400)
        expect(body.issues[0].path).to.match(new RegExp(`^${field}`))
      }
      await api.ask('PUT', `/api/webhooks/${rule.id as number}`, { key, json: { [field]: rule[field] } })
    })

  it('§2.4 the transaction list returns prefixes, the payment_prefix of each connected system', async () => {
    await api.ask('POST', '/api/systems', { key, json: { name: 'two', type: 'shopify', payment_prefix: 'SHOP' } })
    const { body } = await api.ask('GET', '/api/transactions', { key })
    expect(body.prefixes).to.have.members(['DH', 'SHOP'])
  })
  for (const plan of ['Free', 'Basic', 'Advanced', 'Pro'] as const)
    it(`§2.4 plan: ${plan}`, async () => {
      const { api_key } = await api.newAccount(`${plan}@example.com`, plan)
      expect((await api.ask('GET', '/api/account', { key: api_key })).body.data.plan).to.equal(plan)
    })

  for (const [field, note, check] of STANDARD)
    it(`§2.5 standard payload: ${field} — ${note}`, async () => check((await payload('standard'))[field]))
  it('§2.5 standard payload: no other fields', async () => {
    expect(await payload('standard')).to.have.all.keys(...STANDARD.map(([field]) => field))
  })
  for (const [field, note, check] of WOOCOMMERCE)
    it(`§2.5 woocommerce payload: ${field} — ${note}`, async () => check((await payload('woocommerce'))[field]))
  it('§2.5 woocommerce payload: no other fields', async () => {
    expect(await payload('woocommerce')).to.have.all.keys(...WOOCOMMERCE.map(([field]) => field))
  })
})
