/** The list of transactions with each of its parameters (interface, section 4.2). */
import { expect } from 'chai'
import type { TransactionEventData } from '../../../domain/transaction/events.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { captured } from './captured.ts'

const PERSONAL = ['description', 'raw_data', 'balance_after', 'counterpart_account', 'account_name']

describe('the transaction list', () => {
  let api: ApiUnderTest
  let key: string
  const ids: Record<string, number> = {}

  const list = (query = '', as = key) => api.ask('GET', `/api/transactions${query}`, { key: as })
  const idsOf = async (query: string): Promise<number[]> => {
    const { status, body } = await list(query)
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.total).to.equal(body.data.length)
    return body.data.map(({ id }: { id: number }) => id)
  }
  const add = async (
    name: string,
    given: Partial<TransactionEventData['TransactionCaptured']>,
    user = api.owner.user_id,
  ) => {
    const id = await api.nextId()
    ids[name] = id
    await api.happened(user, id, [captured(user, id, given)])
  }

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    const created_at = '2026-03-12T00:00:00.000Z'
    await add('plain', { created_at })
    await add('debit', { created_at, transaction_type: 'debit', bank_code: 'MB', source_type: 'notification' })
    await add('late', { created_at: '2026-03-11T23:59:59.999Z', transaction_date: '2026-03-09T16:59:59.999Z' })
    await add('midnight', { created_at, transaction_date: '2026-03-09T17:00:00.000Z' })
    await add('accents', {
      created_at,
      description: 'Nguyễn Văn ĐẠT chuyển 50%',
      transaction_ref: null,
      order_id: null,
    })
    await add('signs', { created_at, description: 'a_b\\c', transaction_ref: 'FT%1', order_id: 'DH_7' })
    const other = await api.newAccount('other@example.com')
    await add('foreign', { created_at }, other.user_id)
  })
  after(() => api.close())

  it('shows the newest first, with the prefixes and without personal data', async () => {
    const { body } = await list()
    expect(body).to.have.all.keys('success', 'data', 'total', 'page', 'limit', 'next_cursor', 'same_cursor', 'prefixes')
    expect(body).to.deep.include({ success: true, total: 6, page: 1, limit: 30, prefixes: ['DH'] })
    const order = ['signs', 'accents', 'midnight', 'debit', 'plain', 'late'].map((name) => ids[name])
    expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal(order)
    expect(body.data[4]).to.deep.include({
      user_id: api.owner.user_id,
      amount: '150000.00',
      transaction_date: '2026-03-10T05:00:00.000Z',
      created_at: '2026-03-12T00:00:00.000Z',
      already_run_of: null,
      counterpart_bank: null,
    })
    expect(body.data[4]).not.to.have.any.keys(...PERSONAL, 'content', 'source', 'prefix')
  })

  it('shows the five personal fields only with include_raw=1', async () => {
    const raw = (await list('?include_raw=1')).body.data[4]
    expect(raw).to.include({
      description: 'SD TK 0011000415567 +150,000VND',
      raw_data: '{"text":"x"}',
      balance_after: '1250000.00',
      counterpart_account: '19001',
      account_name: 'NGUYEN VAN A',
    })
    for (const query of ['?include_raw=0', '?include_raw=', ''])
      expect((await list(query)).body.data[4]).not.to.have.any.keys(...PERSONAL)
    for (const bad of ['2', 'true', 'yes']) expect((await list(`?include_raw=${bad}`)).status).to.equal(400)
  })

  it('filters by bank, type and source', async () => {
    expect(await idsOf('?bank_code=MB')).to.deep.equal([ids.debit])
    expect(await idsOf('?bank_code=mb')).to.deep.equal([])
    expect(await idsOf('?type=debit')).to.deep.equal([ids.debit])
    expect(await idsOf('?source_type=notification')).to.deep.equal([ids.debit])
    expect(await idsOf('?type=credit&source_type=notification')).to.deep.equal([])
    expect(await idsOf('?type=&bank_code=&source_type=&search=&date_from=&date_to=&unknown=1')).to.have.lengthOf(6)
    for (const bad of ['?type=both', '?source_type=fax']) expect((await list(bad)).status).to.equal(400)
  })

  it('filters by Vietnamese days, both inclusive', async () => {
    expect(await idsOf('?date_to=2026-03-09')).to.deep.equal([ids.late])
    expect(await idsOf('?date_from=2026-03-10'))
      .to.have.lengthOf(5)
      .and.to.include(ids.midnight!)
    expect(await idsOf('?date_from=2026-03-09&date_to=2026-03-09')).to.deep.equal([ids.late])
    expect(await idsOf('?date_from=2026-03-11')).to.deep.equal([])
    expect(await idsOf('?date_from=2026-03-10&date_to=2026-03-10')).to.have.lengthOf(5)
    expect(await idsOf('?date_from=0001-01-01&date_to=9999-12-31')).to.have.lengthOf(6)
    for (const bad of ['2026-02-30', '0000-01-01', '10-03-2026', '2026-3-1', 'today', '2026-03-10T00:00:00Z'])
      expect((await list(`?date_from=${bad}`)).status, bad).to.equal(400)
  })

  it('searches literally and without case, in composed and decomposed letters', async () => {
    const search = (text: string) => idsOf(`?search=${encodeURIComponent(text)}`)
    expect(await search('nguyễn văn đạt'.normalize('NFD'))).to.deep.equal([ids.accents])
    expect(await search('NGUYỄN VĂN')).to.deep.equal([ids.accents])
    expect(await search('%')).to.deep.equal([ids.signs, ids.accents])
    expect(await search('50%')).to.deep.equal([ids.accents])
    expect(await search('_')).to.deep.equal([ids.signs])
    expect(await search('b\\c')).to.deep.equal([ids.signs])
    expect(await search('ft%1')).to.deep.equal([ids.signs])
    expect(await search('dh_7')).to.deep.equal([ids.signs])
    expect(await search("'; DROP TABLE x --")).to.deep.equal([])
    expect((await list('?search=%00')).status).to.equal(400)
  })

  it('accepts all filters together, and all but one', async () => {
    const all = 'bank_code=VCB&type=credit&source_type=sms&date_from=2026-03-10&date_to=2026-03-10&search=sd'
    const withoutSearch = all.replace(/&search=.*/, '')
    // Runs on every connection of the pool, because each connection keeps its statements by name.
    for (const query of Array.from({ length: 10 }, () => [all, withoutSearch]).flat())
      expect(await idsOf(`?${query}`))
        .to.include(ids.plain)
        .and.not.include(ids.debit)
  })

  it('has pages of thirty', async () => {
    const crowd = await api.newAccount('crowd@example.com')
    for (let number = 0; number < 31; number++) {
      const id = await api.nextId()
      await api.happened(crowd.user_id, id, [captured(crowd.user_id, id)])
    }
    const page = async (query: string) => (await list(query, crowd.api_key)).body
    expect((await page('')).data).to.have.lengthOf(30)
    const second = await page('?page=2')
    expect(second).to.include({ total: 31, page: 2, limit: 30 })
    expect(second.data).to.have.lengthOf(1)
    expect(await page('?page=3')).to.deep.include({ total: 31, data: [] })
    expect(await page('?page=999999999999')).to.deep.include({ total: 31, data: [] })
    for (const bad of [
      'page=',
      'page=0',
      'page=-1',
      'page=1.5',
      'page=x',
      'page=1&page=2',
      'page=99999999999999999999',
    ])
      expect((await list(`?${bad}`)).status, bad).to.equal(400)
  })

  it('answers 404 for transactions of other users and for invalid ids', async () => {
    for (const id of [ids.foreign, 999_999_999, 0, -1, '1e3', 'x', '99999999999999999999', '1%00', '%E0%A4%A'])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/retry'],
        ['DELETE', ''],
      ] as const) {
        const { status, body } = await api.ask(method, `/api/transactions/${id}${path}`, { key })
        expect([status, body.error], `${method} ${id}`).to.deep.equal([404, 'NOT_FOUND'])
      }
  })
})
