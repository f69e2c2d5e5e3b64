import { expect } from 'chai'
import { problemText } from '../../../web/app/problem-text.ts'
import { problems as vi } from '../../../web/texts/vi/problems.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

const MAILBOX = { email: 'Shop@Example.com', host: 'imap.example.com', password: 'abcd efgh ijkl mnop' }

describe('mail accounts', function () {
  let api: ApiUnderTest
  before(async () => (api = await openApi()))
  after(() => api.close())

  const add = (key: string, more: object = {}) =>
    api.ask('POST', '/api/mail-accounts', { key, json: { ...MAILBOX, ...more } })

  it('are added with defaults, and their password is never returned or stored in plain text', async () => {
    const { user_id, api_key: key } = await api.newAccount('one@example.com')
    const { status, body } = await add(key)
    expect(status).to.equal(201)
    expect(body.data).to.deep.equal({
      id: body.data.id, email: 'shop@example.com', host: 'imap.example.com', port: 993, tls: true,
      username: 'Shop@Example.com', folder: 'INBOX', is_active: 1, authserv_id: null, last_error: null,
      last_message_at: null, last_heard_at: null, usual_pause_s: null, silent_since: null, created_at: body.data.created_at,
    }) // prettier-ignore
    const path = `/api/mail-accounts/${body.data.id}`
    expect((await api.ask('GET', '/api/mail-accounts', { key })).body.data).to.deep.equal([body.data])
    expect((await api.ask('GET', path, { key })).body.data).to.deep.equal(body.data)
    const [events] = await api.store.read([{ stream: `account-${user_id}` }])
    // This part of the password cannot occur in a hexadecimal id by chance.
    expect(JSON.stringify(events)).to.not.include('efgh')

    const changed = await api.ask('PUT', path, { key, json: { ...body.data, is_active: 0, password: 'another one' } })
    expect(changed.body.data).to.deep.equal({ ...body.data, is_active: 0 })
    expect((await api.ask('DELETE', path, { key })).body.success).to.equal(true)
    expect((await api.ask('GET', path, { key })).status).to.equal(404)
    expect((await api.ask('POST', `${path}/test`, { key })).status).to.equal(404)
  })

  it('are not accessible to other users', async () => {
    const mine = await api.newAccount('mine@example.com')
    const other = await api.newAccount('theirs@example.com')
    const { body } = await add(mine.api_key)
    const path = `/api/mail-accounts/${body.data.id}`
    for (const [method, at] of [['GET', path], ['PUT', path], ['DELETE', path], ['POST', `${path}/test`]] as const)
      expect((await api.ask(method, at, { key: other.api_key, ...(method === 'GET' ? {} : { json: {} }) })).status, method).to.equal(404)
  }) // prettier-ignore

  for (const [plan, limit] of [
    ['Free', 0],
    ['Basic', 1],
    ['Advanced', 3],
    ['Pro', 10],
  ] as const)
    it(`are limited to ${limit} by the plan ${plan}, even with parallel calls`, async () => {
      const { api_key: key } = await api.newAccount(`${plan}@example.com`, plan)
      const answers = await Promise.all(Array.from({ length: limit + 4 }, (_, n) => add(key, { username: `box-${n}` })))
      expect(answers.filter(({ status }) => status === 201)).to.have.length(limit)
      const refused = answers.filter(({ status }) => status === 403)
      expect(refused).to.have.length(4)
      for (const { body } of refused)
        expect(body).to.include({ success: false, error: 'MAIL_ACCOUNT_LIMIT_REACHED', plan, limit })
    })

  it('cannot contain the same mailbox folder twice', async () => {
    const { api_key: key } = await api.newAccount('twice@example.com')
    expect((await add(key)).status).to.equal(201)
    expect((await add(key)).status).to.equal(409)
    expect((await add(key, { folder: 'Bank' })).status).to.equal(201)
  })

  const wrong: Record<string, [object, string]> = {
    'an address that is none': [{ email: 'shop' }, 'email'],
    'no password': [{ password: '' }, 'password'],
    'a password that would be a command': [{ password: 'a\r\nb LOGOUT' }, 'password'],
    'a host that is none': [{ host: 'a b' }, 'host'],
    'a host of dots': [{ host: '..' }, 'host'],
    'a host with an address of its own': [{ host: '169.254.169.254' }, 'host'],
    'a port that is none': [{ port: 70_000 }, 'port'],
    'a field that nobody knows': [{ smtp: true }, 'smtp'],
  }
  for (const [what, [given, path]] of Object.entries(wrong))
    it(`refuse ${what}`, async () => {
      const { status, body } = await add(api.owner.api_key, given)
      expect(status).to.equal(400)
      expect(body.issues[0].path).to.equal(path)
    })

  it('are not changed to what cannot be added', async () => {
    const { api_key: key } = await api.newAccount('changes@example.com')
    const { id } = (await add(key)).body.data
    for (const [what, [json, path]] of Object.entries(wrong)) {
      const { status, body } = await api.ask('PUT', `/api/mail-accounts/${id}`, { key, json })
      expect([status, body.issues?.[0].path], what).to.deep.equal([400, path])
    }
  })

  it('keep a host that is no longer allowed while other fields are changed', async () => {
    const { user_id, api_key: key } = await api.newAccount('inside@example.com')
    const { id, folder: _, ...fields } = (await add(key)).body.data
    const host = '169.254.1.1'
    await api.decree(user_id, { type: 'MailAccountChanged', data: { user_id, mail_account_id: id, host } })
    const put = async (json: object) => (await api.ask('PUT', `/api/mail-accounts/${id}`, { key, json })).body
    expect((await put({ ...fields, host, is_active: 0 })).data).to.include({ host, is_active: 0 })
    expect((await put({ host: '169.254.1.2' })).issues[0].path).to.equal('host')
  })

  it('say what is wrong with a host that includes the port', async () => {
    const { body } = await add(api.owner.api_key, { host: 'imap.example.com:993' })
    const message = 'This is not a valid host name. The port has its own field.'
    expect(body.issues).to.deep.equal([{ path: 'host', message }])
    expect(problemText(vi, message)).to.equal('Đây không phải là tên máy chủ. Cổng có ô riêng.')
  })
})
