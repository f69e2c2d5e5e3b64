/** Damaged events in a running installation, on both stores: everybody else's posts, lists and deliveries go on. */
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { commandInProcess } from '../../harness/command-in-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { openRawWriter, type RawWriter } from '../../harness/raw-events.ts'
import { openSetUp } from '../../harness/servers.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import type { Shop } from '../../harness/shop.ts'
import { World } from '../../harness/world.ts'

interface Owner {
  apiKey: string
  personalUrl: string
  userId: number
  shop: Shop
}

for (const setUp of ['stock', 'eventstoredb'] as const)
  describe(`damaged events in baoco serve (${setUp})`, () => {
    if (setUp === 'stock') needsStockPostgres()
    let world: World
    let raw: RawWriter
    let ann: Owner
    let ben: Owner
    let posted = 0

    const baoco = async (...args: string[]): Promise<{ status: number | null; output: string }> => {
      const env = {
        PATH: process.env.PATH,
        BAOCO_DATA_DIR: world.installation.dataDir,
        LOG_LEVEL: 'error',
        ...world.env,
      }
      const { status, stdout, stderr } = await commandInProcess(args, env)
      return { status, output: stdout + stderr }
    }
    const get = async ({ apiKey }: Owner, path: string) => {
      const response = await fetch(world.baoco.baseUrl + path, { headers: { 'x-api-key': apiKey } })
      const body = (await response.json()) as Record<string, unknown>
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
    }
    const ask = async ({ apiKey }: Owner, path: string, json: object) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const response = await fetch(world.baoco.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(json) })
      return ((await response.json()) as { data: Record<string, unknown> }).data
    }
    const post = async ({ personalUrl }: Owner) => {
      const url = world.baoco.baseUrl + new URL(personalUrl).pathname
      const body = vietcombankText(++posted, `DH${posted}`)
      const response = await fetch(fromVietcombank(url), { method: 'POST', body })
      const { data, error } = (await response.json()) as { data?: { id: number }; error?: string }
      return { status: response.status, retryAfter: response.headers.get('retry-after'), id: data?.id, error }
    }
    /** Posts, and waits until the shop was called and the list shows it as delivered. */
    const expectWorks = async (owner: Owner): Promise<number> => {
      const { status, id } = await post(owner)
      expect(status).to.equal(200)
      await eventually(
        async () => {
          const { body } = await get(owner, `/api/transactions/${id}`)
          return (body.data as { webhook_status?: string } | undefined)?.webhook_status === 'success'
        },
        { what: `transaction ${id} to be delivered` },
      )
      return id!
    }
    const openOwner = async (apiKey: string, personalUrl: string): Promise<Owner> => {
      const owner = { apiKey, personalUrl, userId: 0, shop: await world.openShop() }
      await ask(owner, '/api/webhooks', { name: 'shop', url: owner.shop.url })
      owner.userId = ((await get(owner, '/api/account')).body.data as { id: number }).id
      return owner
    }
    const readiness = async () => {
      const response = await fetch(`${world.baoco.baseUrl}/readyz`)
      const { parts } = (await response.json()) as { parts: Record<string, string> }
      return { status: response.status, parts }
    }
    const parkedStreams = () => world.metric('baoco_parked_streams')

    before(async () => {
      world = await World.open({ servers: () => openSetUp(setUp) })
      const databaseUrl = world.env.DATABASE_URL
      raw = await openRawWriter({ ...world.env, DATABASE_URL: databaseUrl })
      ann = await openOwner(world.installation.apiKey, world.installation.personalUrl)
      const created = await baoco(
        'account',
        'create',
        'ben@example.com',
        '--plan',
        'Pro',
        '--password',
        'correct-horse-battery',
      )
      const [, key = ''] = /API key +(\S+)/.exec(created.output) ?? []
      const [, url = ''] = /personal URL +(\S+)/.exec(created.output) ?? []
      ben = await openOwner(key, url)
      await ask(ben, '/api/systems', { name: 'S', type: 'custom', payment_prefix: 'DH' })
    })
    after(async () => {
      await raw?.close()
      await world?.close()
    })

    it('an event in a transaction parks only that transaction', async () => {
      const id = await expectWorks(ann)
      const revision = await raw.append(`transaction-${id}`, {
        type: 'NotYetInvented',
        metadata: { user_id: ann.userId },
      })
      await raw.append(`transaction-${id}`, { type: 'WebhookStatusChanged', data: null, metadata: null })
      await eventually(async () => (await parkedStreams()) === 2, { what: 'both projectors to park it' })
      await expectWorks(ann)
      await expectWorks(ben)
      expect(await readiness()).to.deep.include({
        status: 200,
        parts: { event_store: 'ok', read_models: 'ok', database: 'ok', disk: 'ok', log: 'ok' },
      })
      expect((await get(ann, `/api/transactions/${id}`)).status).to.equal(200)
      expect(world.baoco.output()).to.match(
        new RegExp(`"stream":"transaction-${id}","revision":${revision},.*stream.parked`),
      )
      const { output } = await baoco('parked', 'list')
      expect(output)
        .to.contain(`transaction-${id}@${revision}  NotYetInvented  unknown_type`)
        .and.contain('main+search')
      // The two events are skipped one after the other.
      expect((await baoco('parked', 'skip', `transaction-${id}`, '--yes')).output).to.contain('invalid_metadata')
      expect((await baoco('parked', 'skip', `transaction-${id}`, '--yes')).output).to.contain('1 of 1 streams')
      expect(await parkedStreams()).to.equal(0)
    })

    it('the operator has an alert with the stream and the reason, and nothing else of it, until it is skipped', async () => {
      const alertsOf = async (owner: Owner) => {
        const alerts = (await get(owner, '/api/alerts')).body.data as { [field: string]: string | null }[]
        return alerts.filter(({ kind }) => kind === 'stream_parked')
      }
      const stream = `transaction-${await expectWorks(ben)}`
      const data = { secret: 'of Ben' }
      await raw.append(stream, { type: 'TransactionCompleted', data, metadata: { user_id: ben.userId } })
      const mine = async () => (await alertsOf(ann)).find(({ subject }) => subject === `stream:${stream}`)
      const alert = await eventually(mine, { what: 'an alert' })
      expect(alert).to.deep.include({ until: null })
      expect(alert.text).to.contain(stream).and.contain('(invalid_data)').and.not.contain('secret')
      expect(await alertsOf(ben)).to.deep.equal([])
      expect((await baoco('parked', 'skip', stream, '--yes')).status).to.equal(0)
      await eventually(async () => (await mine())!.until, { what: 'the end of the alert' })
      // The process that met the event has sent a mail about it already.
      const mails = (await get(ann, '/api/outbox')).body.data as { subject: string }[]
      const about = mails.filter(
        ({ subject }) => subject.includes(stream) || subject.includes('an event cannot be used'),
      )
      expect(about.map(({ subject }) => subject)).to.deep.equal([`Baoco cannot use an event of ${stream}`])
    })

    it('an account answers phones with 503 and a time, never with 401, and others are not touched', async () => {
      await raw.append(`account-${ben.userId}`, { type: 'NotYetInvented', metadata: { user_id: ben.userId } })
      for (const answer of [await post(ben), await get(ben, '/api/transactions'), await get(ben, '/api/account')])
        expect(answer).to.deep.include({ status: 503, retryAfter: '60' })
      await expectWorks(ann)
      const skipped = await baoco('parked', 'skip', `account-${ben.userId}`, '--yes')
      expect(skipped, skipped.output).to.include({ status: 0 })
      await expectWorks(ben)
    })

    it('a deduplication window refuses only its own bank with 503 until its event is skipped', async () => {
      const stream = `book-${ann.userId}-VCB`
      await raw.append(stream, { type: 'NotificationSeen', data: { amount: null }, metadata: { user_id: ann.userId } })
      const answers = await Promise.all([post(ann), post(ben), post(ann), post(ben)])
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 200, 503, 200])
      expect(answers[0]).to.include({ retryAfter: '60', error: 'STORE_UNAVAILABLE' })
      expect((await baoco('parked', 'skip', stream, '--yes')).status).to.equal(0)
      await expectWorks(ann)
    })

    if (setUp === 'eventstoredb')
      it('a transaction whose stream an operator deleted on the server stops nothing, not even the next start', async () => {
        const id = await expectWorks(ann)
        const client = EventStoreDBClient.connectionString(world.env.EVENTSTORE_URL!)
        await client.tombstoneStream(`${world.env.EVENTSTORE_PREFIX}transaction-${id}`)
        await client.dispose()
        await eventually(async () => (await parkedStreams()) === 2, { what: 'both projectors to park it' })
        await expectWorks(ben)
        await world.baoco.stop()
        await world.start()
        await expectWorks(ben)
        expect((await baoco('parked', 'skip', `transaction-${id}`, '--yes')).status).to.equal(0)
        expect(await parkedStreams()).to.equal(0)
      })

    it('audit names the damaged events, and a restart and a rebuild keep the decisions', async () => {
      const id = await expectWorks(ben)
      await raw.append(`transaction-${id}`, {
        type: 'TransactionCompleted',
        data: 'text',
        metadata: { user_id: ben.userId },
      })
      await eventually(async () => (await parkedStreams()) === 2)
      const audit = await baoco('audit')
      expect(audit.status).to.equal(1)
      expect(audit.output).to.match(
        new RegExp(`transaction-${id}@\\d+: TransactionCompleted does not match its schema`),
      )
      await world.baoco.stop()
      await world.start()
      expect(await parkedStreams()).to.equal(2)
      expect(await world.verifyReadModels()).to.match(/main: .* every row matches the rebuilt one/)
      const retried = await baoco('parked', 'retry')
      expect(retried.output).to.contain('this release cannot read it')
      expect((await baoco('parked', 'skip', `transaction-${id}`, '--yes')).status).to.equal(0)
      expect(await world.verifyReadModels()).to.match(/search: .* every row matches the rebuilt one/)
      await expectWorks(ben)
    })
  })
