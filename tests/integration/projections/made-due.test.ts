/** Deliveries that a change of their rule makes due, in parts. That the rows do not depend on the parts is shown in `projector.test.ts`. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openApplier, Overtaken } from '../../../projections/engine/applier.ts'
import { deliveriesMadeDue } from '../../../projections/delivery/made-due.ts'
import { openBuilder } from '../../../projections/engine/builder.ts'
import { isLeft } from '../../../projections/engine/remaining.ts'
import { dropSchema } from '../../../projections/engine/schema.ts'
import { openProjector } from '../../../projections/engine/projector.ts'
import type { ParkedStream } from '../../../projections/engine/parked-table.ts'
import { verify } from '../../../projections/engine/replay.ts'
import { main } from '../../../projections/main.ts'
import { parkedStreams } from '../../../projections/parked/queries.ts'
import { storeWithSkips } from '../../../workflows/parked/store-with-skips.ts'
import { skipEvent } from '../../../workflows/parked/resolve.ts'
import { eventually } from '../../harness/eventually.ts'
import { errorOf } from '../../harness/outcomes.ts'
import { fillRetries, fillRules } from '../../harness/waiting-deliveries.ts'
import { freshReadModels } from '../../harness/postgres.ts'
import { openSetting, type Setting } from './setting.ts'

const RULE = 3
const WAITING = 3_000
const CHANGED_AT = new Date().toISOString()

describe('the deliveries of a changed rule', () => {
  let setting: Setting
  const fill = async (): Promise<void> => {
    await fillRules(setting.database, 6)
    const due = "now() + interval '1 hour'"
    await fillRetries(setting.database, { from: 1, count: WAITING, rule: String(RULE), due })
  }
  beforeEach(async () => {
    setting = await openSetting(freshReadModels)
    await fill()
  })
  afterEach(() => setting.close())

  const event = (type: string, data: object) => ({
    id: randomUUID(),
    type,
    data,
    metadata: { user_id: 1, at: CHANGED_AT, correlation_id: 'c', causation_id: 'c', version: 1 },
  })
  const changed = () => [
    { stream: 'account-1', events: [event('RuleChanged', { user_id: 1, rule_id: RULE, url: 'https://new.vn/' })] },
  ]
  const attempted = (transaction_id: number, next_attempt_at: string) => ({
    stream: `transaction-${transaction_id}`,
    events: [
      event('WebhookAttempted', {
        transaction_id, attempt_id: 9_000_000 + transaction_id, rule_id: RULE, attempt: 2, method: 'POST', url: 'https://new.vn', timestamp: 1,
        account_revision: 1, body_sha256: 'x', renderer: 1, http_status: 500, response_body: 'no', error: null, sent_at: CHANGED_AT,
        duration_ms: 1, outcome: 'retrying', next_attempt_at,
      }),
    ],
  }) // prettier-ignore
  const due = async () => {
    const [row] = await setting.database.query<{ due: number }>(
      'SELECT count(*) AS due FROM read_model.delivery WHERE due_at <= $1',
      [CHANGED_AT],
    )
    return row!.due
  }

  it('are made due in parts, and other events do not wait for all of them', async () => {
    const definition = { ...main, remaining: deliveriesMadeDue(5) }
    await setting.database.query('DROP SCHEMA read_model CASCADE')
    const projector = await openProjector({ ...setting, definition, log: { info() {}, warn() {}, error() {} } })
    await fill()
    const stopping = new AbortController()
    const running = projector.run(stopping.signal)
    await setting.append(changed())
    expect(await projector.passed((await setting.store.end())!, 10_000)).to.equal(true)
    await setting.append([attempted(WAITING, new Date(Date.now() + 600_000).toISOString())])
    expect(await projector.passed((await setting.store.end())!, 10_000)).to.equal(true)
    expect(await isLeft(setting.tables, main, main.schema), 'work is left').to.equal(true)
    await eventually(async () => !(await isLeft(setting.tables, main, main.schema)), { within: 30_000 })
    expect(await due(), 'all but the one that was tried meanwhile').to.equal(WAITING - 1)
    stopping.abort()
    await running
  })

  it('keep a time that was set after the change, even with a small difference of clocks', async () => {
    await setting.append([...changed(), attempted(7, '2100-01-01T00:00:00.000Z')])
    await setting.catchUp()
    expect(await due()).to.equal(WAITING - 1)
  })

  it('are made due between the batches of a rebuild, so that they do not pile up until its end', async () => {
    await setting.append(Array.from({ length: 12 }, changed).flat())
    const end = (await setting.store.end())!
    const { table, part } = deliveriesMadeDue()
    let events = 0
    const partsAt: number[] = []
    const remaining = { table, part: (schema: string) => (partsAt.push(events), part(schema)) }
    const onProgress = (progress: { events: number }) => (events = progress.events)
    const options = { ...setting, definition: { ...main, remaining }, onProgress, maxBatch: 2 }
    const builder = await openBuilder(options, 'read_model_next')
    await builder.to(end)
    expect(partsAt.filter((each) => each < 10)).to.have.length.above(3)
    expect(await isLeft(setting.tables, main, 'read_model_next')).to.equal(false)
    await dropSchema(setting.tables, 'read_model_next')
  })

  it('are all made due before events that waited for a decision are applied, because those events are older than the change', async () => {
    const store = storeWithSkips(setting.store)
    const late = attempted(7, '2100-01-01T00:00:00.000Z')
    await setting.append([{ stream: late.stream, events: [event('NotYetInvented', {}), ...late.events] }])
    const applier = openApplier({ ...setting, store, definition: main, schema: main.schema, anchor: null })
    const apply = async (after: string | null): Promise<string> => {
      const events = await store.readAll(after, 10)
      const last = events.at(-1)!.checkpoint
      await applier.apply(events, last)
      return last
    }
    const end = await apply(null)
    const [{ position: _, since: __, ...row } = { position: '', since: '' }] = await parkedStreams(
      setting.database,
      main,
    )
    await setting.append(changed())
    const clock = { now: () => new Date(CHANGED_AT) }
    await skipEvent({ store, clock }, { ...(row as ParkedStream), projectors: [main.projector] })
    await apply(end)
    await applier.finish()
    expect(await due()).to.equal(WAITING - 1)
  })

  it('are all made due before the read models are compared, even if no process projects', async () => {
    const applier = openApplier({ ...setting, definition: main, schema: main.schema, anchor: null })
    await setting.append(changed())
    const events = await setting.store.readAll(null, 10)
    await applier.apply(events, events.at(-1)!.checkpoint)
    const overtaken = openApplier({ ...setting, definition: main, schema: main.schema, anchor: null })
    expect(await errorOf(overtaken.part()), 'another process has moved the checkpoint').to.be.instanceOf(Overtaken)
    expect(await due()).to.equal(0)
    await verify({ ...setting, definition: main })
    expect(await due()).to.equal(WAITING)
  })
})
