/** When the projector waits, and how large its batches become. */
import { expect } from 'chai'
import { main } from '../../../projections/main.ts'
import { eventually } from '../../harness/eventually.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

/** The number of appends that start every history: three users, each with a system and a rule. */
const BEGINNING = 9

describe('projector', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  /** The setting's tables, and the number of batches written to them. */
  const countingBatches = () => {
    let batches = 0
    const tables: typeof setting.tables = {
      ...setting.tables,
      commit: (claim, statements) => {
        batches++
        return setting.tables.commit(claim, statements)
      },
    }
    return { tables, batches: () => batches }
  }

  it('collects larger batches while receiving is overloaded, and writes all events', async () => {
    const { tables, batches } = countingBatches()
    let isBusy = true
    const { projector } = await setting.start({ tables, pressed: () => (isBusy ? 'receiving' : null) })
    const history = new History(15).grow(100)
    for (const decided of history.decided) await setting.append([decided])
    expect(batches()).to.be.below(history.decided.length / 4)
    // It continues as soon as receiving is no longer overloaded, and in any case soon.
    isBusy = false
    expect(await projector.passed((await setting.store.end())!, main.gatheringMs / 2)).to.equal(true)
    isBusy = true
    const known = history.decided.length
    for (const decided of history.grow(10).decided.slice(known)) await setting.append([decided])
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
  })

  it('pauses while first attempts are queued, until a caller waits for it', async () => {
    const { tables, batches } = countingBatches()
    const definition = { ...main, mostLateMs: Infinity }
    const { projector } = await setting.start({ definition, tables, pressed: () => 'delivering' })
    const history = new History(16).grow(100)
    for (const decided of history.decided) await setting.append([decided])
    expect(batches()).to.be.below(history.decided.length / 10)
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
  })

  it('pauses after each batch if its definition says so, until a caller waits for it', async () => {
    const { tables, batches } = countingBatches()
    const { projector } = await setting.start({ definition: { ...main, restMs: 600_000 }, tables })
    const history = new History(18).grow(20)
    await setting.append(history.decided.slice(0, BEGINNING))
    await projector.passed((await setting.store.end())!, 30_000)
    await eventually(() => projector.health().state === 'live')
    const before = batches()
    for (const decided of history.decided.slice(BEGINNING)) await setting.append([decided])
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    // One batch may have been in progress, and one may have caught up, before the pause.
    expect(batches() - before).to.be.within(1, 3)
  })

  it('does not pause between the batches of the past', async () => {
    await setting.append(new History(20).grow(20).decided)
    const { projector } = await setting.start({ definition: { ...main, restMs: 600_000 }, maxBatch: 5 })
    await eventually(() => projector.health().state === 'live')
  })

  it('writes events that may wait once there are many, and earlier only for a caller', async () => {
    const { tables, batches } = countingBatches()
    const definition = { ...main, canWait: () => true, heldBackMs: { few: 600_000, many: 0 } }
    const { projector } = await setting.start({ definition, tables })
    const { decided } = new History(19).grow(100)
    await setting.append(decided.slice(0, BEGINNING))
    await projector.passed((await setting.store.end())!, 30_000)
    await eventually(() => projector.health().state === 'live')
    const [before, rest] = [batches(), decided.slice(BEGINNING)]
    for (const each of rest) await setting.append([each])
    await eventually(() => batches() > before, { what: 'a large batch, although nobody waits for it' })
    expect(batches() - before).to.be.at.most(Math.ceil(rest.length / 30))
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
  })

  it('pauses for first attempts only up to a limit of lateness', async () => {
    // The events of the history are old.
    const { projector } = await setting.start({ pressed: () => 'delivering' })
    await setting.append(new History(17).grow(100).decided)
    const end = await setting.store.end()
    await eventually(() => projector.position() === end)
  })
})
