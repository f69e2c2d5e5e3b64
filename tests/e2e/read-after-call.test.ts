import { expect } from 'chai'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { World } from '../harness/world.ts'

/** In the embedded default, read models are written later, and whoever reads waits for them (`docs/how/read-models.md`). */
describe('read models that are written later', () => {
  let world: World
  before(async () => {
    world = await World.open()
  })
  after(() => world.close())

  it('show a transaction to the shop that is called: by its id, in the list and in the history', async () => {
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
    for (let payment = 1; payment <= count; payment++) await world.post(vietcombankText(payment, `DH${payment}`))
    await eventually(() => found.length >= count, { what: 'every payment is called' })
    expect(found).to.deep.equal(found.map(() => [200, true, 200]))
  })

  it('show a payment that was just accepted, although no rule matches it', async () => {
    for (let payment = 1; payment <= 20; payment++) {
      const id = await world.post(vietcombankText(100 + payment, 'no order'))
      const [one, list] = await Promise.all([
        world.api('GET', `/api/transactions/${id}`),
        world.api('GET', '/api/transactions'),
      ])
      expect(one.status).to.equal(200)
      expect((list.body.data as { id: number }[]).map((each) => each.id)).to.include(id)
    }
  })
})
