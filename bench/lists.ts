/**
 * Measures the lists of a user with a million transactions among five million, through the API, one call after the other: first pages,
 * filters, one transaction, logs, deep pages by cursor, searches. Every total is compared with a count of the rows. A list of one row
 * shows how much a busy machine adds to every call.
 * The environment variable `COUNT` changes the number of transactions. A fifth of them belong to the user.
 */
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { callApi } from '../tests/harness/baoco-process.ts'
import { startChild } from './support/children.ts'
import { CLOSED_ACCOUNT, fillLists, RARE_PAYER, SELDOM_PAYING, SPARE_ACCOUNT } from './support/fill.ts'
import { secondsUntil, onDatabase, startBench } from './support/installation.ts'
import { percentile } from './support/load.ts'
import { addRules } from './support/shops.ts'

const COUNT = Number(process.env.COUNT ?? 5_000_000)
const CALLS = Number(process.env.CALLS ?? 200)
const BYTES_A_ROW = 4_000
/** A deep page follows this many pages of thirty rows. */
const DEEP_PAGES = 200

const { bavail, bsize } = await statfs(tmpdir())
if (bavail * bsize < COUNT * BYTES_A_ROW)
  throw new Error(`${COUNT} rows need ${(COUNT * BYTES_A_ROW) / 1e9} GB in ${tmpdir()}`)

