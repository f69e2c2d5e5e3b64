/**
 * Simulates years of payments, and measures what must not grow with the store: start, receiving, lists, searches, memory; and what does: the
 * rebuild of an upgrade, the audit, the disk. The payments of two years, each with its call, are written in bulk for a thousand shops.
 *
 *     COUNT=500000 npx tsx bench/years.ts
 *     npx tsx bench/years.ts
 *
 * `COUNT` payments (default: five million, which take 24 GB, and 10 GB more during the rebuild) belong to `SHOPS` shops (1,000). With
 * `KEEP=1` the data folder stays, so that single queries can be looked at.
 */
import { execFileSync } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { callApi } from '../tests/harness/baoco-process.ts'
import { vietcombankText } from '../tests/harness/bank-texts.ts'
import { commandAsProcess } from '../tests/harness/command-in-process.ts'
import { FIRST, writePayments, type Pattern } from './support/bulk-writer.ts'
import { startChild, sendLoad } from './support/children.ts'
import { onDatabase, secondsUntil, startBench } from './support/installation.ts'
import { percentile, type LoadReport } from './support/load.ts'
import { addRules } from './support/shops.ts'
import { openUsage } from './support/usage.ts'

const COUNT = Number(process.env.COUNT ?? 5_000_000)
const SHOPS = Number(process.env.SHOPS ?? 1_000)
/** The rebuild beside the service included. */
const BYTES_A_PAYMENT = 7_000
/** Every wait is shorter than this with five million payments. */
const MOST_SECONDS = 2 * 3_600
const CALLS = 100
const BURST_SECONDS = 10
/** Number of its first text: more than the first burst posts. */
const SECOND_BURST = 250_000
const ORDER = 'DH777777001'
const REFERENCE_NUMBER = 555_001

/** With indexes and long values. */
const SIZES = `SELECT n.nspname AS schema, sum(pg_total_relation_size(c.oid))::bigint AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname IN ('store', 'read_model', 'search_model') GROUP BY 1 ORDER BY 1`

const { bavail, bsize } = await statfs(tmpdir())
if (bavail * bsize < COUNT * BYTES_A_PAYMENT)
  throw new Error(`${COUNT} payments need ${(COUNT * BYTES_A_PAYMENT) / 1e9} GB in ${tmpdir()}`)

const began = performance.now()
const tell = (what: string): void => console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${what}`)
const result = (what: string, value: string): void => console.log(`| ${what} | ${value} |`)
const seconds = (value: number): string => `${value.toFixed(1)} s`

const bench = await startBench({ accounts: SHOPS, readyWithin: MOST_SECONDS * 1_000 })
tell(`${SHOPS} shops`)
const { world, shops } = bench
const receiver = await startChild('./receiver.ts')
const rules = await addRules(bench.baoco, shops, `${receiver.url}/`)
const get = async (path: string, key = shops[0]!.apiKey): Promise<Record<string, unknown>> => {
  const { status, body } = await callApi(world.baoco, key, 'GET', path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
  return body
}
/** A process of its own, as the operator starts it. */
const command = async (...args: string[]): Promise<void> => {
  const env = { PATH: process.env.PATH, BAOCO_DATA_DIR: bench.installation.dataDir, ...world.env }
  const { status, stdout, stderr } = await commandAsProcess(args, env)
  if (status !== 0) throw new Error(`baoco ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}
const recorded = () => world.metric('baoco_attempts_recorded_total')

const patternOf = async (): Promise<Pattern> => {
  const transaction = await world.post(vietcombankText(REFERENCE_NUMBER, ORDER))
  if (transaction === null) throw new Error('the pattern was not accepted')
  await secondsUntil(60, async () => (await recorded()) >= 1)
  const events = await onDatabase(bench.installation, (database) =>
    database.query<Pattern['events'][number]>(
      `SELECT stream, type, data, metadata FROM store.event
        WHERE stream = $1 OR stream LIKE 'book-%' ORDER BY position`,
      [`transaction-${transaction}`],
    ),
  )
  const reference = /\d{9,}/.exec(
    (JSON.parse(events.find(({ type }) => type === 'TransactionCaptured')!.data) as { transaction_ref: string })
      .transaction_ref,
  )![0]
  return { events, order: ORDER, reference }
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const since = performance.now()
  await work()
  return (performance.now() - since) / 1_000
}

