import { expect } from 'chai'
import { eventually } from '../harness/eventually.ts'
import { World } from '../harness/world.ts'

/** In the embedded default, a shop is called before the read models have the transaction (`workflows/deliver/new-attempts.ts`). */
describe('a shop that is called', () => {
  let world: World
  before(async function () {
    this.timeout(120_000)
    world = await World.open()
  })
  after(() => world.close())

  it('finds the transaction by its id, in the list and in the history', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    const found: unknown[] = []
    shop.answer((call, response) => {
      const { transaction_id: id } = JSON.parse(call.body) as { transaction_id: number }
      const paths = [`/api/transactions/${id}`, '/api/transactions', `/api/transactions/${id}/history`]
      void Promise.all(paths.map((path) => world.api('GET', path))).then(([one, list, history]) => {
        const ids = (list!.body.data as { id: number }[]).map((each) => each.id)
        found.push([one!.status, ids.includes(id), history!.status])
        response.writeHead(200).end()
      })
    })
    const count = 30
    for (let payment = 1; payment <= count; payment++)
      await world.post(
        `SD TK 0123456789 +${payment}0,000VND luc 25-11-2026 10:00:00. SD 9,000,000VND. Ref DH${payment}`,
      )
    await eventually(() => found.length >= count, { within: 30_000, what: 'every payment is called' })
    expect(found).to.deep.equal(found.map(() => [200, true, 200]))
  })
})
