/**
 * Measures a large delivery queue: the cost of a million retries while they wait, and the time for a hundred thousand retries that are all
 * due at once, with `serve` and two more delivery workers on two cores.
 *
 *     npx tsx bench/backlog.ts [--short]
 *
 * The waiting retries are only rows of the queue, because nothing else of them is read before they are due. The due retries also have
 * their events in the store, and the shops count all of their calls.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { launchBaoco } from '../tests/harness/baoco-process.ts'
import { fillBacklog } from './support/backlog.ts'
import { startChild } from './support/children.ts'
import { countStatements, openMeter, type Costs } from './support/costs.ts'
import { secondsUntil, startBench, finish } from './support/installation.ts'
import { connectShop, setActive, type ShopRule } from './support/shops.ts'

const isShort = process.argv.includes('--short')
const WAITING = Number(process.env.WAITING ?? (isShort ? 2_000 : 1_000_000))
const DUE = Number(process.env.DUE ?? (isShort ? 60 : 100_000))
const MINUTE = Number(process.env.SECONDS ?? (isShort ? 2 : 60))
const SHOPS = isShort ? 2 : 8
/** In addition to the worker of `serve`. */
const WORKERS = Number(process.env.WORKERS ?? (isShort ? 1 : 2))
/** Ids from here on are never reached by the id counter. */
const FAR = 1_000_000_000

const bench = await startBench({ accounts: SHOPS, prepare: countStatements })
const { baoco, installation, shops } = bench
const receiver = await startChild('./receiver.ts', { endpoints: SHOPS })
const rules: ShopRule[] = []
for (const [index, shop] of shops.entries())
  rules.push(...(await connectShop(baoco, shop, [receiver.urls[index]!], index)))

// Without METRICS_PORT a worker listens on no port, so there is no port conflict.
const workers = Array.from({ length: WORKERS }, () =>
  launchBaoco(installation, { ALLOW_PRIVATE_TARGETS: '1', LOG_LEVEL: 'warn' }, 'deliver'),
)
await Promise.all(workers.map(({ ready }) => ready))
const meter = await openMeter(
  installation,
  [baoco, ...workers].map(({ process }) => process.pid!),
)
const { database } = meter

// --- a million waiting retries -----------------------------------------------------------------------------------------

const line = ({ seconds, statements, baoco, postgres, walBytes }: Costs): string =>
  `${(statements / seconds).toFixed(1)} statements/s, CPU ${((100 * (baoco + postgres)) / seconds).toFixed(1)} % of a core ` +
  `(Postgres ${((100 * postgres) / seconds).toFixed(1)} %), ${(walBytes / seconds).toFixed(0)} bytes of log/s`

const settle = async (): Promise<void> => {
  await database.query('VACUUM ANALYZE read_model.delivery')
  await database.query('CHECKPOINT')
  await pause(isShort ? 0 : 5_000)
}
await settle()
console.log(`nothing waits: ${line(await meter.idle(MINUTE))}`)
await database.query(
  `INSERT INTO read_model.delivery
     (transaction_id, rule_id, user_id, status, attempt, round_base, lane, due_at, first_due_at, captured_at)
   SELECT ${FAR} + n, rule.id, rule.user_id, 'open', 1, 0, 'retry', now() + interval '1 day', now(), now()
   FROM generate_series(1, $1::integer) n
     JOIN unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS rule (id, user_id, place) ON rule.place = 1 + n % $4`,
  [WAITING, rules.map(({ id }) => id), rules.map(({ user_id }) => user_id), rules.length],
)
await settle()
console.log(`${WAITING.toLocaleString('en')} wait: ${line(await meter.idle(MINUTE))}`)

// --- a hundred thousand due retries ------------------------------------------------------------------------------------

const each = (isActive: 0 | 1) =>
  Promise.all(shops.map((shop, index) => setActive(baoco, shop, [rules[index]!], isActive)))
await each(0)
await fillBacklog(meter.databaseUrl, rules, DUE)
const due = async (): Promise<number> => {
  const [row] = await database.query<{ due: number }>(
    `SELECT count(*) AS due FROM read_model.delivery
     WHERE status = 'open' AND attempt = 1 AND due_at <= now() AND transaction_id < ${FAR}`,
  )
  return row!.due
}
await secondsUntil(1_200, async () => (await due()) === DUE || pause(1_000, false))
let seconds = 0
const costs = await meter.of(async () => {
  await each(1)
  seconds = await secondsUntil(1_200, async () => (await due()) === 0 || pause(200, false))
})
const { orders, calls } = (await (await fetch(`${receiver.url}/count`)).json()) as { orders: number; calls: number }
if (orders !== DUE || calls !== DUE) throw new Error(`${DUE} were due: ${orders} arrived, by ${calls} calls`)
console.log(
  `${DUE.toLocaleString('en')} due at once, ${workers.length + 1} workers: all recorded in ${seconds.toFixed(1)} s, ` +
    `${(DUE / seconds).toFixed(0)}/s, each called once; for each ${(costs.statements / DUE).toFixed(2)} statements, ` +
    `${(costs.walBytes / DUE).toFixed(0)} bytes of log, CPU ${((1000 * costs.baoco) / DUE).toFixed(2)} ms of Baoco, ` +
    `${((1000 * costs.postgres) / DUE).toFixed(2)} ms of Postgres`,
)
await meter.close()
await Promise.all(workers.map((worker) => worker.stop()))
await finish(bench)
