/**
 * Attack: the stored password of a mailbox. With a stolen API key it must not be possible to send the password to another server or port,
 * without encryption, or for another user name.
 */
import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'

const PASSWORD = 'the-mailbox-password'

describe('attack: the password of a mailbox', () => {
  let api: ApiUnderTest
  let thief: Server
  let received = ''

  before(async () => {
    api = await openApi({}, 'real')
    thief = createServer((socket) => {
      socket.on('error', () => {}).setEncoding('utf8')
      socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n')
      socket.on('data', (lines: string) => {
        received += lines
        for (const line of lines.trim().split('\r\n')) socket.write(`${line.split(' ', 1)[0]} OK done\r\n`)
      })
    }).listen(0, '127.0.0.1')
    await once(thief, 'listening')
  })
  beforeEach(() => (received = ''))
  after(async () => {
    thief.close()
    await api.close()
  })

  const mailbox = () => ({
    email: 'shop@example.com',
    host: 'imap.example.com',
    port: 993,
    tls: true,
    username: 'shop',
    password: PASSWORD,
  })
  const add = async (email: string) => {
    const { api_key: key } = await api.newAccount(email)
    const { body } = await api.ask('POST', '/api/mail-accounts', { key, json: mailbox() })
    return { key, path: `/api/mail-accounts/${body.data.id}`, shown: body.data }
  }
  const thiefsPort = () => (thief.address() as AddressInfo).port

  it('is not sent to another server: the change is refused, and a test contacts only the old server', async () => {
    const { key, path, shown } = await add('thief@example.com')
    const json = { host: '127.0.0.1', port: thiefsPort(), tls: false }
    const { status, body } = await api.ask('PUT', path, { key, json })
    expect(status).to.equal(400)
    expect(body.error).to.equal('VALIDATION_FAILED')
    expect(body.issues[0]).to.include({ path: 'password' })
    expect((await api.ask('GET', path, { key })).body.data).to.deep.equal(shown)
    expect((await api.ask('POST', `${path}/test`, { key, json })).status).to.equal(400)
    expect(received).to.equal('')
  })

  it('must be given again with a change of host, port, tls or username, and an empty one does not count', async () => {
    const { key, path } = await add('each@example.com')
    for (const change of [{ host: 'imap.example.org' }, { host: 'imap.example.com.' }, { port: 994 }, { tls: false }, { username: 'boss' }]) {
      const what = JSON.stringify(change)
      const refused = await api.ask('PUT', path, { key, json: change })
      expect([refused.status, refused.body.issues?.[0]?.path], what).to.deep.equal([400, 'password'])
      const empty = await api.ask('PUT', path, { key, json: { ...change, password: '' } })
      expect([empty.status, empty.body.issues?.[0]?.path], what).to.deep.equal([400, 'password'])
    }
    const moved = { host: 'imap.example.org', port: 143, tls: false, username: 'boss', password: 'another' }
    const { status, body } = await api.ask('PUT', path, { key, json: moved })
    expect(status).to.equal(200)
    expect(body.data).to.include({ host: 'imap.example.org', port: 143, tls: false, username: 'boss' })
  }) // prettier-ignore

  it('is not required for unchanged fields, or for fields that do not change its destination', async () => {
    const { key, path, shown } = await add('same@example.com')
    for (const json of [{}, shown, { ...shown, host: 'IMAP.Example.com' }, { folder: 'Bank' }, { is_active: 0 }, { authserv_id: 'mx.example.com' }])
      expect((await api.ask('PUT', path, { key, json })).status, JSON.stringify(json)).to.equal(200)
  }) // prettier-ignore

  it('is sent to a new server only if it was given with that server', async () => {
    const { key, path } = await add('given@example.com')
    const json = { host: '127.0.0.1', port: thiefsPort(), tls: false, password: 'new-one' }
    expect((await api.ask('PUT', path, { key, json })).status).to.equal(200)
    await api.ask('POST', `${path}/test`, { key })
    expect(received).to.include('new-one')
    expect(received).to.not.include(PASSWORD)
  })
})
