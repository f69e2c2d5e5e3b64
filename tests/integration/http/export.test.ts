import { Readable } from 'node:stream'
import { expect } from 'chai'
import Koa from 'koa'
import { readSheet } from 'read-excel-file/node'
import { readFirst } from '../../../adapters/export/read-first.ts'
import { download } from '../../../adapters/http/openapi/answers.ts'
import { listen } from '../../../adapters/http/server.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { exportedTransactions, type ExportedTransaction } from '../../../projections/transaction/export-queries.ts'
import type { FreshAccount } from '../../../workflows/accounts/registration.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { captured } from './captured.ts'

describe('the export of transactions', () => {
  let api: ApiUnderTest
  let mine: FreshAccount
  let readKey: string

  const happened = async (given: Parameters<typeof captured>[2], user = mine.user_id): Promise<number> => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, given)])
    return id
  }
  const ask = (query: string, key = mine.api_key) => api.ask('GET', `/api/transactions/export?${query}`, { key })
  const lines = async (query: string): Promise<string[]> => {
    const { status, body } = await ask(`format=csv&${query}`)
    expect(status).to.equal(200)
    // The byte order mark is gone: the text was decoded.
    return body.trimEnd().split('\r\n').slice(1)
  }

  before(async () => {
    api = await openApi()
    mine = await api.newAccount('accountant@example.com')
    const json = { name: 'accountant', scopes: ['read'] }
    readKey = (await api.ask('POST', '/api/account/api-keys', { key: mine.api_key, json })).body.data.api_key
    // The last moment of October in Vietnam, the first of November, and the last one.
    for (const transaction_date of [
      '2026-10-31T16:59:59.000Z',
      '2026-10-31T17:00:00.000Z',
      '2026-11-30T16:59:59.000Z',
      '2026-11-30T17:00:00.000Z',
    ])
      await happened({ transaction_date, counterpart_name: '=HYPERLINK("x")', amount: '1500.50' })
    await happened({
      transaction_date: '2026-11-15T03:04:05.000Z',
      transaction_type: 'debit',
      order_id: null,
      bank_code: 'MB',
    })
    await happened({ transaction_date: '2026-11-15T03:04:05.000Z' }, api.owner.user_id)
  })
  after(() => api.close())

  it('has the days and times of a Vietnamese month, in order, with formulas made harmless', async () => {
    const { status, headers, body } = await ask(
      'format=csv&month=2026-11&columns=date,time,money_in,money_out,counterpart_name',
    )
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).to.equal('attachment; filename="baoco-2026-11.csv"')
    expect(body.split('\r\n')).to.deep.equal([
      'date,time,money_in,money_out,counterpart_name',
      `2026-11-01,00:00:00,1500.50,,"'=HYPERLINK(""x"")"`,
      '2026-11-15,10:04:05,,150000,TRAN B',
      `2026-11-30,23:59:59,1500.50,,"'=HYPERLINK(""x"")"`,
      '',
    ])
  })

  it('begins with a byte order mark, and has headings in the given language', async () => {
    const response = await fetch(
      `${api.url}/api/transactions/export?format=csv&month=2026-11&language=vi&columns=date,money_in`,
      { headers: { 'x-api-key': mine.api_key } },
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.toString('utf8').split('\r\n')[0]).to.equal('\ufeffNgày,Tiền vào')
  })

  it('is a spreadsheet with dates and numbers', async () => {
    const response = await fetch(
      `${api.url}/api/transactions/export?format=xlsx&month=2026-11&columns=date,money_out,counterpart_name`,
      { headers: { 'x-api-key': readKey } },
    )
    expect(response.headers.get('content-type')).to.equal(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    )
    const rows = await readSheet(Buffer.from(await response.arrayBuffer()))
    expect(rows).to.deep.equal([
      ['date', 'money_out', 'counterpart_name'],
      [new Date('2026-11-01T00:00:00Z'), null, '=HYPERLINK("x")'],
      [new Date('2026-11-15T00:00:00Z'), 150000, 'TRAN B'],
      [new Date('2026-11-30T00:00:00Z'), null, '=HYPERLINK("x")'],
    ])
  })

  it('takes the filters of the list', async () => {
    expect(await lines('columns=date')).to.have.length(5)
    expect(await lines('columns=date&bank_code=MB')).to.deep.equal(['2026-11-15'])
    expect(await lines('columns=date&date_from=2026-12-01')).to.deep.equal(['2026-12-01'])
    expect(await lines('columns=date&date_to=2026-11-01&search=sd')).to.deep.equal(['2026-10-31', '2026-11-01'])
    expect(await lines('columns=date&month=2025-01')).to.deep.equal([])
    // The message is not a part of the long list of columns.
    expect((await ask('format=csv&columns=nothing')).body.message).to.include('`/docs` lists the columns.')
    for (const [query, path] of [
      ['format=csv&columns=nothing', 'columns'],
      ['format=ods', 'format'],
      ['format=csv&month=2026-13', 'month'],
    ] as const) {
      const { status, body } = await ask(query)
      expect([status, body.issues[0].path], query).to.deep.equal([400, path])
    }
  })

  it('can be read with a key of scope `read`, but no personal data', async () => {
    expect((await ask('format=csv', readKey)).status).to.equal(200)
    const refused = await ask('format=csv&columns=date,balance_after', readKey)
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'SCOPE_MISSING'])
    const usual = (await ask('format=csv')).body.split('\r\n')[0]
    expect(usual).to.equal(
      'date,time,bank_code,account_number,money_in,money_out,currency,counterpart_name,order_id,transaction_ref,webhook_status,id',
    )
    expect(await lines('columns=balance_after&bank_code=MB')).to.deep.equal(['1250000'])
  })

  it('has every row once, however many a day has', async () => {
    const busy = await api.newAccount('busy@example.com')
    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    // As the projector writes them: 1,200 in one second, 300 in the next.
    await database.query(`INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency,
        description, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
      SELECT 70000000 + n, ${busy.user_id}, 'VCB', 'Vietcombank', 'credit', n, 'VND', 'text', 'api', 'url', 'skipped', '{}', at, at, at
      FROM generate_series(1, 1500) n, LATERAL (SELECT timestamptz '2026-05-05 05:00:00Z' + n / 1201 * interval '1 second' AS at) a`)
    await database.close()
    const { body } = await ask('format=csv&columns=id&month=2026-05', busy.api_key)
    const ids = body.trimEnd().split('\r\n').slice(1).map(Number)
    expect(ids).to.deep.equal(Array.from({ length: 1_500 }, (_, at) => 70_000_001 + at))
  })

  it('reads long texts in parts of a bounded size, and every row once', async () => {
    const verbose = await api.newAccount('verbose@example.com')
    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    const texts = `SELECT n, CASE WHEN n % 40 < 20 THEN repeat('ệ', 20000) ELSE 'short' END AS text FROM generate_series(1, 200) n`
    await database.query(`INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency,
        description, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
      SELECT 71000000 + n, ${verbose.user_id}, 'VCB', 'Vietcombank', 'credit', n, 'VND', text, 'api', 'url', 'skipped', text, at, at, at
      FROM (${texts}) t, LATERAL (SELECT timestamptz '2026-06-05 05:00:00Z' + n * interval '1 minute' / 60 AS at) a`)
    const pages = []
    for await (const rows of exportedTransactions(database, verbose.user_id, ['description', 'raw_data']))
      pages.push(rows)
    await database.close()
    const bytesOf = (rows: ExportedTransaction[]) =>
      rows.reduce((sum, row) => sum + Buffer.byteLength(`${row.description}${row.raw_data}`), 0)
    expect(Math.max(...pages.map(bytesOf))).to.be.below(1_024 ** 2)
    expect(pages.flat().map(({ id }) => id)).to.deep.equal(Array.from({ length: 200 }, (_, at) => 71_000_001 + at))
    const { body } = await ask('format=csv&columns=id,raw_data', verbose.api_key)
    expect(body.trimEnd().split('\r\n').slice(1)).to.have.length(200)
  })

  it('is cut off if it fails in the middle, so that a part cannot be mistaken for the whole', async () => {
    const failing = async function* () {
      yield await Promise.resolve('a page')
      throw new Error('the database is away')
    }
    const app = new Koa()
    app.silent = true
    const file = download(['text/csv'], 'a file')
    app.use((context) =>
      file.write(context as never, { type: 'text/csv', filename: 'x.csv', body: Readable.from(failing()) }),
    )
    const server = await listen(app, 0, { host: '127.0.0.1' })
    const response = await fetch(`http://127.0.0.1:${server.port}/`)
    expect(response.status).to.equal(200)
    expect(await response.text().catch(() => 'cut off')).to.equal('cut off')
    await server.close(0)
  })

  it('is refused if its first page cannot be read', async () => {
    const failing = async function* () {
      await Promise.reject(new Error('the database is away'))
      yield 'nothing'
    }
    expect(await readFirst(failing()).catch((error: Error) => error.message)).to.equal('the database is away')
    const items: number[] = []
    const two = async function* () {
      yield* await Promise.resolve([1, 2])
    }
    for await (const item of await readFirst(two())) items.push(item)
    expect(items).to.deep.equal([1, 2])
  })
})
