/**
 * Measures a look for due deliveries, as each delivery process makes it every second: with many rules, by turns free, ordered
 * and limited, each with a retry that waits; then with many due deliveries of paused rules in addition.
 *
 *     npx tsx bench/due.ts [--short]
 */
import { randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '../adapters/database/database.ts'
import { openDeliveryQueue } from '../adapters/postgres/delivery-queue/delivery-queue.ts'
import { deliveryNumbers } from '../adapters/postgres/delivery-queue/numbers.ts'
import { openReadModelTables } from '../adapters/postgres/ops/read-models.ts'
import { createSchema } from '../projections/engine/schema.ts'
import { main } from '../projections/main.ts'
import { freshDatabase } from '../tests/harness/postgres.ts'
import { median } from './support/load.ts'
import { fillRetries, fillRules } from '../tests/harness/waiting-deliveries.ts'

const isShort = process.argv.includes('--short')
const RULES = Number(process.env.RULES ?? (isShort ? 2_000 : 200_000))
const HELD = Number(process.env.HELD ?? (isShort ? 1_000 : 100_000))
const LOOKS = isShort ? 5 : 100
const ROOM = { first: 500, retry: 500, manual: 500, bulk: 500 }

const { url, drop } = await freshDatabase()
const database: Database = openDatabase(url, { poolSize: 1 })
const queue = openDeliveryQueue(database, database)

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const since = performance.now()
  await work()
  return performance.now() - since
}
const WANTED = { room: ROOM, perRule: 128, fullRules: [], shares: { whole: ROOM, left: [] }, firstEarlier: 0 }
const look = () => queue.claimDue(randomUUID(), WANTED)
const measure = async (what: string): Promise<void> => {
  const first = await timed(async () => {
    while ((await look()).hasMore);
  })
  const looks: number[] = []
  for (let n = 0; n < LOOKS; n++) looks.push(await timed(look))
  const metrics = await timed(() => deliveryNumbers(database))
  console.log(
    `${what}: a look takes ${median(looks).toFixed(1)} ms, at most ${Math.max(...looks).toFixed(1)} ms; the first ones together ${first.toFixed(0)} ms; ` +
      `the metrics ${metrics.toFixed(1)} ms`,
  )
}

await createSchema(openReadModelTables(database), main)
await fillRules(database, RULES)
await fillRetries(database, { from: 1, count: RULES, rule: 'n', due: `now() + interval '1 hour'` })
await database.query('VACUUM ANALYZE')
await measure(`${RULES.toLocaleString('en')} rules with a retry that waits`)
await database.query(`UPDATE read_model.rule SET is_active = 0 WHERE rule_id <= ${HELD / 10}`)
const due = `now() - interval '1 hour' + (n - 1000000) * interval '10 ms'`
await fillRetries(database, { from: 1_000_000, count: HELD, rule: `1 + n % ${HELD / 10}`, due })
await database.query('VACUUM ANALYZE')
await measure(`${HELD.toLocaleString('en')} due deliveries of paused rules in addition`)
await database.close()
await drop()
process.exit(0)
