import { expect } from 'chai'
import { HOUR_MS } from '../../../domain/time.ts'
import { openCapture } from '../../../workflows/capture/capture.ts'
import { openIds } from '../../../adapters/system/ids.ts'
import { unreadStream } from '../../../domain/arrival/events.ts'
import { reparse, type Reparsed } from '../../../workflows/capture/reparse.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { captured as capturedFact } from './captured.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

interface Row {
  id: number
  status: string
  reason: string | null
  transaction_id: number | null
  source_type: string
  text?: string | null
}

describe('a received notification', () => {
  let api: ApiUnderTest
  let key: string
  let path: string

  beforeEach(async () => {
    api = await openApi({}, 'real')
    key = api.owner.api_key
    path = `/api/receive/u/${api.owner.receive_token}`
  })
  afterEach(() => api.close())

  const post = (json: unknown) => api.ask('POST', path, { json })
  const list = async (query = ''): Promise<Row[]> =>
    (await api.ask('GET', `/api/notifications${query}`, { key })).body.data as Row[]
  const untilListed = (query: string, count: number) =>
    eventually(
      async () => {
        const rows = await list(query)
        return rows.length === count && { rows }
      },
      { what: `${count} of ${query}` },
    )

  /** Stores a notification as unread, as an older reader would have done. */
  const keepUnread = async (text: string, { hoursAgo = 1, source = 'url:VIETCOMBANK' } = {}): Promise<number> => {
    const id = await api.nextId()
    const { user_id } = api.owner
    const received_at = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString()
    const data = {
      notification_id: id, user_id, source_type: 'api', source, stamp: null, received_at, posted_as: null, text, title: null,
      sender: 'Vietcombank', package: null, from: null, subject: null, raw_data: JSON.stringify({ text }),
    } // prettier-ignore
    const events = stamp([{ type: 'NotificationUnread', data }], {
      user_id,
      at: new Date(received_at),
      correlation_id: 'test',
      causation_id: 'test',
    })
    await api.store.append([[{ stream: unreadStream(id), expectedRevision: -1, events }]])
    return id
  }
  const reparsing = () => {
    const capture = openCapture({ store: api.store, ids: openIds(api), clock: api.clock, plans: null })
    return { store: api.store, capture, clock: api.clock, maxAgeMs: 24 * HOUR_MS }
  }
  const reparseAll = (): Promise<Reparsed> => reparse(reparsing(), new AbortController().signal)
  const makeRule = () =>
    api.ask('POST', '/api/webhooks', { key, json: { name: 'shop', url: 'https://shop.example/webhook' } })
  const transaction = async (id: number) => (await api.ask('GET', `/api/transactions/${id}`, { key })).body.data

  it('is listed by its outcome, and an OTP without its text', async () => {
    await post({ text: vietcombankText(1, 'DH1001'), sender: 'Vietcombank' })
    await post({ text: 'TK 0011000415567 co bien dong la', sender: 'Vietcombank' })
    await post({ text: 'Ma OTP cua quy khach la 123456. Khong chia se ma nay.', sender: 'Vietcombank' })
    await post({ event: 'gateway.heartbeat' })
    const { rows } = await untilListed('?include_raw=1', 4)
    expect(rows.map(({ status, reason }) => reason ?? status).sort()).to.deep.equal([
      'captured',
      'otp',
      'ping',
      'unparsed',
    ])
    expect(rows.find(({ reason }) => reason === 'otp')!.text).to.equal(null)
    const captured = (await list('?status=captured'))[0]!
    expect(captured).to.include({ status: 'captured', transaction_id: captured.id, source_type: 'sms', reason: null })
    expect(captured).to.not.have.property('text')
    expect((await list('?status=ignored')).map(({ reason }) => reason).sort()).to.deep.equal(['otp', 'ping'])
    expect((await list('?status=unparsed')).map(({ reason }) => reason)).to.deep.equal(['unparsed'])
    expect((await api.ask('GET', '/api/notifications?status=lost', { key })).status).to.equal(400)
  })

  it('appears once in a list read by cursor, newest first, whatever its outcome', async () => {
    const arrived: number[] = []
    for (let number = 1; number <= 65; number++)
      arrived.push(
        number % 3 === 0
          ? (await post({ text: vietcombankText(number, `DH${number}`), sender: 'Vietcombank' })).body.data.id
          : await keepUnread(`TK ${number} co bien dong la`, { hoursAgo: number % 2 }),
      )
    await eventually(async () => (await api.ask('GET', '/api/notifications', { key })).body.total === 65)
    const listedBy = async (status: string): Promise<number[]> => {
      const ids: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await api.ask('GET', `/api/notifications?status=${status}&cursor=${cursor}`, { key })
        ids.push(...(body.data as Row[]).map(({ id }) => id))
        cursor = body.next_cursor as string | null
      }
      return ids
    }
    const all = await listedBy('')
    expect(all).to.have.lengthOf(65).and.to.have.members(arrived)
    const byPage = [...(await list('?page=1')), ...(await list('?page=2')), ...(await list('?page=3'))]
    expect(all).to.deep.equal(byPage.map(({ id }) => id))
    expect(await listedBy('captured')).to.have.lengthOf(21)
    expect(await listedBy('unparsed')).to.have.lengthOf(44)
    const { body } = await api.ask('GET', '/api/notifications', { key })
    const stranger = await api.newAccount('stranger@example.com')
    for (const [as, path] of [
      [stranger.api_key, '/api/notifications'],
      [key, '/api/transactions'],
    ])
      expect((await api.ask('GET', `${path}?cursor=${body.next_cursor}`, { key: as! })).status).to.equal(400)
  })

  it('is not accessible to other users', async () => {
    const id = await keepUnread(vietcombankText(1, 'DH1001'))
    await untilListed('?status=unparsed', 1)
    const captured = await api.nextId()
    await api.happened(api.owner.user_id, captured, [capturedFact(api.owner.user_id, captured)])
    const other = await api.newAccount('other@example.com')
    expect((await api.ask('GET', '/api/notifications', { key: other.api_key })).body).to.deep.include({
      data: [],
      total: 0,
    })
    const reread = await api.ask('POST', `/api/notifications/${id}/reread`, { key: other.api_key })
    expect(reread.status).to.equal(404)
    expect((await list('?status=unparsed')).length).to.equal(1)
  })

  it('becomes a transaction under its own id when its owner rereads it, and its stored text is erased', async () => {
    await makeRule()
    const id = await keepUnread(vietcombankText(1, 'DH1001'))
    await untilListed('?status=unparsed', 1)
    const { status, body } = await api.ask('POST', `/api/notifications/${id}/reread`, { key })
    expect(status).to.equal(200)
    expect(body.data).to.include({ id, status: 'captured', transaction_id: id, reason: null })
    expect(await list('?status=unparsed')).to.deep.equal([])
    expect((await list('?status=captured'))[0]).to.include({ id, transaction_id: id })
    expect(await transaction(id)).to.include({ order_id: 'DH1001', webhook_status: 'pending' })
    expect((await api.ask('POST', `/api/notifications/${id}/reread`, { key })).body).to.deep.equal(body)
    const kept = await eventually(async () => {
      const [events = []] = await api.store.read([{ stream: unreadStream(id) }])
      return events.length === 1 && { events }
    })
    expect(kept.events.map(({ type }) => type)).to.deep.equal(['NotificationReread'])
    const old = await keepUnread(vietcombankText(2, 'DH1002'), { hoursAgo: 48 })
    await untilListed('?status=unparsed', 1)
    await api.ask('POST', `/api/notifications/${old}/reread`, { key })
    expect(await transaction(old)).to.include({ order_id: 'DH1002', webhook_status: 'no_match' })
  })

  it('stays unread while the reader cannot parse it, and is not reread if it was ignored', async () => {
    const id = await keepUnread('TK 0011000415567 co bien dong la')
    await post({ event: 'gateway.heartbeat' })
    await untilListed('', 2)
    expect((await api.ask('POST', `/api/notifications/${id}/reread`, { key })).body.data).to.include({
      status: 'unparsed',
    })
    const [ignored] = await list('?status=ignored')
    expect((await api.ask('POST', `/api/notifications/${ignored!.id}/reread`, { key })).status).to.equal(409)
    expect((await api.ask('POST', '/api/notifications/999999999/reread', { key })).status).to.equal(404)
  })

  it('is not reread if it became a transaction when it arrived', async () => {
    const id = (await post({ text: vietcombankText(1, 'DH1001'), sender: 'Vietcombank' })).body.data.id as number
    await untilListed('?status=captured', 1)
    const { status, body } = await api.ask('POST', `/api/notifications/${id}/reread`, { key })
    expect([status, body.error]).to.deep.equal([409, 'CONFLICT'])
    const other = await api.newAccount('other@example.com')
    const asOther = await api.ask('POST', `/api/notifications/${id}/reread`, { key: other.api_key })
    expect(asOther.status).to.equal(404)
  })

  it('is reread together with all others, without webhooks for old ones and without duplicates', async () => {
    await makeRule()
    const young = await keepUnread(vietcombankText(1, 'DH1001'), { hoursAgo: 2 })
    const old = await keepUnread(vietcombankText(2, 'DH1002'), { hoursAgo: 48 })
    const otp = await keepUnread('Ma OTP cua quy khach la 123456. Khong chia se ma nay.')
    const still = await keepUnread('TK 0011000415567 co bien dong la')
    // In parallel, as `serve` and the command, or two commands, would run.
    const counts = await Promise.all([reparseAll(), reparseAll(), reparseAll()])
    expect(Math.max(...counts.map(({ captured }) => captured))).to.equal(2)
    expect(await reparseAll()).to.deep.equal({ captured: 0, ignored: 0, unparsed: 1 })
    await untilListed('?status=captured', 2)
    expect(await transaction(young)).to.include({ webhook_status: 'pending' })
    expect(await transaction(old)).to.include({ webhook_status: 'no_match', order_id: 'DH1002' })
    expect((await list('?status=unparsed')).map(({ id }) => id)).to.deep.equal([still])
    expect((await list('?status=ignored')).map(({ reason }) => reason)).to.deep.equal(['otp'])
    expect((await list()).map(({ id }) => id)).to.not.include(otp)
    const streams = (await api.store.readAll(null, 10_000)).filter(({ stream }) => stream.startsWith('transaction-'))
    expect(streams.map(({ type }) => type)).to.deep.equal(['TransactionCaptured', 'TransactionCaptured'])
    // A manual retry can still send it.
    expect((await api.ask('POST', `/api/transactions/${old}/retry`, { key })).status).to.equal(200)
    expect(await transaction(old)).to.include({ webhook_status: 'pending' })
  })

  it('is a resend if the deduplication window has the same text from the same source', async () => {
    const text = vietcombankText(1, 'DH1001')
    await post({ text, sender: 'Vietcombank' })
    const id = await keepUnread(text)
    const { rows } = await untilListed('?status=captured', 1)
    const { body } = await api.ask('POST', `/api/notifications/${id}/reread`, { key })
    expect(body.data).to.include({ status: 'captured', transaction_id: rows[0]!.id })
    expect(await list('?status=unparsed')).to.deep.equal([])
    expect(await list('?status=captured')).to.have.length(1)
  })
})
