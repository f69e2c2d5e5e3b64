/** A full disk, as the operator of a small server and the phones meet it. */
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import type { DataFolder } from '../harness/baoco-process.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import { giveCluster } from '../harness/copied-cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { startMailServer, type TestMailServer } from '../harness/mail-server.ts'
import { emptyDatabase, type TestDatabase } from '../harness/postgres.ts'
import { secrets } from '../harness/servers.ts'
import { mountSmallDisk, needsSmallDisk, type SmallDisk } from '../harness/small-disk.ts'
import { World } from '../harness/world.ts'

const usersOf = (world: () => World) => {
  let sent = 0
  const acknowledged: number[] = []
  const post = async () => {
    const response = await fetch(fromVietcombank(world().installation.personalUrl), {
      method: 'POST',
      body: vietcombankText(++sent, `DH${sent}`),
    })
    const body = (await response.json()) as { data?: { id: number }; error?: string; message?: string }
    if (response.status === 200) acknowledged.push(body.data!.id)
    return { status: response.status, retryAfter: response.headers.get('retry-after'), ...body }
  }
  return {
    post,
    accepted: async () => (await post()).status === 200,
    refusedForTheDisk: async () => {
      const { status, message } = await post()
      return status === 503 && message!.includes('the disk is full')
    },
    /** Everything that was acknowledged is kept. */
    untilListed: async (): Promise<void> => {
      for (const id of acknowledged)
        await eventually(async () => (await world().api('GET', `/api/transactions/${id}`)).status === 200, {
          what: `transaction ${id} in the list`,
        })
    },
    readiness: async () => {
      const response = await fetch(`${world().baoco.baseUrl}/readyz`)
      const { parts } = (await response.json()) as { parts: Record<string, string> }
      return { status: response.status, disk: parts.disk }
    },
    acknowledged,
  }
}

const linesOf = (world: World, event: string): number => world.baoco.output().split(`"${event}"`).length - 1

describe('a full disk of the embedded database', () => {
  needsSmallDisk()
  let disk: SmallDisk | undefined
  let world: World | undefined
  const { post, accepted, refusedForTheDisk, untilListed, readiness, acknowledged } = usersOf(() => world!)

  before(async () => {
    disk = mountSmallDisk(320)
    const prepare = async (dataFolder: DataFolder) => {
      disk!.hold(dataFolder)
      await giveCluster(dataFolder.dataDir, true)
    }
    world = await World.open({ prepare })
  })
  after(async () => {
    await world?.close()
    disk?.remove()
  })

  interface Alert {
    kind: string
    subject: string
    until: string | null
  }
  const alerts = async () =>
    ((await world!.api('GET', '/api/alerts')).body.data as Alert[]).filter(({ kind }) => kind === 'disk_low')
  const open = async () =>
    (await alerts())
      .filter(({ until }) => until === null)
      .map(({ subject }) => subject)
      .sort()

  it('is named in /readyz, the metrics, the log, an alert and the answer to a write; lists stay readable', async () => {
    for (let n = 0; n < 5; n++) expect(await accepted()).to.equal(true)
    await untilListed()
    expect(await readiness()).to.deep.equal({ status: 200, disk: 'ok' })
    expect(await world!.metric('baoco_disk_full')).to.equal(0)
    expect(await world!.metric('baoco_disk_free_bytes')).to.be.within(1, 320 * 1024 ** 2)

    disk!.fill(12)
    await eventually(refusedForTheDisk, { what: 'a refusal that names the disk' })
    const { status, error, message, retryAfter } = await post()
    expect([status, error, retryAfter]).to.deep.equal([503, 'STORE_UNAVAILABLE', '30'])
    expect(message).to.equal('Nothing was accepted, because the disk is full. Send the request again later.')
    expect(await readiness()).to.deep.equal({ status: 503, disk: 'unavailable' })
    expect(await world!.metric('baoco_disk_full')).to.equal(1)
    expect(linesOf(world!, 'disk.full')).to.equal(1)
    expect((await world!.api('GET', '/api/transactions')).body.total).to.be.at.least(5)
    await eventually(async () => (await open()).join() === 'disk:10,disk:5', { within: 60_000, what: 'both alerts' })
  })

  it('ends with its cause, and nothing acknowledged is lost', async () => {
    disk!.clear()
    await eventually(accepted, { what: 'an accepted notification' })
    await eventually(async () => (await readiness()).status === 200)
    await eventually(() => linesOf(world!, 'disk.has_space') === 1, { what: 'the line about the end' })
    await eventually(async () => (await open()).length === 0, { within: 60_000, what: 'the end of the alerts' })
    await untilListed()
  })

  it('stays named if not a single byte is left, and the database continues by itself', async () => {
    let isOver = false
    const load = (async () => {
      while (!isOver) await post().catch(() => {})
    })()
    disk!.fill(0)
    await eventually(refusedForTheDisk, { within: 60_000, what: 'a refusal that names the disk' })
    expect((await readiness()).disk).to.equal('unavailable')
    disk!.clear()
    const before = acknowledged.length
    await eventually(() => acknowledged.length > before + 5, { within: 60_000, what: 'accepted notifications' })
    isOver = true
    await load
    await untilListed()
  })
})

