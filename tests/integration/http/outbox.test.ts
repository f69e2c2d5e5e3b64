/** The outbox of mails, which only the operator can read. */
import { expect } from 'chai'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

describe('the outbox', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi()
  })
  after(() => api.close())

  it('is listed for the operator, newest first', async () => {
    const { send } = api.outbox
    await send({ to: 'a@example.com', subject: 'One', text: 'first' })
    await send({ to: 'b@example.com', subject: 'Two', text: 'second' })
    const { status, body } = await api.ask('GET', '/api/outbox', { key: api.owner.api_key })
    expect(status).to.equal(200)
    expect(body.data.map(({ text }: { text: string }) => text)).to.deep.equal(['second', 'first'])
    expect(body.data[0]).to.have.all.keys('id', 'to', 'subject', 'text', 'created_at', 'tries')
    expect(body.data[0]).to.include({ to: 'b@example.com', subject: 'Two', tries: 0 })
  })

  it('does not exist for other users', async () => {
    const { api_key } = await api.newAccount('customer@example.com')
    const { status, body } = await api.ask('GET', '/api/outbox', { key: api_key })
    expect([status, body.error]).to.deep.equal([404, 'NOT_FOUND'])
    expect((await api.ask('GET', '/api/outbox')).status).to.equal(401)
  })
})
