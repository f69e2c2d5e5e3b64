/** The receive path: tokens, kinds of bodies, batches, and answers that never make a phone resend for ever. Capture has its own tests. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { shownToken, type Arrival, type Taken } from '../../../domain/arrival/arrival.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { formToken } from '../../../domain/account/tokens.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { pairPhone } from './paired-phone.ts'

const TEXT = 'SD TK 0011000415567 +150,000VND luc 07-06-2024 11:41:31. SD 1,250,000VND. Ref MBVCB.5512.DH1042'
const TOKEN = formToken('device', 1, 'd'.repeat(43))

describe('receiving', () => {
  let api: ApiUnderTest
  let personal: string
  let device: string

  const last = (): Arrival => api.arrivals.at(-1)!
  const byDevice = (path: string, json: unknown, headers: Record<string, string> = { 'x-device-token': device }) =>
    api.ask('POST', `/api/receive/${path}`, { json, headers })

  before(async () => {
    api = await openApi()
    personal = `/api/receive/u/${api.owner.receive_token}`
    device = await pairPhone(api)
    api.takes((): Taken => ({ kind: 'transaction', id: 42, webhook_status: 'pending', source_type: 'sms' }))
  })
  after(() => api.close())

  it('answers with the outcome of the notification', async () => {
    const taken = await api.ask('POST', personal, { json: { text: TEXT } })
    expect(taken.status).to.equal(200)
    expect(taken.body).to.deep.equal({ success: true, data: { id: 42, webhook_status: 'pending' } })
    expect(taken.headers.get('cache-control')).to.equal('no-store')
    api.takes((): Taken => ({ kind: 'ignored', reason: 'otp' }))
    const ignored = await api.ask('POST', personal, { json: { text: TEXT } })
    expect(ignored.status).to.equal(200)
    expect(ignored.body).to.deep.equal({ success: true, data: { ignored: true, reason: 'otp' } })
  })

  it('accepts JSON, a form, plain text, multipart and the query on the personal URL', async () => {
    const multipart = new FormData()
    multipart.set('text', TEXT)
    multipart.set('sender', 'VCB')
    const query = new URLSearchParams({ text: TEXT, sender: 'VCB' }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const calls = [
      () => api.ask('POST', personal, { json: { text: TEXT, sender: 'VCB' } }),
      () => api.ask('POST', personal, { body: query, headers: form }),
      () => api.ask('POST', `${personal}?sender=VCB`, { body: TEXT }),
      () => api.ask('POST', `${personal}?sender=VCB`, { body: TEXT, headers: form }),
      () => api.ask('POST', personal, { body: multipart }),
      () => api.ask('GET', `${personal}?${query}`),
    ]
    for (const call of calls) {
      const before = api.arrivals.length
      expect((await call()).status).to.equal(200)
      expect(api.arrivals.length).to.equal(before + 1)
      expect(last().incoming).to.deep.equal({ text: TEXT, sender: 'VCB' })
      expect(last().posted_as).to.equal(null)
      expect(last().credential).to.deep.equal(shownToken('receive_url', api.owner.receive_token))
      expect(JSON.parse(last().raw)).to.deep.equal({ text: TEXT, sender: 'VCB' })
    }
  })

  it('decompresses a body, and keeps one that it cannot decompress or that is too large', async () => {
    const send = async (body: Buffer, headers: Record<string, string> = {}) => {
      const { status } = await api.ask('POST', `${personal}?sender=VCB`, { body, headers })
      expect(status).to.equal(200)
      return last()
    }
    const json = gzipSync(JSON.stringify({ text: TEXT }))
    for (const headers of [{}, { 'content-encoding': 'gzip' }])
      expect((await send(json, { 'content-type': 'application/json', ...headers })).incoming).to.deep.equal({
        text: TEXT,
        sender: 'VCB',
      })
    const damaged = await send(Buffer.concat([json, Buffer.from('xx')]))
    expect(damaged.unsafe).to.equal('broken_json')
    expect(damaged.raw).to.include(json.toString('base64').slice(0, 40))
    const large = await send(gzipSync(Buffer.alloc(20 * 1024 * 1024, 'a ')))
    expect(large.ignored_as).to.equal('too_long')
    expect(large.incoming.text).to.have.lengthOf(64 * 1024)
  })

  it('keeps a notification whose list has values that are not text', async () => {
    api.takes((): Taken => ({ kind: 'transaction', id: 42, webhook_status: 'pending', source_type: 'sms' }))
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    for (const value of ['{"toString":1,"valueOf":2}', '[{"toString":null}]', deep, 'null', '1e400']) {
      const sent = `{"text":"${TEXT}","lines":["a",${value}]}`
      for (const [path, body] of [
        [personal, sent],
        ['/api/receive/sms', sent],
        ['/api/receive/batch', `{"items":[${sent}]}`],
      ] as const) {
        const headers = { 'content-type': 'application/json', 'x-device-token': device }
        const { status } = await api.ask('POST', path, { body, headers })
        expect([status, last().incoming.text], `${path} ${value.slice(0, 30)}`).to.deep.equal([200, TEXT])
      }
    }
  })

  it('reads a raw plus beside %20 in the query', async () => {
    await api.ask('GET', `${personal}?sender=VCB&text=${TEXT.replaceAll(' ', '%20')}`)
    expect(last().incoming).to.deep.equal({ text: TEXT, sender: 'VCB' })
  })

  it('answers 503 if the store is unavailable', async () => {
    api.takes(() => {
      throw new StoreUnavailable('away')
    })
    const { status, body } = await api.ask('POST', personal, { json: { text: TEXT } })
    expect([status, body.success, body.error]).to.deep.equal([503, false, 'STORE_UNAVAILABLE'])
    api.takes((): Taken => ({ kind: 'ignored', reason: 'unparsed' }))
  })

  it('reveals nothing about internal errors', async () => {
    api.takes(() => {
      throw new Error(`secret ${TEXT}`)
    })
    const { status, body } = await api.ask('POST', personal, { json: { text: TEXT }, undocumented: true })
    expect([status, body.error]).to.deep.equal([500, 'INTERNAL_ERROR'])
    expect(JSON.stringify(body)).not.to.contain('secret')
    api.takes((): Taken => ({ kind: 'ignored', reason: 'unparsed' }))
  })

  it('does not treat a HEAD request as a notification', async () => {
    const before = api.arrivals.length
    expect((await api.ask('HEAD', personal)).status).to.equal(200)
    expect(api.arrivals.length).to.equal(before)
  })

  it('answers a HEAD request to an unknown or replaced personal URL like any other request', async () => {
    const { api_key: key, receive_token } = await api.newAccount('head@example.com')
    const url = `/api/receive/u/${receive_token}`
    expect((await api.ask('HEAD', url)).status).to.equal(200)
    await api.ask('POST', '/api/receive-url/rotate', { key })
    for (const path of [url, '/api/receive/u/nobody', `/api/receive/u/${receive_token}x`])
      for (const method of ['HEAD', 'GET', 'POST']) expect((await api.ask(method, path)).status, path).to.equal(401)
  })

  it('accepts posts of devices with the token in either header', async () => {
    const sms = { sender: 'Vietcombank', text: TEXT, received_at: '2024-06-07T04:41:31Z' }
    expect((await byDevice('sms', sms)).status).to.equal(200)
    expect(last()).to.deep.include({
      credential: shownToken('device', device),
      incoming: { text: TEXT, sender: 'Vietcombank' },
      posted_as: 'sms',
      stamp: new Date('2024-06-07T04:41:31Z'),
      raw: JSON.stringify(sms),
    })
    expect(
      (
        await byDevice(
          'notification',
          { package: 'com.VCB', title: 'VCB', text: TEXT },
          { authorization: `Bearer ${device}` },
        )
      ).status,
    ).to.equal(200)
    expect(last().incoming).to.deep.equal({ text: TEXT, package: 'com.VCB', title: 'VCB' })
    expect(last()).to.include({ posted_as: 'notification', stamp: null })
  })

  it('takes a list of up to 200 as a batch, and any other list as one notification', async () => {
    const listed = async (body: string): Promise<[answer: unknown, arrivals: number]> => {
      const before = api.arrivals.length
      const answer = await api.ask('POST', personal, { body, headers: { 'content-type': 'application/json' } })
      expect(answer.status).to.equal(200)
      return [answer.body.data, api.arrivals.length - before]
    }
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => ({ text: 'x' })))
    api.takes((): Taken => ({ kind: 'ignored', reason: 'otp' }))
    const one = { ignored: true, reason: 'otp' }
    expect(await listed('[]')).to.deep.equal([one, 1])
    expect(await listed(list(1))).to.deep.equal([one, 1])
    expect(await listed(list(200))).to.deep.equal([Array(200).fill(one), 200])
    expect(await listed(list(201))).to.deep.equal([one, 1])
    expect(last()).to.include({ ignored_as: 'too_long' })
  })

  it('answers a batch in the order of its items', async () => {
    api.takes(({ incoming }): Taken =>
      incoming.text === ''
        ? { kind: 'ignored', reason: 'empty' }
        : { kind: 'transaction', id: incoming.text.length, webhook_status: 'skipped', source_type: 'sms' },
    )
    const before = api.arrivals.length
    const items = [
      { type: 'sms', sender: 'VCB', text: 'aaa' },
      5,
      { type: 'notification', package: 'com.VCB', text: 'bb' },
      null,
      'dddd',
      { type: 'fax', text: 'c' },
    ]
    const { status, body } = await byDevice('batch', { items })
    expect(status).to.equal(200)
    const taken = (id: number) => ({ id, webhook_status: 'skipped' })
    const empty = { ignored: true, reason: 'empty' }
    expect(body).to.deep.equal({ success: true, data: [taken(3), empty, taken(2), empty, taken(4), taken(1)] })
    expect(api.arrivals.slice(before).map(({ posted_as }) => posted_as)).to.deep.equal([
      'sms',
      null,
      'notification',
      null,
      null,
      null,
    ])
    expect((await byDevice('batch', { items: [] })).body.data).to.deep.equal([])
    expect(
      (await byDevice('batch', { items: Array.from({ length: 200 }, () => ({ text: 'x' })) })).body.data,
    ).to.have.lengthOf(200)
  })

  it('stores nothing of a batch that is too long or malformed', async () => {
    const before = api.arrivals.length
    const long = { items: Array.from({ length: 201 }, () => ({ text: 'x' })) }
    for (const json of [long, {}, { items: 'x' }, { items: { length: 1 } }, []]) {
      const { status, body } = await byDevice('batch', json)
      expect([status, body.error]).to.deep.equal([400, 'VALIDATION_FAILED'])
      expect((await byDevice('batch', json, { 'x-device-token': `${device}x` })).status).to.equal(401)
    }
    expect(api.arrivals.length).to.equal(before)
  })

  it('refuses tokens that are made up, of another kind, or of no account', async () => {
    const before = api.arrivals.length
    for (const token of [
      'x',
      `${api.owner.receive_token}x`,
      api.owner.api_key,
      device,
      formToken('receive_url', 999, 'd'.repeat(43)),
      '__proto__',
      '%00',
    ])
      for (const method of ['GET', 'POST'])
        expect((await api.ask(method, `/api/receive/u/${token}`)).status, token).to.equal(401)
    for (const path of ['sms', 'notification', 'batch'])
      for (const headers of [
        {},
        { 'x-device-token': 'x' },
        { 'x-device-token': TOKEN + 'x' },
        { authorization: `Bearer ${api.owner.api_key}` },
        { 'x-api-key': api.owner.api_key },
        { 'x-device-token': api.owner.receive_token },
      ] as Record<string, string>[]) {
        const { status, body } = await byDevice(path, { items: [{}], text: TEXT }, headers)
        expect([status, body.error], `${path} ${JSON.stringify(headers)}`).to.deep.equal([401, 'UNAUTHORIZED'])
      }
    expect(api.arrivals.length).to.equal(before)
  })

  it('refuses a device that was removed', async () => {
    const { user_id } = api.owner
    const gone = await pairPhone(api, 78)
    expect((await byDevice('sms', { text: 'x' }, { 'x-device-token': gone })).status).to.equal(200)
    await api.decree(user_id, { type: 'DeviceRemoved', data: { user_id, device_id: 78 } })
    expect((await byDevice('sms', { text: 'x' }, { 'x-device-token': gone })).status).to.equal(401)
  })

  it('accepts notifications of a locked account', async () => {
    const mine = await api.newAccount('locked@example.com')
    await api.decree(mine.user_id, { type: 'AccountLocked', data: { user_id: mine.user_id, reason: 'test' } })
    expect((await api.ask('POST', `/api/receive/u/${mine.receive_token}`, { body: TEXT })).status).to.equal(200)
  })

  it('accepts long queries only on the personal URL, and marks those that are too long', async () => {
    const get = (length: number) => api.ask('GET', `${personal}?text=${'a'.repeat(length - 5)}`)
    expect((await get(16 * 1024)).status).to.equal(200)
    expect(last()).not.to.have.property('ignored_as')
    expect((await get(16 * 1024 + 1)).status).to.equal(200)
    expect(last().ignored_as).to.equal('too_long')
    expect((await get(64 * 1024)).status).to.equal(200)
    expect(last().ignored_as).to.equal('too_long')
    expect((await get(64 * 1024 + 1)).status).to.equal(414)
    expect((await api.ask('POST', `/api/receive/sms?x=${'a'.repeat(3_000)}`)).status).to.equal(414)
  })

  it('accepts a chunked body without a length', async () => {
    const chunks = new ReadableStream({
      start: (controller) => {
        for (const part of ['{"text":"', TEXT.slice(0, 20), TEXT.slice(20), '"}']) controller.enqueue(Buffer.from(part))
        controller.close()
      },
    })
    const response = await fetch(api.url + personal, {
      method: 'POST',
      body: chunks,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).to.equal(200)
    expect(last().incoming.text).to.equal(TEXT)
  })

  it('accepts exactly 10 MB and refuses more', async () => {
    const limit = 10 * 1024 * 1024
    expect((await api.ask('POST', personal, { body: 'a'.repeat(limit) })).status).to.equal(200)
    expect(last().incoming.text).to.have.lengthOf(limit)
    const over = await api.ask('POST', personal, { body: 'a'.repeat(limit + 1) })
    expect([over.status, over.body.error]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE'])
  })
})
