/**
 * Attack: 100 simultaneous writes of several kinds to one account, while another process writes to it too. Each succeeds or is refused with
 * 409. None ends as a fault of the service (500), and none is lost.
 */
import { expect } from 'chai'
import { parseEvent } from '../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import type { EventStore } from '../../domain/ports.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import type { Answer } from '../integration/http/ask.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'

const PARALLEL = 100

describe('attack: 100 parallel writes to one account', () => {
  let api: ApiUnderTest
  let elsewhere: EventStore
  let key: string
  let user_id: number
  let rule: number

  before(async () => {
    api = await openApi({}, 'real')
    elsewhere = await openPostgresEventStore({ url: api.databaseUrl, parse: parseEvent })
    ;({ api_key: key, user_id } = api.owner)
    const { body } = await api.ask('POST', '/api/webhooks', {
      key,
      json: { name: 'shop', url: 'http://127.0.0.1:9/w' },
    })
    rule = body.data.id as number
  })
  after(async () => {
    await elsewhere.close()
    await api.close()
  })

  const inParallel = (write: (n: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: PARALLEL }, (_, n) => write(n)))

  const statuses = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].sort()

  /** Renames trusted senders repeatedly, as another process, until it is stopped. */
  const otherProcess = () => {
    const accounts = new Accounts(elsewhere)
    let isRunning = true
    let written = 0
    const running = (async () => {
      while (isRunning) {
        const occasion = { user_id, at: new Date(), correlation_id: 'other', causation_id: 'other' }
        const trusted_senders = [`OTHER${written}`]
        await accounts
          .change(occasion, () => [{ type: 'TrustedSendersSet', data: { user_id, trusted_senders } }])
          .then(
            () => written++,
            () => {},
          )
      }
    })()
    return {
      written: () => written,
      stop: async () => {
        isRunning = false
        await running
      },
    }
  }

  it('all succeed for changes of one resource', async () => {
    const answers = await inParallel((n) =>
      api.ask('PUT', `/api/webhooks/${rule}`, { key, json: { name: `shop ${n}` } }),
    )
    expect(statuses(answers)).to.deep.equal([200])
  })

  it('never create one resource twice', async () => {
    const answers = await inParallel((n) =>
      api.ask('POST', '/api/inbox', { key, json: undefined, headers: { 'x-n': `${n}` } }),
    )
    expect(statuses(answers).every((status) => [201, 409].includes(status))).to.equal(true)
    const ids = answers.flatMap(({ status, body }) => (status === 201 ? [body.data.id as number] : []))
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('succeed or end with 409 if they are of many kinds while another process writes', async () => {
    const other = otherProcess()
    const kinds: ((n: number) => Promise<Answer>)[] = [
      (n) => api.ask('PUT', `/api/webhooks/${rule}`, { key, json: { name: `again ${n}` } }),
      (n) => api.ask('PUT', '/api/account/trusted-senders', { key, json: { trusted_senders: [`S${n}`] } }),
      () => api.ask('POST', '/api/counter', { key }),
      (n) => api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url: `http://127.0.0.1:9/${n}` } }),
      () => api.ask('POST', '/api/bank-accounts/learn', { key }),
    ]
    const answers: Answer[] = []
    // A write of the other process can lose every conflict of one round, so rounds follow until one of its writes has succeeded.
    await eventually(async () => {
      answers.push(...(await inParallel((n) => kinds[n % kinds.length]!(n))))
      return other.written() > 0
    }).finally(other.stop)
    for (const { status, body } of answers) expect([200, 201, 409], JSON.stringify(body)).to.include(status)
    expect(answers.filter(({ status }) => status !== 409).length, 'done').to.be.greaterThan(0)
  })

  it('let only one of several retries of one transaction succeed', async () => {
    await api.ask('PUT', `/api/webhooks/${rule}`, { key, json: { is_active: 0 } })
    const path = `/api/receive/u/${api.owner.receive_token}`
    const text = vietcombankText(1, 'DH1042')
    const { id } = (await api.ask('POST', path, { json: { sender: 'Vietcombank', text } })).body.data as { id: number }
    await api.ask('PUT', `/api/webhooks/${rule}`, { key, json: { is_active: 1 } })
    const answers = await inParallel(() => api.ask('POST', `/api/transactions/${id}/retry`, { key }))
    expect(statuses(answers).filter((status) => ![200, 409].includes(status))).to.deep.equal([])
    expect(answers.filter(({ status }) => status === 200).length).to.be.greaterThan(0)
    await eventually(async () => {
      const { body } = await api.ask('GET', `/api/transactions/${id}`, { key })
      return body.data?.webhook_status === 'pending'
    })
  })
})
