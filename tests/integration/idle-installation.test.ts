/** A start after a long idle time: the newest event that is remembered has expired since. That is no loss. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openLogLines } from '../../adapters/telemetry/log-lines.ts'
import type { NewEvent } from '../../domain/event.ts'
import { NO_STREAM } from '../../domain/ports.ts'
import { continueHistory } from '../../cmd/process/continue-history.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import { storePositionOf } from '../../workflows/support/store-position.ts'
import { eventually } from '../harness/eventually.ts'
import { History } from './projections/history.ts'
import { openSetting, type Setting } from './projections/setting.ts'

describe('a start whose newest known event is not in the store', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
    await setting.append(new History(51).grow(30).decided)
    await setting.catchUp()
  })
  afterEach(() => setting.close())

  /** The state that a process kept, if it ended after a notification was recorded. */
  const remembered = async () => {
    const event = {
      id: randomUUID(),
      type: 'SomethingElse',
      data: {},
      metadata: { user_id: 1, at: '2026-01-02T00:00:00.000Z', correlation_id: '', causation_id: '', version: 1 },
    } as unknown as NewEvent
    await setting.store.append([[{ stream: 'book-777', expectedRevision: NO_STREAM, events: [event] }]])
    const [[stored] = []] = await setting.store.read([{ stream: 'book-777' }])
    await setting.store.retain('book-', 1)
    await eventually(async () => (await setting.store.read([{ stream: 'book-777' }]))[0]!.length === 0)
    await setting.store.expire()
    return { store: 'x', newest: storePositionOf(stored!), ids: 0, transactions: [] }
  }
  const start = async (before: Awaited<ReturnType<typeof remembered>>): Promise<boolean> => {
    const { store, database } = setting
    const log = openLogLines('silent')
    let hasGoneBack = false
    log.error = (_fields: object, what?: string) => void (hasGoneBack ||= what === 'store.went_back')
    const clock = { now: () => new Date() }
    await continueHistory({ settings: readSettings({}), store, database, clock, log, before, topic: null })
    return hasGoneBack
  }

  it('reports no loss if the event has expired', async () => {
    expect(await start(await remembered())).to.equal(false)
  })

  it('reports a loss if the event is too young to have expired', async () => {
    const before = await remembered()
    await setting.database.query('UPDATE read_model.checkpoint SET updated_at = now()')
    expect(await start(before)).to.equal(true)
  })
})