const bench = await startBench({ accounts: 1 })
const shop = await startChild('./receiver.ts')
const key = bench.installation.apiKey
const get = async (path: string) => {
  const { status, body } = await callApi(bench.baoco, key, 'GET', path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
  return body as { data: { id: number }[]; total: number; next_cursor: string | null }
}

const [rule] = await addRules(bench.baoco, bench.shops, `${shop.url}/`)
const user = rule!.user_id

/** Paths to request in turn, and the SQL condition for the rows of the first path over all pages. */
interface Case {
  name: string
  limit: number
  paths: string[]
  rows?: string
}

const measure = async ({ name, limit, paths }: Case): Promise<void> => {
  const times: number[] = []
  // The first call is not counted, because its data may not be in memory yet.
  await get(paths[0]!)
  const calls = limit > 1_000 ? Math.min(CALLS, 20) : CALLS
  for (let call = 0; call < calls; call++) {
    const began = performance.now()
    await get(paths[call % paths.length]!)
    times.push(performance.now() - began)
  }
  const { total } = await get(paths[0]!)
  console.log(
    `${name}${total === undefined ? '' : ` (${total})`}: p50 ${percentile(times, 0.5).toFixed(1)} ms, ` +
      `p99 ${percentile(times, 0.99).toFixed(1)} ms (under ${limit})`,
  )
}

/** Cursors of the last 20 of `DEEP_PAGES` consecutive pages. */
const cursorsOf = async (path: string): Promise<string[]> => {
  const cursors: string[] = []
  let { next_cursor: next } = await get(path)
  for (let page = 0; page < DEEP_PAGES && next !== null; page++) {
    cursors.push(next)
    next = (await get(`${path}${path.includes('?') ? '&' : '?'}cursor=${next}`)).next_cursor
  }
  return cursors.slice(-20)
}

try {
  await onDatabase(bench.installation, async (database) => {
    // Some real transactions for the details, as their requests are rebuilt from the events.
    const post = (number: number) =>
      fetch(`${bench.urls[0]!}?sender=Vietcombank`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: `SD TK 0011000415567 +150,000VND luc 20-11-2026 10:${String(number).padStart(2, '0')}:00. SD 1,250,000VND. Ref MBVCB.${number}.DH9${number} chuyen tien`,
      })
    const began = performance.now()
    await fillLists(database, { user, rule: rule!.id, count: COUNT }, (what) =>
      console.log(`  ${((performance.now() - began) / 1000).toFixed(0)} s: ${what}`),
    )
    for (let number = 10; number < 40; number++) await post(number)
    await secondsUntil(
      60,
      async () => (await get('/api/transactions?order_id=DH939&webhook_status=success')).total === 1,
    )

    const newest = (await get('/api/transactions')).data.map(({ id }) => `/api/transactions/${id}`)
    const ofRule = `/api/webhooks/${rule!.id}/logs`
    const list = '/api/transactions'
    const searched = (text: string) => `${list}?search=${encodeURIComponent(text)}`
    const like = (text: string) => `description ILIKE '%${text}%'`
    const deep = async (path: string) =>
      (await cursorsOf(path)).map((cursor) => `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)
    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
    const month = [day(130), day(100)] as const
    const [{ reference } = {}] = await database.query<{ reference: string }>(
      `SELECT transaction_ref AS reference FROM read_model.transaction WHERE user_id = ${user} AND order_id = 'DH${COUNT / 2}'`,
    )
    const cases: Case[] = [
    { name: 'yardstick: a list of one row', limit: 20, paths: ['/api/systems'] },
    { name: 'list, first page', limit: 20, paths: [list], rows: 'true' },
    { name: 'list, by outcome', limit: 20, paths: [`${list}?webhook_status=failed`], rows: "webhook_status = 'failed'" },
    { name: 'list, by bank and direction', limit: 20, paths: [`${list}?bank_code=MB&type=debit`], rows: "bank_code = 'MB' AND transaction_type = 'debit'" },
    { name: 'list, by direction', limit: 20, paths: [`${list}?type=debit`], rows: "transaction_type = 'debit'" },
    { name: 'list, by an account closed a year ago', limit: 20, paths: [`${list}?account_number=${CLOSED_ACCOUNT}`], rows: `account_number = '${CLOSED_ACCOUNT}'` },
    { name: 'list, of that account, pages 180–200 by cursor', limit: 20, paths: await deep(`${list}?account_number=${CLOSED_ACCOUNT}`) },
    { name: 'list, by an account used now and then', limit: 20, paths: [`${list}?account_number=${SPARE_ACCOUNT.number}`], rows: `account_number = '${SPARE_ACCOUNT.number}'` },
    { name: 'list, by a direction that a bank seldom has', limit: 20, paths: [`${list}?bank_code=${SELDOM_PAYING.bank}&type=debit`], rows: `bank_code = '${SELDOM_PAYING.bank}' AND transaction_type = 'debit'` },
    { name: 'list, by direction and outcome', limit: 20, paths: [`${list}?type=debit&webhook_status=success`], rows: "transaction_type = 'debit' AND webhook_status = 'success'" },
    { name: 'list, by direction and a rare outcome', limit: 20, paths: [`${list}?type=debit&webhook_status=failed`], rows: "transaction_type = 'debit' AND webhook_status = 'failed'" },
    { name: 'list, a year, by direction', limit: 20, paths: [`${list}?date_from=${day(364)}&date_to=${day(1)}&type=debit`], rows: `transaction_type = 'debit' AND (transaction_date + interval '7 hours')::date BETWEEN '${day(364)}' AND '${day(1)}'` },
    { name: 'list, a year, by an account used now and then', limit: 20, paths: [`${list}?date_from=${day(364)}&date_to=${day(1)}&account_number=${SPARE_ACCOUNT.number}`], rows: `account_number = '${SPARE_ACCOUNT.number}' AND (transaction_date + interval '7 hours')::date BETWEEN '${day(364)}' AND '${day(1)}'` },
    { name: 'list, a day', limit: 20, paths: [`${list}?date_from=${day(100)}&date_to=${day(100)}`], rows: `(transaction_date + interval '7 hours')::date = '${day(100)}'` },
    { name: 'list, a month of the past', limit: 20, paths: [`${list}?date_from=${month[0]}&date_to=${month[1]}`], rows: `(transaction_date + interval '7 hours')::date BETWEEN '${month[0]}' AND '${month[1]}'` },
    { name: 'list, by order id', limit: 20, paths: [`${list}?order_id=DH${COUNT}`], rows: `order_id = 'DH${COUNT}'` },
    { name: 'list, pages 180–200 by cursor', limit: 20, paths: await deep(list) },
    { name: 'list, of a bank, pages 180–200 by cursor', limit: 20, paths: await deep(`${list}?bank_code=TCB`) },
    { name: 'one transaction', limit: 20, paths: newest },
    { name: 'log of a rule', limit: 20, paths: [ofRule] },
    { name: 'log, pages 180–200 by cursor', limit: 20, paths: await deep(ofRule) },
    { name: 'notifications', limit: 20, paths: ['/api/notifications'] },
    { name: 'by a rule', limit: 1_500, paths: [`${list}?rule_id=${rule!.id}`] },
    { name: 'search, one order', limit: 60, paths: [searched(`dh${COUNT - 5}`)], rows: like(`dh${COUNT - 5}`) },
    { name: 'search, a reference', limit: 60, paths: [searched(reference!.slice(0, 11))], rows: like(reference!.slice(0, 11)) },
    { name: 'search, of what is in most texts, but not together, over a thousand', limit: 1_500, paths: [searched('ft260000')], rows: like('ft260000') },
    { name: 'search, of what is in most texts, but not together', limit: 60, paths: [searched('ft2600000')], rows: like('ft2600000') },
    { name: 'search, the same without its letters', limit: 60, paths: [searched('2600000')], rows: like('2600000') },
    { name: 'search, six digits of that sort', limit: 60, paths: [searched('600000')], rows: like('600000') },
    { name: 'search, the last six of a reference', limit: 60, paths: [searched(reference!.slice(-6))], rows: like(reference!.slice(-6)) },
    { name: 'search, two words that are in a third, never side by side', limit: 60, paths: [searched('khoản hàng')], rows: like('khoản hàng') },
    { name: 'search, a payer', limit: 60, paths: [searched(RARE_PAYER.name)], rows: like(RARE_PAYER.name) },
    { name: 'search, a payer, received by mail', limit: 60, paths: [`${searched(RARE_PAYER.name)}&source_type=email&webhook_status=success`], rows: `${like(RARE_PAYER.name)} AND source_type = 'email' AND webhook_status = 'success'` },
    { name: 'search, nothing', limit: 60, paths: [searched('khong co gi')], rows: like('khong co gi') },
    { name: 'search, a frequent name', limit: 1_500, paths: [searched('nguyen van an')], rows: like('nguyen van an') },
    { name: 'search, with diacritics', limit: 1_500, paths: [searched('Chuyển khoản')], rows: like('Chuyển khoản') },
    { name: 'search, in every text', limit: 1_500, paths: [searched('vnd')], rows: like('vnd') },
    { name: 'search, in every text, failed', limit: 1_500, paths: [`${searched('vnd')}&webhook_status=failed`], rows: `${like('vnd')} AND webhook_status = 'failed'` },
    { name: 'search, two letters', limit: 1_500, paths: [searched('ng')], rows: like('ng') },
    { name: 'search, two letters, nothing', limit: 1_500, paths: [searched('zq')], rows: like('zq') },
  ] // prettier-ignore
    for (const each of cases) {
      await measure(each)
      if (each.rows === undefined) continue
      const [row] = await database.query<{ number: number }>(
        `SELECT count(*) AS number FROM read_model.transaction WHERE user_id = ${user} AND ${each.rows}`,
      )
      const { total } = await get(each.paths[0]!)
      if (total !== row!.number) throw new Error(`${each.name}: total ${total}, but there are ${row!.number}`)
    }
  })
} finally {
  shop.stop()
  await bench.end()
}
process.exit(0)
