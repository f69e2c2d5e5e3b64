/**
 * The memory of the process does not depend on the number of rows in an export. The process may keep less than the rows take, or it ends; the
 * peak shows what is kept outside its heap. With `REPEAT=full` (`npm run reliability`), the export has a
 * million rows.
 */
import { expect } from 'chai'
import { openDatabase } from '../../../adapters/database/database.ts'
import { startBaoco } from '../../harness/baoco-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { showFigures } from '../../harness/figures.ts'
import { inside } from '../../harness/installation-database.ts'
import { peakMb, watchPeak } from '../../harness/process-costs.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { World } from '../../harness/world.ts'

const FEW = repetitions(100_000, 2_500)
const MANY = repetitions(1_000_000, 20_000)
const MONTHS = { few: '2026-05', many: '2026-06' } as const

/** Hexadecimal texts of 32 characters in the raw data of each row. They hardly get smaller in a spreadsheet. */
const TEXTS = repetitions(8, 128)
/** The first letter makes every character take two bytes in memory. */
const BLOCKS = `SELECT b, 'ệ' || (SELECT string_agg(md5(b || ' ' || k), '') FROM generate_series(1, ${TEXTS}) k) AS raw_data
  FROM generate_series(0, 999) b`

/** MB of objects that the process may keep. The texts of the further rows take more. */
const HEAP = 160
/** MB of the young generation. With as much as in `npm start`, hardly anything is left of the heap, and every collection is a full one. */
const YOUNG = 8
/** MB. */
const MOST_GROWTH = 100

describe('the memory for an export', function () {
  this.timeout(repetitions(1_800_000, 240_000))
  let world: World
  before(async () => {
    const nodeOptions = [`--max-old-space-size=${HEAP}`, `--max-semi-space-size=${YOUNG}`]
    world = await World.open({ start: (dataFolder, env) => startBaoco(dataFolder, env, 'serve', { nodeOptions }) })
    const { id: user } = (await world.api('GET', '/api/account')).body.data as { id: number }
    await inside(world.installation, async (url) => {
      const database = openDatabase(url, { poolSize: 1 })
      let from = 0
      for (const [month, count] of [
        [MONTHS.few, FEW],
        [MONTHS.many, MANY],
      ] as const) {
        // As the projector writes them, spread over thirty days.
        await database.query(`WITH block AS MATERIALIZED (${BLOCKS}) INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency,
            description, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
          SELECT ${70_000_000 + from} + n, ${user}, 'VCB', 'Vietcombank', 'credit', n, 'VND', 'text', 'api', 'url', 'skipped',
            raw_data, at, at, at FROM generate_series(1, ${count}) n JOIN block ON b = n % 1000,
            LATERAL (SELECT date_trunc('milliseconds', timestamptz '${month}-01 05:00:00Z' + n * interval '29 days' / ${count}) AS at) a`)
        from += count
      }
      await database.close()
    })
  })
  after(() => world?.close())

  const request = async (format: string, month: string) => {
    const query = `format=${format}&month=${month}&columns=id,date,money_in,description,raw_data`
    const headers = { 'x-api-key': world.installation.apiKey }
    const response = await fetch(`${world.baoco.baseUrl}/api/transactions/export?${query}`, { headers })
    expect(response.status).to.equal(200)
    return response.body!
  }
  const pid = () => world.baoco.process.pid!

  /** @returns the peak memory in MB, the bytes and the lines of the file */
  const exported = async (format: string, month: string) => {
    watchPeak(pid())
    let [bytes, lines] = [0, 0]
    for await (const chunk of await request(format, month)) {
      const part = Buffer.from(chunk as Uint8Array)
      bytes += part.length
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++
    }
    return { peak: peakMb(pid()), bytes, lines }
  }

  for (const format of ['csv', 'xlsx']) {
    it(`does not grow with the rows of a ${format}`, async () => {
      // The first export compiles the code, and fills the young generation.
      await exported(format, MONTHS.few)
      const few = await exported(format, MONTHS.few)
      const many = await exported(format, MONTHS.many)
      if (format === 'csv') expect([few.lines, many.lines]).to.deep.equal([FEW + 1, MANY + 1])
      expect(many.bytes / few.bytes).to.be.closeTo(MANY / FEW, 0.5)
      showFigures(
        `the export of ${MANY.toLocaleString('en')} rows as ${format}, ${Math.round(many.bytes / 1e6).toLocaleString('en')} MB`,
        `peak memory ${many.peak.toFixed(0)} MB, ${few.peak.toFixed(0)} MB for ${FEW.toLocaleString('en')} rows`,
      )
      expect(many.peak - few.peak).to.be.below(MOST_GROWTH)
    })

    it(`does not grow when the reader of a ${format} stops reading`, async () => {
      const before = watchPeak(pid())
      const reader = (await request(format, MONTHS.many)).getReader()
      await reader.read()
      // It has stopped if its peak is the same in several looks.
      let [peak, looks] = [0, 0]
      await eventually(async () => {
        await new Promise((resolve) => setTimeout(resolve, 200))
        const now = peakMb(pid())
        looks = now === peak ? looks + 1 : 0
        peak = now
        return looks >= 5
      })
      const growth = peak - before
      await reader.cancel()
      expect(growth).to.be.below(MOST_GROWTH)
    })
  }
})