describe('a full disk of your own Postgres', () => {
  let database: TestDatabase
  let world: World | undefined
  let mailServer: TestMailServer
  const { post, accepted, refusedForTheDisk, untilListed, readiness } = usersOf(() => world!)

  before(async () => {
    ;[database, mailServer] = await Promise.all([emptyDatabase(), startMailServer()])
    const SMTP_URL = `smtp://127.0.0.1:${mailServer.port}`
    world = await World.open({
      servers: async () => ({ env: { DATABASE_URL: database.url, SMTP_URL, ...secrets() }, close: async () => {} }),
    })
  })
  after(async () => {
    await world?.close()
    await mailServer.close()
    await database.drop()
  })

  const lowDisks = async () => {
    const { body } = await world!.api('GET', '/api/operator/status')
    return (body.data as { disk: { low: object[] } }).disk.low
  }
  const aboutDisk = () => mailServer.mails.filter(({ subject }) => subject!.includes('disk'))

  /** The error of Postgres when it cannot extend a table. */
  const refuseFor = async (table: string, work: () => Promise<void>): Promise<void> => {
    const server = openDatabase(database.url, { poolSize: 1 })
    try {
      await server.query(`
        CREATE OR REPLACE FUNCTION public.no_space() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER no_space BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION public.no_space()`)
      await work()
      await server.query(`DROP TRIGGER no_space ON ${table}`)
    } finally {
      await server.close()
    }
  }

  it('is named at once in the answer to a write and in /readyz, until a write succeeds', async () => {
    expect(await accepted()).to.equal(true)
    await refuseFor('store.event', async () => {
      const began = performance.now()
      expect(await refusedForTheDisk()).to.equal(true)
      expect(performance.now() - began, 'ms').to.be.below(3_000)
      const { status, error, retryAfter } = await post()
      expect([status, error, retryAfter]).to.deep.equal([503, 'STORE_UNAVAILABLE', '30'])
      expect(await readiness()).to.deep.equal({ status: 503, disk: 'unavailable' })
      expect(await world!.metric('baoco_disk_full')).to.equal(1)
      expect(linesOf(world!, 'disk.full')).to.equal(1)
      expect(await lowDisks()).to.deep.equal([{ disk: 'postgres', free_bytes: null, full: true, refusing: true }])
      // It does not wait in the outbox, which is on that disk.
      await refuseFor('ops.outbox', async () => {
        await eventually(() => aboutDisk().length > 0, { what: 'a mail to the operator' })
      })
    })
    const [mail] = aboutDisk()
    expect(mail!.subject).to.equal('Baoco: the disk is full, and nothing new is accepted')
    expect(mail!.to).to.deep.include({ text: 'owner@baoco.local' })
    expect(await accepted()).to.equal(true)
    expect(await readiness()).to.deep.equal({ status: 200, disk: 'ok' })
    await eventually(() => linesOf(world!, 'disk.has_space') === 1, { what: 'the line about the end' })
    await untilListed()
  })

  it('that affects only the read models is named too; payments are accepted, and the log has few lines', async () => {
    const lines = () => linesOf(world!, 'projection.away') + linesOf(world!, 'trouble')
    await refuseFor('read_model.transaction', async () => {
      await eventually(async () => (await accepted()) && (await readiness()).disk === 'unavailable', {
        what: 'a disk that is named',
      })
      for (let n = 0; n < 20; n++) expect(await accepted()).to.equal(true)
      expect(await readiness()).to.deep.equal({ status: 200, disk: 'unavailable' })
      expect(await world!.metric('baoco_server_disk_full')).to.equal(1)
      expect(await world!.metric('baoco_disk_full')).to.equal(0)
      expect(world!.baoco.output()).to.match(/"level":"error".*"server":"postgres","event":"disk.full"/)
      expect(linesOf(world!, 'disk.full')).to.equal(2)
      expect(lines()).to.be.below(3)
      expect(await lowDisks()).to.deep.equal([{ disk: 'postgres', free_bytes: null, full: true, refusing: false }])
    })
    // The operator has the first mail of this hour already.
    expect(aboutDisk()).to.have.length(1)
    await untilListed()
  })
})
