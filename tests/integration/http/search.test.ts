/** Searches through the API: what they find, and what they answer while the search index is behind the lists. */
import { expect } from 'chai'
import fc from 'fast-check'
import { foldedForSearch } from '../../../domain/text.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

describe('a search', () => {
  let api: ApiUnderTest
  let key: string
  let user: number
  let rule: number
  const ids: Record<string, number> = {}

  const capture = async (given: Parameters<typeof captured>[2], as = user): Promise<number> => {
    const id = await api.nextId()
    await api.happened(as, id, [captured(as, id, { order_id: null, ...given })])
    return id
  }
  const list = async (query: Record<string, string>, as = key) =>
    (await api.ask('GET', `/api/transactions?${new URLSearchParams(query).toString()}`, { key: as })).body
  const found = async (search: string, more: Record<string, string> = {}, as = key): Promise<number[]> => {
    const { data, total } = await list({ search, ...more }, as)
    expect(total).to.equal(data.length)
    return data.map(({ id }: { id: number }) => id)
  }

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    user = api.owner.user_id
    const made = await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url: 'https://s.example/' } })
    rule = made.body.data.id
    ids.plain = await capture({ description: 'ND: NGUYEN VAN AN chuyen tien', transaction_ref: 'FT100%' })
    ids.accents = await capture({ description: 'ND: Nguyễn Văn Ân chuyển tiền', transaction_ref: null })
    ids.decomposed = await capture({ description: 'ND: Trần Thị Ân'.normalize('NFD'), transaction_ref: 'A_B\\C' })
    ids.mine = await capture({ description: 'mail', source_type: 'email', order_id: 'DH77', rules: [rule] })
  })
  after(() => api.close())
  afterEach(() => api.resumeSearch())

  const finds = async () => {
    expect(await found('nguyen VAN')).to.deep.equal([ids.plain])
    expect(await found('NGUYỄN văn')).to.deep.equal([ids.accents])
    expect(await found('nguyễn'.normalize('NFD'))).to.deep.equal([ids.accents])
    expect(await found('trần')).to.deep.equal([ids.decomposed])
    expect(await found('ân')).to.deep.equal([ids.decomposed, ids.accents])
    expect(await found('N')).to.deep.equal([ids.decomposed, ids.accents, ids.plain])
    expect(await found('%')).to.deep.equal([ids.plain])
    expect(await found('_')).to.deep.equal([ids.decomposed])
    expect(await found('a_b\\c')).to.deep.equal([ids.decomposed])
    for (const nothing of ['a%', 'n_', '\\\\', '%%', 'tran', 'tienft', 'mail dh77', '\uffff'])
      expect(await found(nothing), nothing).to.deep.equal([])
    expect(await found('dh77')).to.deep.equal([ids.mine])
    expect(await found('h7', { source_type: 'email', webhook_status: 'no_match' })).to.deep.equal([ids.mine])
    expect(await found('h7', { source_type: 'sms' })).to.deep.equal([])
    expect(await found('h7', { date_from: '2026-03-10', date_to: '2026-03-10', bank_code: 'VCB' })).to.have.length(1)
    expect(await found('h7', { date_to: '2026-03-09' })).to.deep.equal([])
    expect((await list({ rule_id: String(rule) })).data.map((row: { id: number }) => row.id)).to.include(ids.mine)
  }

  it('is literal and without case, treats composed and decomposed letters alike, and respects diacritics', finds)

  it('finds the same in transactions that are not indexed yet', async () => {
    await api.holdSearch()
    await api.database.query('DELETE FROM search_model.searchable')
    await api.database.query("UPDATE search_model.checkpoint SET passed = '0', updated_at = now() - interval '1 hour'")
    await finds()
    await api.database.query(
      'UPDATE search_model.checkpoint SET checkpoint = NULL, event_id = NULL, stream = NULL, revision = NULL, passed = NULL, updated_at = NULL',
    )
    expect(await found('nguyễn')).to.deep.equal([ids.accents])
  })

  it('finds every part of a text, wherever it begins and ends', async () => {
    const { user_id, api_key } = await api.newAccount('drawn@example.com')
    const unit = fc.oneof(
      fc.constantFrom('ft26', '0000', '01', 'khoản', 'hang', 'an', 'DH', 'Ạ', 'a\u0301', '🙂', '%', '_', '.'),
      fc.constant(' '),
    )
    const texts = fc.sample(fc.string({ unit, minLength: 2, maxLength: 14 }), { seed: 7, numRuns: 60 })
    const all: { id: number; texts: string[] }[] = []
    for (const [at, description] of texts.entries()) {
      const transaction_ref = at % 3 === 0 ? texts[(at + 1) % texts.length]! : null
      const order_id = at % 4 === 0 ? `ft26000${at} x` : null
      const id = await capture({ description, transaction_ref, order_id }, user_id)
      all.unshift({ id, texts: [description, transaction_ref, order_id].flatMap((text) => text ?? []).map(foldedForSearch) })
    }
    const cut = fc.tuple(fc.constantFrom(...all.flatMap((each) => each.texts)), fc.nat(30), fc.integer({ min: 2, max: 16 }))
    const searches = fc.sample(cut, { seed: 8, numRuns: 150 }).map(([text, from, length]) => text.slice(from % text.length).slice(0, length))
    for (const search of new Set([...searches, 'ft26000', 'ft260004 x', 'ft260000', 'khoản hang', 'khoản an'])) {
      if (search.trim() !== search || /\p{Surrogate}/u.test(search) || search === '') continue
      const expected = all.filter((each) => each.texts.some((text) => text.includes(foldedForSearch(search)))).map(({ id }) => id)
      const { data, total } = await list({ search }, api_key)
      expect(total, search).to.equal(expected.length)
      expect(data.map(({ id }: { id: number }) => id), search).to.deep.equal(expected.slice(0, 30))
    }
  }) // prettier-ignore

  it('finds new transactions and no deleted ones while the index is behind', async () => {
    const before = await capture({ description: 'behind: before' })
    const doomed = await capture({ description: 'behind: doomed' })
    expect(await found('behind')).to.deep.equal([doomed, before])
    await api.holdSearch()
    const since = await capture({ description: 'behind: since' })
    await api.ask('DELETE', `/api/transactions/${doomed}`, { key })
    expect(await found('behind')).to.deep.equal([since, before])
    api.resumeSearch()
    expect(await found('behind')).to.deep.equal([since, before])
  })

  it('finds the order id and the rule that a better copy added', async () => {
    const id = await capture({ description: 'bring', webhook_status: 'skipped' })
    expect(await found('dh4711')).to.deep.equal([])
    const matched = { order_id: 'DH4711', prefix: 'DH', rules: [rule], webhook_status: 'pending' as const }
    await api.happened(user, id, [
      { type: 'TransactionCompleted', data: { transaction_id: id, completed_by: id, ...matched } },
    ])
    expect(await found('dh4711')).to.deep.equal([id])
    expect(await found('bring', { rule_id: String(rule) })).to.deep.equal([id])
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
    expect(await found('dh4711')).to.deep.equal([])
  })

  it('shows the current statuses, and filters by them', async () => {
    const id = await capture({ description: 'status of now', rules: [rule], webhook_status: 'pending' })
    expect(await found('status of now', { webhook_status: 'pending' })).to.deep.equal([id])
    await api.holdSearch()
    await api.happened(user, id, [
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule }),
      statusChanged(id, 'pending', 'failed'),
    ])
    expect(await found('status of now', { webhook_status: 'failed' })).to.deep.equal([id])
    expect(await found('status of now', { webhook_status: 'pending' })).to.deep.equal([])
  })

  it('finds nothing of other users', async () => {
    const stranger = await api.newAccount('stranger@example.com')
    expect(await found('nguyen', {}, stranger.api_key)).to.deep.equal([])
    await api.holdSearch()
    await capture({ description: 'mine alone' })
    expect(await found('mine alone', {}, stranger.api_key)).to.deep.equal([])
  })

  describe('with very many hits', () => {
    let crowded: { user_id: number; api_key: string }
    const MANY = 26_000
    before(async () => {
      crowded = await api.newAccount('crowd@example.com')
      // Rows as the projectors would write them. 1,050 of them name a payer.
      await api.database.query(
        `INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency, description,
            source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
          SELECT 900000 + n, $1, 'VCB', 'Vietcombank', 'credit', 1000, 'VND',
            CASE WHEN n <= 1050 THEN 'crowd payer' ELSE 'crowd' END, 'sms', 'url', CASE WHEN n % 2 = 0 THEN 'failed' ELSE 'success' END,
            '{}', at, at, at
          FROM generate_series(1, $2::integer) n, LATERAL (SELECT '2026-01-01'::timestamptz + n / 3 * interval '1 second' AS at) a`,
        [crowded.user_id, MANY],
      )
      await api.database.query(
        `INSERT INTO search_model.searchable (user_id, id, created_at, bank_code, transaction_type, source_type, transaction_date,
            text, order_id, rules)
          SELECT user_id, id, created_at, bank_code, transaction_type, source_type, transaction_date, description, NULL, '{}'
          FROM read_model.transaction WHERE user_id = $1`,
        [crowded.user_id],
      )
      // The server does this by itself within a minute. With older statistics, the count of so many hits takes that long.
      await api.database.query('ANALYZE search_model.searchable, read_model.transaction')
    })

    const walk = async (query: Record<string, string>, most: number): Promise<{ ids: number[]; total: number }> => {
      const seen: number[] = []
      let total = 0
      let cursor: string | null = ''
      for (let pages = 0; cursor !== null && pages < most; pages++) {
        const page: { data: { id: number }[]; total: number; next_cursor: string | null } = await list(
          { ...query, cursor },
          crowded.api_key,
        )
        seen.push(...page.data.map(({ id }) => id))
        total = page.total
        cursor = page.next_cursor
      }
      return { ids: seen, total }
    }
    const newest = (count: number, from = MANY) => Array.from({ length: count }, (_, index) => 900_000 + from - index)

    it('counts all hits, and pages through them by cursor, newest first', async () => {
      expect(await walk({ search: 'crowd' }, 4)).to.deep.equal({ ids: newest(120), total: MANY })
      expect(await walk({ search: 'payer' }, 5)).to.deep.equal({ ids: newest(150, 1050), total: 1050 })
      const failed = newest(80)
        .filter((id) => id % 2 === 0)
        .slice(0, 30)
      expect(await walk({ search: 'crowd', webhook_status: 'failed' }, 1)).to.deep.equal({
        ids: failed,
        total: MANY / 2,
      })
      const { data } = await list({ search: 'crowd', page: '3' }, crowded.api_key)
      expect(data.map(({ id }: { id: number }) => id)).to.deep.equal(newest(90).slice(60))
    })

    it('is refused while too many transactions are not indexed, and lists still work', async () => {
      await api.holdSearch()
      await api.database.query(
        'UPDATE search_model.checkpoint SET checkpoint = NULL, event_id = NULL, stream = NULL, revision = NULL, passed = NULL, updated_at = NULL',
      )
      const { status, body } = await api.ask('GET', '/api/transactions?search=crowd', { key: crowded.api_key })
      expect([status, body.error]).to.deep.equal([503, 'STORE_UNAVAILABLE'])
      expect((await list({}, crowded.api_key)).total).to.equal(MANY)
      expect(await found('nguyen VAN')).to.deep.equal([ids.plain])
      await api.database.query('DELETE FROM search_model.searchable')
    })
  })
})
