/**
 * Measures the speed and the cost of deliveries: recorded deliveries per second in a burst, p50 and p99 from receive to arrival at a steady
 * rate, and per delivery the statements, the bytes of log and the CPU of Baoco and of its Postgres. The scenarios are one endpoint, a
 * hundred endpoints, ten rules that match the same payment, and retries that are all due. It also counts the statements of a single
 * delivery.
 *
 * Costs cover everything from receive to result, minus the costs of an idle time of the same length. "From the claim" also subtracts the
 * costs of the same number of payments that match no rule.
 *
 *     npx tsx bench/delivery.ts [--short] [--statements]
 *
 * `--short` is for tests and uses small numbers. `--statements` lists the database statements.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { fillBacklog } from './support/backlog.ts'
import { arrivalsAt, startChild, sendLoad } from './support/children.ts'
import type { Costs } from './support/costs.ts'
import { secondsUntil, startMeteredBench, finish } from './support/installation.ts'
import { percentile, runLoad, type Load, type LoadReport } from './support/load.ts'
import { addRules, connectShop, setActive, type ShopAccount, type ShopRule } from './support/shops.ts'

const isShort = process.argv.includes('--short')
const tellsStatements = process.argv.includes('--statements')
const COUNT = Number(process.env.COUNT ?? (isShort ? 20 : 6_000))
const RATE = Number(process.env.RATE ?? (isShort ? 20 : 200))
const SECONDS = Number(process.env.SECONDS ?? (isShort ? 1 : 15))
const ALONE = isShort ? 1 : 10
const IDLE_SECONDS = isShort ? 1 : 15
/** A multiple of the four shops that own them, and at least as many as the rules that match the same payment. */
const ENDPOINTS = isShort ? 12 : 100
const FAN_OUT = 10

interface Scenario {
  name: string
  shops: readonly ShopAccount[]
  rules: readonly ShopRule[]
  /** Calls per payment. */
  fanOut: number
}

const bench = await startMeteredBench(7)
const { meter, baoco } = bench
const { database } = meter
const receiver = await startChild('./receiver.ts', { endpoints: ENDPOINTS })
const [one, fan, bare, ...many] = bench.shops as [ShopAccount, ShopAccount, ShopAccount, ...ShopAccount[]]

const addressesOf = (shopIndex: number) => receiver.urls.filter((_, index) => index % many.length === shopIndex)
const connected = await Promise.all(
  many.map((shop, shopIndex) => connectShop(baoco, shop, addressesOf(shopIndex), shopIndex * 26)),
)
const fanned: ShopRule[] = []
for (const url of receiver.urls.slice(0, FAN_OUT)) fanned.push(...(await addRules(baoco, [fan], `${url}/`)))

const SCENARIOS: readonly Scenario[] = [
  { name: '1 endpoint', shops: [one], rules: await addRules(baoco, [one], `${receiver.url}/`), fanOut: 1 },
  // Ordered by shop in turn, like the load.
  {
    name: `${ENDPOINTS} endpoints`,
    shops: many,
    rules: connected[0]!.flatMap((_, i) => connected.map((of) => of[i]!)),
    fanOut: 1,
  },
  { name: `fan-out ${FAN_OUT}`, shops: [fan], rules: fanned, fanOut: FAN_OUT },
]

let next = 1
const post = async (shops: readonly ShopAccount[], prefixes: readonly string[], load: Partial<Load>) => {
  const from = next
  next += load.count!
  const urls = shops.map(({ personalUrl }) => personalUrl)
  const all = { urls, prefixes, connections: 64, orders: true, from, sentAt: true, ...load }
  const report = load.count! < 100 ? await runLoad(all) : await sendLoad(all)
  if (report.accepted !== load.count) throw new Error(`${report.refused} posts were refused`)
  return report
}

/** Whether the read models contain all stored events and no delivery is open. */
const isDone = async (): Promise<boolean> => {
  const [row] = await database.query<{ done: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM read_model.delivery WHERE status = 'open') AND NOT EXISTS (
       SELECT FROM read_model.checkpoint WHERE passed::bigint < store.newest()) AS done`,
  )
  return row!.done
}
const untilDone = () => secondsUntil(900, isDone)

const arrivalsOf = async ({ sentAt = {} }: LoadReport, prefixes: readonly string[]): Promise<number[]> => {
  const arrived = await arrivalsAt(receiver)
  return Object.entries(sentAt).flatMap(([number, sent]) =>
    (arrived[`${prefixes[Number(number) % prefixes.length]}${number}`] ?? []).map((at) => at - sent),
  )
}

const perDelivery = (costs: Costs, deliveries: number): string[] => [
  (costs.statements / deliveries).toFixed(2),
  (costs.walBytes / deliveries).toFixed(0),
  ((costs.baoco / deliveries) * 1000).toFixed(2),
  ((costs.postgres / deliveries) * 1000).toFixed(2),
]

const tellStatements = async (of: string, per: number): Promise<void> => {
  if (!tellsStatements) return
  console.log(`\n${of}: calls for each, and milliseconds, of the whole time\n`)
  for (const { calls, ms, query } of await meter.byStatement(40))
    console.log(`${(calls / per).toFixed(3).padStart(9)} ${(ms / per).toFixed(4).padStart(9)} ${query}`)
}

const row = (...cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`)

