import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { urlOfNode } from '../../../adapters/event-store/eventstoredb/cluster.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { appended, eventsOf, idsOf, part, streamName } from '../../contract/event-store/harness.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn, type StandIn } from '../../harness/eventstoredb/server.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

describe('a cluster of EventStoreDB', function () {
  this.timeout(60_000)
  let folder: string
  let stores: StandInStores
  const followers: StandIn[] = []
  /** The ids of the events of an erased stream, in order. */
  let ids: string[]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baoco-cluster-'))
    stores = await openStandInStores(join(folder, 'leader'))
    const stream = streamName()
    const events = eventsOf(4)
    ids = idsOf(events)
    await appended(stores.store, [part(stream, NO_STREAM, events)])
    await stores.store.erase(stream)
    // All nodes of a cluster hold the same events.
    for (const name of ['one', 'other']) {
      await cp(join(folder, 'leader'), join(folder, name), { recursive: true })
      followers.push(await startStandIn({ folder: join(folder, name) }))
    }
    stores.standIn.others.push(...followers.map(({ port }) => ({ port, isAlive: true })))
  })
  afterEach(async () => {
    await stores.close()
    await Promise.all(followers.splice(0).map((follower) => follower.close()))
    await rm(folder, { recursive: true, force: true })
  })

  const foundOn = async ({ port }: StandIn): Promise<string[]> => {
    const store = await stores.another({ url: standInUrl(port) })
    return idsOf(await store.readAll(null, 100)).filter((id) => ids.includes(id))
  }

  it('is scavenged on every node', async () => {
    for (const node of [stores.standIn, ...followers]) expect(await foundOn(node)).to.deep.equal(ids)
    await stores.store.expire()
    for (const node of [stores.standIn, ...followers]) expect(await foundOn(node)).to.deep.equal(ids.slice(-1))
  })

  it('is scavenged on the nodes that are up, with an error that names the others, and on those once they are back', async () => {
    const [nowhere = 0] = await freePorts(1)
    const [one, other] = followers as [StandIn, StandIn]
    stores.standIn.others.splice(0, 2, { port: nowhere, isAlive: true }, { port: one.port, isAlive: false }, { port: other.port, isAlive: true }) // prettier-ignore
    const refused = await stores.store.expire().then(
      () => expect.fail('it was not told of'),
      (error: Error) => error.message,
    )
    expect(refused).to.contain(`127.0.0.1:${nowhere}: `).and.to.contain(`127.0.0.1:${one.port}: it is away`)
    expect(await foundOn(other)).to.deep.equal(ids.slice(-1))
    expect(await foundOn(one)).to.deep.equal(ids)
    stores.standIn.others.splice(0, 3, { port: one.port, isAlive: true }, { port: other.port, isAlive: true })
    await stores.store.expire()
    expect(await foundOn(one)).to.deep.equal(ids.slice(-1))
  })

  it('gives each node a URL with the options of its own URL', () => {
    const node = { host: '10.0.0.7', port: 2113 }
    for (const [url, expected] of [
      ['esdb://a:2113,b:2113,c:2113?tls=false', 'esdb://10.0.0.7:2113?tls=false'],
      [
        'esdb+discover://admin:s%40cret@cluster.example/?tlsCAFile=/ca.pem',
        'esdb://admin:s%40cret@10.0.0.7:2113/?tlsCAFile=/ca.pem',
      ],
      ['kurrentdb://admin:changeit@a:2113,b:2114', 'kurrentdb://admin:changeit@10.0.0.7:2113'],
    ] as const)
      // prettier-ignore
      expect(urlOfNode(url, node)).to.equal(expected)
    expect(urlOfNode('esdb://a:2113,b:2113', { host: '2001:db8::1', port: 2113 })).to.equal('esdb://[2001:db8::1]:2113')
  })
})
