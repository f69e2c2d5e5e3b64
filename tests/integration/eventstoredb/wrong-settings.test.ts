import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Connection } from '../../../adapters/event-store/eventstoredb/connection.ts'
import { errorOf } from '../../harness/outcomes.ts'
import { request } from '../../../adapters/event-store/eventstoredb/http.ts'
import { startOwnStandIn, type OwnStandIn } from '../../harness/eventstoredb/process.ts'
import { secure, type Secured } from '../../harness/eventstoredb/secured.ts'
import { CERTIFICATE, KEY } from '../../harness/kafka/certificate.ts'

describe('the message about a wrong part of EVENTSTORE_URL', () => {
  let folder: string
  let standIn: OwnStandIn
  let server: Secured
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baoco-wrong-'))
    await writeFile(join(folder, 'ca.crt'), CERTIFICATE)
    await writeFile(join(folder, 'empty.crt'), '')
    standIn = await startOwnStandIn()
    server = await secure(standIn.port, { certificate: CERTIFICATE, key: KEY }, ['baoco', 'right'])
  })
  after(async () => {
    await server?.close()
    await standIn?.remove()
    await rm(folder, { recursive: true })
  })

  const messageOf = async (url: string): Promise<string> => {
    let connection: Connection | undefined
    try {
      connection = new Connection(url, 30_000, { onFailure() {}, onRecovery() {} })
      await connection.call(({ client }) => client.readAll({ maxCount: 1 })[Symbol.asyncIterator]().next())
      return 'none'
    } catch (error) {
      return (error as Error).message
    } finally {
      await connection?.close()
    }
  }

  it('is absent if nothing is wrong', async () => {
    expect(await messageOf(`esdb://127.0.0.1:${standIn.port}?tls=false`)).to.equal('none')
    expect(await messageOf(`esdb://baoco:right@localhost:${server.port}?tlsCAFile=${folder}/ca.crt`)).to.equal('none')
  })

  it('does not end a connection whose certificate file is missing while its client is replaced', async () => {
    const [file, away] = [`${folder}/passing.crt`, `${folder}/away.crt`]
    await copyFile(`${folder}/ca.crt`, file)
    const failures: unknown[] = []
    const url = `esdb://baoco:right@localhost:${server.port}?tlsCAFile=${file}`
    const connection = new Connection(url, 30_000, { onFailure: (error) => failures.push(error), onRecovery() {} })
    const read = () => connection.call(({ client }) => client.readAll({ maxCount: 1 })[Symbol.asyncIterator]().next())
    try {
      await read()
      const link = await connection.link()
      await rename(file, away)
      connection.silent(link)
      expect(failures.map((error) => (error as Error).message)).to.deep.equal([
        `localhost:${server.port}: check tlsCAFile, userCertFile and userKeyFile of EVENTSTORE_URL: Failed to load certificate file. File was not found.`,
      ])
      await read()
      await rename(away, file)
      connection.silent(link)
      expect(await connection.link()).not.to.equal(link)
      await read()
    } finally {
      await connection.close()
    }
  })

  it('is absent if nothing is wrong, also for requests to the HTTP side, which names a wrong password', async () => {
    const statistics = async (url: string): Promise<unknown> => {
      const connection = new Connection(url, 30_000, { onFailure() {}, onRecovery() {} })
      return connection.call((attempt) => request(attempt, 'GET', '/stats')).finally(() => connection.close())
    }
    expect(await statistics(`esdb://127.0.0.1:${standIn.port}?tls=false`)).to.have.property('sys')
    const url = (password: string) => `esdb://baoco:${password}@localhost:${server.port}?tlsCAFile=${folder}/ca.crt`
    const before = server.accepted.http
    expect(await statistics(url('righ%74'))).to.have.property('sys')
    expect(server.accepted.http).to.equal(before + 1)
    expect((await errorOf(statistics(url('wrong'))))?.message).to.equal('/stats: 401 Unauthorized')
  })

  it('names tls', async () => {
    expect(await messageOf(`esdb://baoco:right@localhost:${server.port}?tls=false`)).to.equal(
      `localhost:${server.port}: the server closed the connection: if it uses TLS, remove tls=false`,
    )
    expect(await messageOf(`esdb://localhost:${standIn.port}`)).to.equal(
      `localhost:${standIn.port}: the server speaks no TLS: add ?tls=false`,
    )
  })

  it('names tlsCAFile', async () => {
    const untrusted = `localhost:${server.port}: the server's certificate is not trusted (self-signed certificate): check tlsCAFile`
    const url = `esdb://baoco:right@localhost:${server.port}`
    expect(await messageOf(url)).to.equal(untrusted)
    expect(await messageOf(`${url}?tlsCAFile=${folder}/empty.crt`)).to.equal(untrusted)
    expect(await messageOf(`${url}?tlsCAFile=${folder}/none.crt`)).to.equal(
      'check tlsCAFile, userCertFile and userKeyFile of EVENTSTORE_URL: Failed to load certificate file. File was not found.',
    )
  })

  it('names the user and the password', async () => {
    for (const login of ['baoco:wrong@', ''])
      expect(await messageOf(`esdb://${login}localhost:${server.port}?tlsCAFile=${folder}/ca.crt`)).to.equal(
        `localhost:${server.port}: the server refused the user or the password of EVENTSTORE_URL`,
      )
  })

  it('names the host', async () => {
    expect(await messageOf('esdb://nowhere.invalid:2113')).to.equal(
      'nowhere.invalid:2113: the host name was not found: check the hosts in EVENTSTORE_URL',
    )
    expect(await messageOf('esdb://127.0.0.1:1')).to.equal('127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1')
  })

  it('names an election, hosts, tls and tlsCAFile if no node of a cluster answers', async () => {
    expect(await messageOf('esdb://127.0.0.1:1,127.0.0.1:2?tls=false')).to.equal(
      '127.0.0.1:1,127.0.0.1:2: no node of the cluster can be used: if it is not electing a leader, check hosts, tls and tlsCAFile in EVENTSTORE_URL',
    )
  })
})
