/**
 * The main job as a user sees it: a bank's text is received, the list shows it, and the shop is called until it answers. It is the same
 * on all servers that Baoco can run on.
 */
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventSchemas } from '../../domain/catalogue.ts'
import { eventually } from '../harness/eventually.ts'
import { allEvents } from '../harness/installation-database.ts'
import type { SetUp } from '../harness/servers.ts'
import { hang, status, type Shop } from '../harness/shop.ts'
import { World, type WorldOptions } from '../harness/world.ts'

const ENV = { RETRY_SCHEDULE: '0.5,0.5,1,1,1,1' }

interface Transaction {
  id: number
  webhook_status: string
  order_id: string | null
  amount: string
  deliveries: { attempt: number; http_status: number; error: string | null; response_body: string }[]
}

/** @param options  its servers, and another way to start it than `baoco serve` */
export const mainJob = (name: string, options: WorldOptions<SetUp>): void => {
  describe(`the main job, ${name}`, () => {
    let world: World
    let shop: Shop
    let secret: string
    let sent = 0

    const post = async (memo: string): Promise<number> => {
      const id = await world.post(vietcombankText(++sent, memo))
      expect(id).to.be.a('number')
      return id!
    }
    const transaction = async (id: number) =>
      (await world.api('GET', `/api/transactions/${id}`)).body.data as Transaction
    const listed = async () => (await world.api('GET', '/api/transactions')).body.data as Transaction[]

    before(async () => {
      world = await World.open({ ...options, env: ENV })
      shop = await world.openShop()
    })

    after(() => world?.close())

    it('prints a curl line that posts a real bank text, and the list shows it', async () => {
      const line = /^\s*(curl .+)$/m.exec(world.baoco.output())?.[1]
      expect(line, world.baoco.output()).to.be.a('string')
      const { stdout } = await promisify(exec)(`${line} --silent`)
      const answer = JSON.parse(stdout) as { success: boolean; data: { id: number } }
      expect(answer.success).to.equal(true)
      const shown = await eventually(async () => (await listed()).find(({ id }) => id === answer.data.id))
      expect(shown.order_id).to.match(/^DH\d+$/)
      expect(shown.webhook_status).to.equal('no_match')
    })

    it("calls the shop's rule, with a signature that independent libraries verify", async () => {
      secret = (await world.addRule(shop)).secret_key
      const id = await post('DH1042')
      const call = await eventually(() => shop.calls.find((one) => JSON.parse(one.body).transaction_id === id), {
        what: 'the call',
      })
      expect(await verify(secret, call.body, call.headers['x-webhook-signature']!)).to.equal(true)
      expect(new Webhook(secret).verify(call.body, call.headers)).to.include({
        order_id: 'DH1042',
        event: 'bank_transaction',
      })
      expect(call.headers['x-webhook-source']).to.equal('baoco')
      const done = await eventually(async () => {
        const now = await transaction(id)
        return now.webhook_status === 'success' && now
      })
      expect(done.deliveries).to.have.lengthOf(1)
      expect(done.deliveries[0]).to.include({ attempt: 1, http_status: 200 })
    })

    it('repeats the call until the shop accepts it', async () => {
      shop.answer(status(500, 'not now'))
      const id = await post('DH2001')
      await eventually(async () => (await transaction(id)).deliveries.length >= 2, { what: 'two attempts' })
      expect((await transaction(id)).webhook_status).to.equal('pending')
      shop.answer(status(204))
      const done = await eventually(async () => {
        const now = await transaction(id)
        return now.webhook_status === 'success' && now
      })
      expect(done.deliveries.map(({ attempt }) => attempt).sort((a, b) => a - b)).to.deep.equal(
        done.deliveries.map((_, index) => index + 1),
      )
    })

    it('fails a delivery when its retries are exhausted, and resumes it on a manual retry', async () => {
      shop.answer(status(503, 'closed'))
      const id = await post('DH2002')
      const failed = await eventually(
        async () => {
          const now = await transaction(id)
          return now.webhook_status === 'failed' && now
        },
        { within: 60_000, what: 'exhaustion' },
      )
      expect(failed.deliveries).to.have.lengthOf(7)
      shop.answer(status(200))
      expect((await world.api('POST', `/api/transactions/${id}/retry`)).status).to.equal(200)
      const done = await eventually(async () => {
        const now = await transaction(id)
        return now.webhook_status === 'success' && now
      })
      expect(Math.max(...done.deliveries.map(({ attempt }) => attempt))).to.equal(8)
    })

    it('stops within 10 s of SIGTERM while a call hangs, records it as stopped, and continues after the next start', async () => {
      shop.answer(hang)
      const id = await post('DH2003')
      await eventually(() => shop.calls.some((call) => JSON.parse(call.body).transaction_id === id), {
        what: 'the hanging call',
      })
      expect(await world.baoco.stop()).to.be.below(10_000)
      shop.answer(status(200))
      await world.start()
      expect(world.baoco.output(), 'secrets are printed once')
        .not.to.contain(world.installation.apiKey)
        .and.not.to.contain(world.installation.password)
      const done = await eventually(
        async () => {
          const now = await transaction(id)
          return now.webhook_status === 'success' && now
        },
        { what: 'the retry after the stop' },
      )
      const [first] = done.deliveries.filter(({ attempt }) => attempt === 1)
      expect(first).to.include({ http_status: 0, error: 'stopped' })
    })

    it('keeps everything across a kill -9 and the next start', async () => {
      const before = await listed()
      await world.baoco.kill()
      await world.start()
      expect(await listed()).to.deep.equal(before)
      const id = await post('DH2004')
      await eventually(() => shop.calls.some((call) => JSON.parse(call.body).transaction_id === id), {
        what: 'a call after the kill',
      })
    })

    it('deletes a transaction permanently', async () => {
      const id = await post('DH2005')
      await eventually(async () => (await transaction(id)).webhook_status === 'success')
      expect((await world.api('DELETE', `/api/transactions/${id}`)).status).to.equal(200)
      expect((await world.api('GET', `/api/transactions/${id}`)).status).to.equal(404)
      expect((await listed()).map((one) => one.id)).not.to.include(id)
    })

    it('has written only events of the catalogue that fit their schemas', async () => {
      const events = await allEvents(world.installation, world.env)
      expect(events.length).to.be.above(20)
      for (const { type, data, metadata } of events) {
        expect(eventSchemas.has(type), type).to.equal(true)
        eventSchemas.get(type)!.strict().parse(data)
        expect(Date.parse(metadata.at)).to.be.above(0)
      }
    })

    it('has read models that are equal, row for row, to a rebuild from the first event', async () => {
      expect(await world.verifyReadModels()).to.contain('every row matches the rebuilt one')
    })
  })
}