/** @param pathOf  the path for a shop, by its number */
const calls = async (what: string, pathOf: (shop: number) => string): Promise<void> => {
  const times: number[] = []
  for (let call = 0; call <= CALLS; call++) {
    const shop = call % SHOPS
    times.push(await timed(() => get(pathOf(shop), shops[shop]!.apiKey)))
  }
  const [p50, p99] = [0.5, 0.99].map((share) => (1_000 * percentile(times.slice(1), share)).toFixed(1))
  result(what, `p50 ${p50} ms, p99 ${p99} ms`)
}

/** Posts payments, and waits until all calls are made. @param from  the number of the first text */
const burst = async (from: number): Promise<LoadReport> => {
  const before = await recorded()
  const urls = bench.urls.slice(0, 8)
  const options = { urls, seconds: BURST_SECONDS, connections: 64, orders: true, from }
  const load = await sendLoad(options)
  await secondsUntil(MOST_SECONDS, async () => (await recorded()) >= before + load.accepted, 500)
  return load
}

/** Waits until the read models have everything. */
const level = () =>
  secondsUntil(MOST_SECONDS, async () => (await world.metric('baoco_projection_lag_seconds')) === 0, 500)

try {
  const pattern = await patternOf()
  // The service would take positions that the bulk writer uses.
  await world.baoco.stop()
  await onDatabase(bench.installation, (database) =>
    writePayments(
      database,
      { pattern, owners: rules.map(({ id, user_id }) => ({ user: user_id, rule: id })), count: COUNT },
      tell,
    ),
  )
  result('payments; shops', `${COUNT.toLocaleString('en-US')}; ${SHOPS.toLocaleString('en-US')}`)

  // The bulk writer has given out ids that the service does not know.
  world.env.ID_SKIP = String(FIRST + COUNT)
  const since = performance.now()
  await world.start()
  const last = `/api/transactions/${FIRST + COUNT - 1}`
  const isThere = async () =>
    (await callApi(world.baoco, shops[(COUNT - 1) % SHOPS]!.apiKey, 'GET', last)).status === 200
  await secondsUntil(MOST_SECONDS, isThere, 500)
  const caughtUp = (performance.now() - since) / 1_000
  result('the read models take them in', `${seconds(caughtUp)}, ${Math.round(COUNT / caughtUp)} payments/s`)
  const { total } = await get('/api/transactions')
  if ((total as number) < Math.floor(COUNT / SHOPS))
    throw new Error(`the first shop has only ${String(total)} transactions`)

  await world.baoco.stop()
  result('start', seconds(await timed(() => world.start())))
  result(
    'memory after the start (PSS, all processes)',
    `${Math.round(openUsage({ ...bench, baoco: world.baoco }).memory())} MB`,
  )

  const load = await burst(1)
  result(
    'accepted with a rule, 64 connections',
    `${Math.round(load.accepted / load.seconds)}/s, ${load.refused} refused, p99 ${load.p99.toFixed(0)} ms`,
  )
  await level()

  await calls('first page of a list', () => '/api/transactions')
  await calls('one transaction', (shop) => `/api/transactions/${FIRST + shop}`)
  await calls('search for an order', (shop) => `/api/transactions?search=DH${FIRST + shop}`)
  result(
    'memory after the burst and the lists',
    `${Math.round(openUsage({ ...bench, baoco: world.baoco }).memory())} MB`,
  )

  result('audit of everything', seconds(await timed(() => command('audit'))))
  const more = await burst(SECOND_BURST)
  const again = await timed(() => command('audit', '--since-last'))
  result(`audit of what came since: ${more.accepted.toLocaleString('en-US')} payments`, seconds(again))
  result('upgrade: rebuild of the read models beside the service', seconds(await timed(() => command('replay'))))
  const sizes = await onDatabase(bench.installation, (database) =>
    database.query<{ schema: string; bytes: number }>(SIZES),
  )
  for (const { schema, bytes } of sizes) result(`bytes per payment in ${schema}`, String(Math.round(bytes / COUNT)))
  result('disk', `${execFileSync('du', ['-sm', bench.installation.dataDir], { encoding: 'utf8' }).split('\t')[0]} MB`)
} finally {
  receiver.stop()
  const keepsData = process.env.KEEP === '1'
  await world.close({ keepsData })
  if (keepsData) console.error(`the data folder: ${bench.installation.dataDir}`)
}
process.exit(0)
