/**
 * Kills the whole process group with kill -9 at the steps between the append of a payment and the record of its call. Locks on tables of the
 * embedded database hold the step back; they end with the database.
 */
import { expect } from 'chai'
import { attachOrStart } from '../../adapters/postgres/embedded/embedded.ts'
import { openDatabase } from '../../adapters/database/database.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import type { Shop } from '../harness/shop.ts'
import { World } from '../harness/world.ts'

describe('kill -9 between the append and the record of the call', function () {
  this.timeout(300_000)
  let world: World
  let shop: Shop
  let sent = 0

  before(async () => {
    world = await World.open({ env: { RETRY_SCHEDULE: '1,1,1' } })
    shop = await world.openShop()
    await world.addRule(shop)
  })
  after(() => world?.close())
  beforeEach(() => void (shop.calls.length = 0))

  /** Runs the statement in a transaction of the embedded database that stays open until the database is killed. */
  const hold = async (statement: string): Promise<void> => {
    const { url } = await attachOrStart({ dataDir: world.installation.dataDir, log: silent })
    const client = await openDatabase(url, { poolSize: 1 }).connect()
    client.on('error', () => {})
    await client.query('BEGIN')
    await client.query(statement)
  }

  const pay = async (): Promise<number> => {
    const id = await world.post(vietcombankText(++sent, `DH${sent}`))
    if (id === null) throw new Error('the payment was not accepted')
    return id
  }

  const restart = async (): Promise<number> => {
    await world.baoco.kill()
    await world.start()
    const open = await eventually(() => /"claims_open":(\d+)/.exec(world.baoco.output()), { within: 60_000 })
    return Number(open[1])
  }

  const attemptsOf = async (id: number): Promise<number[]> => {
    const { body } = await eventually(
      async () => {
        const answer = await world.api('GET', `/api/transactions/${id}`)
        return (answer.body.data as { webhook_status?: string } | undefined)?.webhook_status === 'success'
          ? answer
          : null
      },
      { within: 60_000, what: `transaction ${id} is delivered` },
    )
    return (body.data as { deliveries: { attempt: number }[] }).deliveries.map(({ attempt }) => attempt)
  }

  it('makes the call once if the claim was not made', async () => {
    await hold('LOCK TABLE ops.claim IN EXCLUSIVE MODE')
    const id = await pay()
    expect(await restart()).to.equal(0)
    expect(await attemptsOf(id)).to.deep.equal([1])
    expect(shop.calls).to.have.length(1)
  })

  it('repeats the call under its number, and announces that, if it was not recorded', async () => {
    let open = 0
    let id = 0
    await shop.withhold(async () => {
      id = await pay()
      await eventually(() => shop.calls.length === 1)
      open = await restart()
    })
    expect(open).to.equal(1)
    expect(await attemptsOf(id)).to.deep.equal([1])
    expect(shop.calls.map((call) => call.headers['x-webhook-attempt'])).to.deep.equal(['1', '1'])
  })

  it('does not repeat a recorded call that the read models do not show yet', async () => {
    const recorded = await world.metric('baoco_attempts_recorded_total')
    await hold("SELECT FROM read_model.checkpoint WHERE projector = 'main' FOR UPDATE")
    const id = await pay()
    await eventually(async () => (await world.metric('baoco_attempts_recorded_total')) > recorded)
    expect(await restart()).to.equal(0)
    expect(await attemptsOf(id)).to.deep.equal([1])
    expect(shop.calls).to.have.length(1)
    expect(await world.verifyReadModels()).to.contain('every row matches the rebuilt one')
  })
})
