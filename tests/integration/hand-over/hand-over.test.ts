import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { keyOf } from '../../../adapters/hand-over/messages.ts'
import { addressToDatabase, openPeers, type Peers } from '../../../adapters/hand-over/peers.ts'
import { listenForPeers } from '../../../adapters/hand-over/server.ts'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { OwnerLost } from '../../../workflows/capture/hand-over.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { errorOf } from '../../harness/outcomes.ts'

const arrival = (user_id: number): Arrival => ({
  credential: { kind: 'device', user_id, token_hash: 'x' },
  incoming: { text: 'Số dư\n+1', sender: 'Vietcombank' },
  posted_as: 'sms',
  stamp: new Date(1_700_000_000_000),
  arrived_at: new Date(1_700_000_000_123),
  raw: '{}',
})
const USERS = Array.from({ length: 20 }, (_, n) => n + 1)

describe('processes that hand notifications over', function () {
  const key = keyOf('an installation', 'its secret')
  let test: TestDatabase
  let database: Database
  const opened: Peers[] = []
  before(async () => {
    test = await freshDatabase()
    database = openDatabase(test.url)
  })
  beforeEach(() => database.query('DELETE FROM ops.lease'))
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))
  after(async () => {
    await database?.close()
    await test?.drop()
  })

  type Take = (arrivals: readonly Arrival[], waitedMs: number) => Promise<Taken[]>
  const named =
    (reason: string): Take =>
    async (arrivals) =>
      arrivals.map(() => ({ kind: 'ignored', reason }))
  const open = async (take: Take, options: Partial<Parameters<typeof openPeers>[0]> = {}): Promise<Peers> => {
    const peers = await openPeers({
      database, key, process: 'test', take, listenOn: { host: '127.0.0.1', port: 0 }, onFailure: (error) => { throw error }, ...options,
    }) // prettier-ignore
    opened.push(peers)
    return peers
  }
  /** A user that another process owns, once that process is known. */
  const foreign = (peers: Peers): Promise<number> =>
    eventually(() => USERS.find((user) => peers.ownerOf(user)), { what: 'an account of another process' })

  it('agree on the owner of every account', async () => {
    const [one, other] = [await open(named('one')), await open(named('other'))]
    await foreign(one)
    await foreign(other)
    for (const user of USERS)
      expect(one.ownerOf(user) === null, `account ${user}`).to.equal(other.ownerOf(user) !== null)
    expect(new Set(USERS.map((user) => one.ownerOf(user) === null)).size).to.equal(2)
  })

  it('hand over all that a notification has, and get its answers', async () => {
    const taken: unknown[] = []
    await open(async (arrivals, waitedMs) => {
      taken.push(...arrivals, waitedMs)
      return arrivals.map(() => ({ kind: 'unauthorized' }))
    })
    const other = await open(named('here'))
    const user = await foreign(other)
    expect(await other.ownerOf(user)!.take([arrival(user), arrival(user)], 70)).to.deep.equal([
      { kind: 'unauthorized' },
      { kind: 'unauthorized' },
    ])
    expect(taken).to.deep.equal([arrival(user), arrival(user), 70])
  })

  it('hand over many large notifications at a time', async () => {
    const large = (n: number) => ({ ...arrival(n), raw: `${n} `.repeat(100_000) })
    await open(async ([one]) => [{ kind: 'ignored', reason: one!.raw.slice(0, 10) }])
    const other = await open(named('here'))
    const owner = other.ownerOf(await foreign(other))!
    const taken = await Promise.all(Array.from({ length: 30 }, (_, n) => owner.take([large(n)], 0)))
    expect(taken).to.deep.equal(
      Array.from({ length: 30 }, (_, n) => [{ kind: 'ignored', reason: large(n).raw.slice(0, 10) }]),
    )
  })

  it('report that the owner could not store something', async () => {
    await open(() => Promise.reject(new StoreUnavailable('the store is away')))
    const other = await open(named('here'))
    const user = await foreign(other)
    expect(await errorOf(other.ownerOf(user)!.take([arrival(user)], 0))).to.be.instanceOf(StoreUnavailable)
  })

  it('lose an owner that stops only after it has answered what it was given', async () => {
    let answer!: (taken: Taken[]) => void
    const stopping = await open(() => new Promise((resolve) => (answer = resolve)))
    const other = await open(named('here'))
    const user = await foreign(other)
    const taken = other.ownerOf(user)!.take([arrival(user)], 0)
    await eventually(() => answer as unknown)
    const closed = stopping.close()
    await eventually(() => other.ownerOf(user) === null)
    answer([{ kind: 'ignored', reason: 'there' }])
    expect(await taken).to.deep.equal([{ kind: 'ignored', reason: 'there' }])
    await closed
  })

  it('receive nothing from others if they only hand over', async () => {
    const receiver = await open(named('receiver'))
    const collector = await open(named('collector'), { listenOn: null })
    for (const user of USERS) expect(collector.ownerOf(user)).not.to.equal(null)
    for (const user of USERS) expect(receiver.ownerOf(user)).to.equal(null)
  })

  it('lose an owner that goes silent, and get back what it has not answered', async () => {
    // It lets the connection through to the owner, until the test makes it keep everything.
    const owner = await listenForPeers({ host: '127.0.0.1', port: 0, key, take: () => new Promise(() => {}), isKnown: async () => true, onPeer: () => {} }) // prettier-ignore
    const links: { pause(): unknown; destroy(): unknown }[] = []
    const proxy = createServer((socket) => {
      const behind = createConnection(owner.port, '127.0.0.1')
      for (const link of [socket, behind]) links.push(link.on('error', () => {}))
      socket.pipe(behind).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const LEASE = `INSERT INTO ops.lease (name, holder, expires_at) VALUES ($1, 'ffffffff-ffff-4fff-bfff-ffffffffffff', now() + interval '10 s')`
    await database.query(LEASE, [`receive 127.0.0.1 ${port} ${hostname()}`])
    const collector = await open(named('collector'), { listenOn: null })
    const user = await foreign(collector)
    const taken = errorOf(collector.ownerOf(user)!.take([arrival(user)], 0))
    for (const link of links) link.pause()
    expect(await taken).to.be.instanceOf(OwnerLost)
    expect(collector.ownerOf(user)).to.equal(null)
    for (const link of links) link.destroy()
    proxy.close()
    void owner.close()
  })

  it('keep an owner if they were frozen themselves', async () => {
    let answer!: (taken: Taken[]) => void
    await open(() => new Promise((resolve) => (answer = resolve)))
    const other = await open(named('here'))
    const user = await foreign(other)
    const taken = other.ownerOf(user)!.take([arrival(user)], 0)
    await eventually(() => answer as unknown)
    // Both freeze four times. Together that is longer than an owner may be silent.
    for (let freezes = 0; freezes < 4; freezes++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
      // The timer that looks at the connection is due first.
      await pause(0)
    }
    answer([{ kind: 'ignored', reason: 'there' }])
    expect(await taken).to.deep.equal([{ kind: 'ignored', reason: 'there' }])
  })

  it('let nobody in without the key of the installation', async () => {
    let took = 0
    const server = await listenForPeers({
      host: '127.0.0.1',
      port: 0,
      key,
      take: async () => (took++, []),
      isKnown: async () => false,
      onPeer: () => took++,
    })
    const refused = async (options: object): Promise<void> => {
      const socket = connectTls({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options })
      socket.once('secureConnect', () => socket.write('[{"n":1,"arrivals":[],"waitedMs":0}]\n'))
      await new Promise<void>((resolve) => socket.once('close', () => resolve()).on('error', () => {}))
    }
    const psk = { ciphers: 'ECDHE-PSK-CHACHA20-POLY1305', maxVersion: 'TLSv1.2', checkServerIdentity: () => undefined }
    await refused({})
    for (const [given, identity] of [
      [randomBytes(32), 'baoco 0.1.0'],
      [keyOf('another installation', 'its secret'), 'baoco 0.1.0'],
      [key, 'baoco of another release'],
    ] as const)
      await refused({ ...psk, pskCallback: () => ({ psk: given, identity }) })
    const plain = createConnection(server.port, '127.0.0.1')
    plain.on('error', () => {}).write('[{"n":1,"arrivals":[],"waitedMs":0}]\n')
    await new Promise<void>((resolve) => plain.once('close', () => resolve()))
    expect(took).to.equal(0)
    await server.close()
  })

  /** Each look renews a lease and connects again. */
  const anotherLook = async (processes: number): Promise<void> => {
    const looks = `SELECT FROM ops.lease WHERE process = 'test' AND expires_at > $1::timestamptz + interval '0.5 s'`
    const [{ now } = { now: '' }] = await database.query<{ now: string }>(
      `SELECT max(expires_at) AS now FROM ops.lease WHERE process = 'test'`,
    )
    await eventually(async () => (await database.query(looks, [now])).length >= processes, {
      what: 'another look of each',
    })
  }

  it('report once that another process is lost, although its lease is still valid', async () => {
    const seen: boolean[] = []
    const host = '127.0.0.1'
    const isKnown = () => Promise.resolve(true)
    const other = await listenForPeers({ host, port: 0, key, take: named('other'), isKnown, onPeer: () => {} })
    await database.query(
      `INSERT INTO ops.lease (name, holder, expires_at, process) VALUES ($1, $2, now() + interval '10 s', 'another')`,
      [`receive ${host} ${other.port} ${hostname()}`, randomUUID()],
    )
    await open(named('this'), { onPeer: (_, isThere) => seen.push(isThere) })
    await eventually(() => seen.length === 1, { what: 'the other process' })
    await other.close()
    await eventually(() => seen.length === 2, { what: 'its loss' })
    for (let look = 0; look < 2; look++) await anotherLook(1)
    expect(seen).to.deep.equal([true, false])
  })

  it('report once that another process has a different key, and go on alone', async () => {
    const seen: string[] = []
    const say = { onPeer: () => seen.push('peer'), onForeign: () => seen.push('foreign') }
    await open(named('first'), say)
    await open(named('second'), { ...say, key: keyOf('an installation', 'another secret') })
    await eventually(() => seen.length >= 2, { what: 'both sides that know' })
    await anotherLook(2)
    expect(seen).to.deep.equal(['foreign', 'foreign'])
  })

  it('hand nothing over from a copy of the installation, whose database has the leases of the original', async () => {
    const original = await open(named('original'))
    const copied = await freshDatabase()
    const copy = openDatabase(copied.url)
    for (const row of await database.query<{ name: string; holder: string }>('SELECT name, holder FROM ops.lease'))
      await copy.query(`INSERT INTO ops.lease (name, holder, expires_at) VALUES ($1, $2, now() + interval '10 s')`, [
        row.name,
        row.holder,
      ])
    const lost: string[] = []
    const stranger = await open(named('copy'), {
      database: copy,
      onPeer: (address, isThere) => lost.push(isThere ? 'found' : address),
    })
    await eventually(() => lost.length > 0, { what: 'the end of its connection' })
    expect(lost).not.to.include('found')
    for (const user of USERS) expect([stranger.ownerOf(user), original.ownerOf(user)]).to.deep.equal([null, null])
    await opened.splice(opened.indexOf(stranger), 1)[0]!.close()
    await copy.close()
    await copied.drop()
  })

  it('remove the leases of processes that ended long ago', async () => {
    for (const name of ['receive 127.0.0.1 1 there', 'hand over x', 'another lease'])
      await database.query(
        `INSERT INTO ops.lease (name, holder, expires_at) VALUES ($1, '11111111-1111-4111-8111-111111111111', now() - interval '2 days')`,
        [name],
      )
    await open(named('here'))
    const rows = await database.query<{ name: string }>(
      `SELECT name FROM ops.lease WHERE holder = '11111111-1111-4111-8111-111111111111'`,
    )
    expect(rows.map(({ name }) => name)).to.deep.equal(['another lease'])
  })

  it('find the address that reaches the database', async () => {
    expect(await addressToDatabase(database)).to.equal('127.0.0.1')
    expect(await addressToDatabase({ query: async () => [{ host: '192.0.2.1' }] as never })).to.equal(null)
  })
})
