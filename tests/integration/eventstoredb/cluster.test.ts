import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { urlOfNode } from '../../../adapters/event-store/eventstoredb/cluster.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { appended, eventsOf, idsOf, part, streamName } from '../../contract/event-store/harness.ts'
import { bundledScript } from '../../harness/bundled-script.ts'
import { eventually } from '../../harness/eventually.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn, type StandIn } from '../../harness/eventstoredb/server.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

describe('a cluster of EventStoreDB', function () {
  let stores: StandInStores
  const followers: StandIn[] = []
  /** The ids of the events of an erased stream, in order. */
  let ids: string[]

  beforeEach(async () => {
    stores = await openStandInStores()
    const stream = streamName()
    const events = eventsOf(4)
    ids = idsOf(events)
    await appended(stores.store, [part(stream, NO_STREAM, events)])
    await stores.store.erase(stream)
    followers.push(await startStandIn(), await startStandIn())
    for (const { log } of followers) log.follow(stores.standIn.log)
    stores.standIn.others.push(...followers.map(({ port }) => ({ port, isAlive: true })))
  })
  afterEach(async () => {
    await stores.close()
    await Promise.all(followers.splice(0).map((follower) => follower.close()))
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

  it('is scavenged on the nodes that are up, with an error that names the others, and on the others once they are back', async () => {
    const [nowhere = 0] = await freePorts(1)
    const [one, other] = followers as [StandIn, StandIn]
    stores.standIn.others.splice(
      0,
      2,
      { port: nowhere, isAlive: true },
      { port: one.port, isAlive: false },
      { port: other.port, isAlive: true },
    )
    const refused = await stores.store.expire().then(
      () => expect.fail('it has not failed'),
      (error: Error) => error.message,
    )
    expect(refused).to.contain(`127.0.0.1:${nowhere}: `).and.to.contain(`127.0.0.1:${one.port}: it is away`)
    expect(await foundOn(other)).to.deep.equal(ids.slice(-1))
    expect(await foundOn(one)).to.deep.equal(ids)
    stores.standIn.others.splice(0, 3, { port: one.port, isAlive: true }, { port: other.port, isAlive: true })
    await stores.store.expire()
    expect(await foundOn(one)).to.deep.equal(ids.slice(-1))
  })

  it('reports the disk with the least space of all nodes that are up', async () => {
    const [one, other] = followers as [StandIn, StandIn]
    const disk = () => stores.store.disk!()
    one.troubles.drive = { place: '/data', free: 4e9, size: 1e11 }
    other.troubles.drive = { place: '/data', free: 3e9, size: 1e11 }
    expect(await disk()).to.deep.equal({ place: `127.0.0.1:${other.port} /data`, space: { free: 3e9, size: 1e11 } })
    const [nowhere = 0] = await freePorts(1)
    stores.standIn.others.splice(
      0,
      2,
      { port: one.port, isAlive: true },
      { port: other.port, isAlive: false },
      { port: nowhere, isAlive: true },
    )
    expect((await disk())!.space).to.deep.equal({ free: 4e9, size: 1e11 })
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
      expect(urlOfNode(url, node)).to.equal(expected)
    expect(urlOfNode('esdb://a:2113,b:2113', { host: '2001:db8::1', port: 2113 })).to.equal('esdb://[2001:db8::1]:2113')
  })
})

describe('a cluster of EventStoreDB whose nodes cannot be discovered', () => {
  const nodes: StandIn[] = []
  beforeEach(async () => {
    nodes.push(await startStandIn(), await startStandIn())
  })
  afterEach(() => Promise.all(nodes.splice(0).map((node) => node.close())))

  const isSurvived = async (gossip: 'silent' | 'leaderless', options: string): Promise<void> => {
    for (const { troubles } of nodes) troubles.gossip = gossip
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
    const script = fileURLToPath(new URL('undiscovered.ts', import.meta.url))
    const child = spawn(process.execPath, [await bundledScript(script), `esdb://${hosts}?tls=false&${options}`])
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const ended = once(child, 'exit')
    try {
      await eventually(() => child.exitCode !== null || printed.includes('unavailable\n'), { within: 60_000 })
      for (const { troubles } of nodes) troubles.gossip = 'answers'
      await ended
      expect(child.exitCode, printed).to.equal(0)
      expect(printed).to.match(/^(unavailable\n)+answered\n$/)
    } finally {
      child.kill('SIGKILL')
    }
  }

  it('does not end the process if its nodes are frozen, which continues by itself afterwards', () =>
    isSurvived('silent', 'gossipTimeout=1&maxDiscoverAttempts=2'))

  it('does not end the process if it has no leader, which continues by itself afterwards', () =>
    isSurvived('leaderless', 'discoveryInterval=700&maxDiscoverAttempts=6'))

  it('is used although one of its nodes is frozen', async () => {
    nodes[0]!.troubles.gossip = 'silent'
    const url = `esdb://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`
    for (let n = 0; n < 4; n++) {
      const store = await openEventStoreDb({ url, prefix: 'test.', parse: unparsed })
      await appended(store, [part(streamName(), NO_STREAM)])
      await store.close()
    }
  })
})