// --- warm, then idle ---------------------------------------------------------------------------------------------------

for (const { shops, rules } of SCENARIOS)
  await post(
    shops,
    rules.map(({ prefix }) => prefix),
    { count: isShort ? 10 : 1_000 },
  )
await post([bare], ['DH'], { count: isShort ? 10 : 1_000 })
await untilDone()
const idle = await meter.idle(IDLE_SECONDS)
console.log(
  `idle: ${(idle.statements / idle.seconds).toFixed(1)} statements/s, CPU ${((100 * (idle.baoco + idle.postgres)) / idle.seconds).toFixed(1)} %, ` +
    `${(idle.walBytes / idle.seconds).toFixed(0)} bytes of log/s\n`,
)

// --- bursts ------------------------------------------------------------------------------------------------------------

const burst = async (shops: readonly ShopAccount[], rules: readonly ShopRule[], payments: number) => {
  const prefixes = rules.length > 0 ? [...new Set(rules.map(({ prefix }) => prefix))] : ['DH']
  let seconds = 0
  const costs = await meter.of(async () => {
    const { firstAt } = await post(shops, prefixes, { count: payments })
    await untilDone()
    seconds = (performance.timeOrigin + performance.now() - firstAt) / 1000
  })
  return { seconds, costs }
}

row(
  'as fast as it goes',
  'deliveries/s',
  'statements',
  'from the claim',
  'log, bytes',
  'CPU Baoco, ms',
  'CPU Postgres, ms',
)
row(...Array<string>(7).fill('---'))
const withoutRule = new Map<number, Costs>()
for (const { name, shops, rules, fanOut } of SCENARIOS) {
  const payments = COUNT / fanOut
  if (!withoutRule.has(payments)) withoutRule.set(payments, (await burst([bare], [], payments)).costs)
  const { seconds, costs } = await burst(shops, rules, payments)
  const [statements, ...others] = perDelivery(costs, COUNT)
  const claimed = (costs.statements - withoutRule.get(payments)!.statements) / COUNT
  row(name, (COUNT / seconds).toFixed(0), statements!, claimed.toFixed(2), ...others)
  await tellStatements(name, COUNT)
}

const drain = async (): Promise<void> => {
  const rules = SCENARIOS[1]!.rules
  const of = (shopIndex: number) => rules.filter((_, index) => index % many.length === shopIndex)
  const all = (isActive: 0 | 1) =>
    Promise.all(many.map((shop, shopIndex) => setActive(baoco, shop, of(shopIndex), isActive)))
  await all(0)
  await fillBacklog(meter.databaseUrl, rules, COUNT)
  await secondsUntil(300, async () => {
    const [row] = await database.query<{ open: number }>(
      `SELECT count(*) AS open FROM read_model.delivery WHERE status = 'open' AND attempt = 1`,
    )
    return row!.open === COUNT
  })
  const began = performance.now()
  const costs = await meter.of(() => all(1).then(untilDone))
  const seconds = (performance.now() - began) / 1000
  const [statements, ...others] = perDelivery(costs, COUNT)
  row(`retry drain, ${ENDPOINTS} endpoints`, (COUNT / seconds).toFixed(0), statements!, statements!, ...others)
  await tellStatements('retry drain', COUNT)
}
await drain()

// --- at a steady rate --------------------------------------------------------------------------------------------------

console.log(`\n${RATE} deliveries/s, from receive to arrival\n`)
row('at a steady rate', 'p50, ms', 'p99, ms', 'statements')
row(...Array<string>(4).fill('---'))
for (const { name, shops, rules, fanOut } of SCENARIOS) {
  const prefixes = [...new Set(rules.map(({ prefix }) => prefix))]
  let ways: number[] = []
  const costs = await meter.of(async () => {
    const load = await post(shops, prefixes, { count: (RATE * SECONDS) / fanOut, rate: RATE / fanOut })
    await untilDone()
    ways = await arrivalsOf(load, prefixes)
  })
  if (ways.length !== RATE * SECONDS) throw new Error(`${ways.length} arrived of ${RATE * SECONDS}`)
  row(
    name,
    percentile(ways, 0.5).toFixed(1),
    percentile(ways, 0.99).toFixed(1),
    (costs.statements / ways.length).toFixed(2),
  )
  await tellStatements(`${name}, at ${RATE}/s`, ways.length)
}

// --- a single delivery -------------------------------------------------------------------------------------------------

/** Statements per payment if payments come one at a time, including the work that is done a second later. */
const alone = async (shop: ShopAccount): Promise<number> => {
  const { statements } = await meter.of(async () => {
    for (let n = 0; n < ALONE; n++) {
      await post([shop], ['DH'], { count: 1 })
      await untilDone()
      await pause(1_500)
    }
  })
  await tellStatements('alone', ALONE)
  return statements / ALONE
}
const noRule = await alone(bare)
const withRule = await alone(one)
console.log(
  `\none alone: ${(withRule - noRule).toFixed(1)} statements from the claim to the projected result (at most 12), ` +
    `${withRule.toFixed(1)} with its capture`,
)
await finish(bench)
