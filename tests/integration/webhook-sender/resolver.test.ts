/** The choice of DNS servers. */
import { expect } from 'chai'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Resolver } from 'node:dns/promises'
import { bestTime, timeOf } from '../../harness/best-time.ts'
import { openResolver } from '../../../adapters/webhook-sender/resolver.ts'

/** Answers queries for IPv4 addresses with this address, which may be kept for some seconds, or says that no name exists. */
const reply = (query: Buffer, address: string | null, seconds: number): Buffer => {
  const endOfName = query.indexOf(0, 12)
  const question = query.subarray(12, endOfName + 5)
  const isFound = address !== null && query.readUInt16BE(endOfName + 1) === 1
  const head = Buffer.from([...query.subarray(0, 2), 0x81, address === null ? 0x83 : 0x80, 0, 1, 0, isFound ? 1 : 0, 0, 0, 0, 0]) // prettier-ignore
  const record = isFound ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, seconds, 0, 4, ...address.split('.').map(Number)] : []
  return Buffer.concat([head, question, Buffer.from(record)])
}

describe('the resolver of webhooks and mailboxes', () => {
  const closing: (() => unknown)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  /** @param dropsIpv6  it gives no answer to queries for IPv6 addresses, like some routers and firewalls */
  const dnsServer = async (address: string | null, dropsIpv6 = false) => {
    const socket = createSocket('udp4')
    const server = { at: '', queries: 0, address, seconds: 5 }
    socket.on('message', (query, from) => {
      server.queries++
      if (dropsIpv6 && query.readUInt16BE(query.indexOf(0, 12) + 1) !== 1) return
      socket.send(reply(query, server.address, server.seconds), from.port, from.address)
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    server.at = `127.0.0.1:${socket.address().port}`
    closing.push(() => socket.close())
    return server
  }

  /** The machine's setting, which a new resolver reads when it is made. */
  const machine = (first: { at: string }) => {
    const setting = { server: first.at, readings: 0 }
    const resolve = openResolver(() => {
      setting.readings++
      const servers = new Resolver({ timeout: 100, tries: 1 })
      servers.setServers([setting.server])
      return servers
    })
    return { setting, resolve }
  }

  const failure = (error: Error) => error

  it('finds this machine under localhost, and asks no server', async () => {
    const server = await dnsServer('10.0.0.7')
    const { resolve } = machine(server)
    expect(await resolve('shop.localhost')).to.deep.equal(['127.0.0.1', '::1'])
    expect(server.queries).to.equal(0)
    expect(await resolve('shop.notlocalhost')).to.deep.equal(['10.0.0.7'])
  })

  it('asks the new servers in the same lookup if the machine has changed networks', async () => {
    const [home, office] = [await dnsServer(null), await dnsServer('10.0.0.7')]
    const { setting, resolve } = machine(home)
    setting.server = office.at
    expect(await resolve('shop.test-network')).to.deep.equal(['10.0.0.7'])
    expect([home.queries, office.queries]).to.deep.equal([2, 2])
    expect(await resolve('other.test-network')).to.deep.equal(['10.0.0.7'])
    expect(home.queries).to.equal(2)
  })

  it('asks the new servers if the old ones no longer answer, for all lookups that wait', async () => {
    const office = await dnsServer('10.0.0.7')
    const silent = createSocket('udp4').bind(0, '127.0.0.1')
    await once(silent, 'listening')
    closing.push(() => silent.close())
    const { setting, resolve } = machine({ at: `127.0.0.1:${silent.address().port}` })
    setting.server = office.at
    const names = ['a', 'b', 'c'].map((name) => `${name}.test-network`)
    expect(await Promise.all(names.map(resolve))).to.deep.equal(names.map(() => ['10.0.0.7']))
    expect(setting.readings).to.equal(2)
  })

  it('does not wait long for IPv6 addresses if the servers give no answer about them', async () => {
    const home = await dnsServer('10.0.0.7', true)
    // The default setting: two seconds, and again.
    const servers = new Resolver({ timeout: 2_000, tries: 2 })
    servers.setServers([home.at])
    const resolved = async () =>
      expect(await openResolver(() => servers)('shop.test-network')).to.deep.equal(['10.0.0.7'])
    expect(await bestTime(2_000, () => timeOf(resolved))).to.be.below(2_000)
  })

  it('asks again about a name that was not found, and about one whose address may no longer be kept', async () => {
    const home = await dnsServer(null)
    const { resolve } = machine(home)
    expect(await resolve('shop.test-network').catch(failure)).to.include({ kind: 'dns' })
    Object.assign(home, { address: '10.0.0.7', seconds: 0 })
    expect(await resolve('shop.test-network')).to.deep.equal(['10.0.0.7'])
    Object.assign(home, { address: '10.0.0.8', seconds: 255 })
    expect(await resolve('shop.test-network')).to.deep.equal(['10.0.0.8'])
    home.address = '10.0.0.9'
    expect(await resolve('shop.test-network')).to.deep.equal(['10.0.0.8'])
  })

  it('asks once if the servers are the same, and rarely reads the setting', async () => {
    const home = await dnsServer(null)
    const { setting, resolve } = machine(home)
    for (let lookup = 1; lookup <= 3; lookup++) {
      expect(await resolve(`${lookup}.test-network`).catch(failure)).to.include({ kind: 'dns' })
      expect(home.queries).to.equal(2 * lookup)
    }
    expect(setting.readings).to.equal(2)
  })
})
