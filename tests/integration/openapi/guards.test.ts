/** Tests each guard of the API on every operation of the document that it applies to. */
import { expect } from 'chai'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Located, Schema } from '../../harness/openapi/document.ts'
import { bodySchemaOf, collectionOf, requestOf } from './requests.ts'
import { openWorld, schemesOf, type Caller, type Got, type Sent, type World } from './world.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const TOO_MUCH = 10 * 1024 * 1024 + 1

/** Ids that no resource has: malformed, too large, or unused. */
const NO_IDS = ['0', '-1', '01', '1e3', '1.0', 'abc', '%00', '%27%20OR%201=1', '%2e%2e', '999999999999999', '9223372036854775808', '1'.repeat(400)] // prettier-ignore

/** Answers that are the same for every address and every code of a link. */
const SAYS_NOTHING = /^(We have sent you a mail|If this address)/

describe('guards', () => {
  let world: World
  let caller: Caller

  before(async function () {
    this.timeout(120_000)
    world = await openWorld()
    caller = await world.newCaller()
  })
  after(() => world.close())

  const contentOf = (operation: Located): string[] => Object.keys(operation.requestBody?.content ?? {})
  /** The operation accepts only JSON. */
  const takesJson = (operation: Located) =>
    contentOf(operation).join() === 'application/json' && codes(operation, '415') !== undefined
  const needsJson = (operation: Located) => takesJson(operation) && operation.requestBody!.required === true
  /** The operation accepts whatever a forwarder app sends. */
  const takesAnything = (operation: Located) => contentOf(operation).includes('text/plain')
  const codes = (operation: Located, status: string) => operation.responses[status]
  const as = (operation: Located): Caller => (operation['x-operator-only'] ? world.owner : caller)

  const propertiesOf = (operation: Located): [string, Schema][] =>
    Object.entries((bodySchemaOf(world, operation)?.properties ?? {}) as Record<string, Schema>)

  /** A request with another body. No resource is made for it, because it is refused before that. */
  const withBody = async (
    operation: Located,
    body: string | Buffer,
    headers: Record<string, string> = JSON_TYPE,
  ): Promise<Sent> => {
    const request = await requestOf(world, operation, as(operation), { id: 1, raw: body })
    return { ...request, headers: { ...request.headers, ...headers } }
  }

  const expectation =
    (status: number, error?: string) =>
    (got: Got): string | null =>
      got.status === status && (error === undefined || got.body.error === error)
        ? null
        : `${got.status} ${got.body?.error ?? ''}`
  const done = ({ status }: Got) => (status >= 200 && status < 300 ? null : `${status}`)
  const invalid = expectation(400, 'VALIDATION_FAILED')

  const overAll = async (
    which: (operation: Located) => boolean,
    expected: (got: Got) => string | null,
    requests: (operation: Located) => Promise<readonly Sent[]> | readonly Sent[],
  ): Promise<void> => {
    const operations = world.operations.filter(which)
    expect(operations).not.to.be.empty
    const wrong: string[] = []
    await Promise.all(
      operations.map(async (operation) => {
        for (const sent of await requests(operation)) {
          const problem = expected(await world.send(sent))
          if (problem !== null)
            wrong.push(`${sent.method} ${sent.path} ${sent.body?.toString().slice(0, 80) ?? ''}: ${problem}`)
        }
      }),
    )
    expect(wrong).to.deep.equal([])
  }

  describe('a body', () => {
    it('over 10 MB is refused everywhere', async function () {
      this.timeout(120_000)
      const body = Buffer.alloc(TOO_MUCH, 'a')
      await overAll(
        (operation) => takesJson(operation) || takesAnything(operation),
        expectation(413, 'PAYLOAD_TOO_LARGE'),
        async (operation) => [await withBody(operation, body)],
      )
    })

    it('with a type other than JSON is refused where JSON is required', async function () {
      this.timeout(120_000)
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'json',
      ]
      await overAll(takesJson, expectation(415, 'UNSUPPORTED_MEDIA_TYPE'), (operation) =>
        Promise.all(types.map((type) => withBody(operation, '{"name":"x"}', { 'content-type': type }))),
      )
      await overAll(takesJson, expectation(415, 'UNSUPPORTED_MEDIA_TYPE'), async (operation) => [
        await withBody(operation, '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
      ])
    })

    it('of any type is accepted from forwarder apps', async () => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'json',
      ]
      await overAll(takesAnything, done, (operation) =>
        Promise.all(types.map((type) => withBody(operation, '{"text":"xin chao ban"}', { 'content-type': type }))),
      )
    })

    const BROKEN: Record<string, string | Buffer> = {
      'broken JSON': '{"name": "x",}',
      'two JSON values': '{}{}',
      'half a JSON value': '{"name": "x"',
      'nothing but a byte-order mark': '\ufeff',
      'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      'a number that is none': '{"name": NaN}',
      'an array': '[]',
      'a string': '"x"',
      null: 'null',
      'arrays in arrays, 100,000 deep': '['.repeat(100_000) + ']'.repeat(100_000),
      'objects in objects, 50,000 deep': `${'{"name":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      'the key __proto__': '{"__proto__": {"operator": true, "user_id": 1}}',
      'the key constructor': '{"constructor": {"prototype": {"operator": true}}}',
      'the key toString': '{"toString": 1, "hasOwnProperty": 1}',
      'a number over any': '{"name": 1e400}',
    }
    for (const [what, body] of Object.entries(BROKEN)) {
      it(`that is or has ${what} is refused where JSON is required`, async function () {
        this.timeout(120_000)
        await overAll(needsJson, invalid, async (operation) => [await withBody(operation, body)])
        expect(({} as Record<string, unknown>).operator).to.equal(undefined)
      })

      it(`that is or has ${what} does not make forwarder apps send it again`, async () => {
        // An inbox is not for forwarder apps: it accepts 64 KB at most.
        const takes = (operation: Located) =>
          takesAnything(operation) && (body.length <= 64 * 1024 || !operation.path.startsWith('/inbox/'))
        await overAll(takes, done, async (operation) => [await withBody(operation, body)])
        expect(({} as Record<string, unknown>).operator).to.equal(undefined)
      })
    }

    it('is optional where the operation has no fields, and refused if it contains anything', async () => {
      const meansNone = (operation: Located) =>
        takesJson(operation) && operation.requestBody!.required !== true && propertiesOf(operation).length === 0
      await overAll(meansNone, invalid, (operation) =>
        Promise.all(['{"a":1}', '[]', '{', 'null', '{"__proto__":1}'].map((body) => withBody(operation, body))),
      )
    })

    /** Makes a good request for each field of a kind and each of the values (JSON texts), with the value in the field. */
    const withFields = async (operation: Located, isOfKind: (schema: Schema) => boolean, values: readonly string[]) => {
      const good = await requestOf(world, operation, as(operation))
      const fields = JSON.parse(good.body!.toString()) as object
      return propertiesOf(operation)
        .filter(([, schema]) => isOfKind(schema))
        .flatMap(([name]) =>
          values.map((value) => ({ ...good, body: JSON.stringify({ ...fields, [name]: '?' }).replace('"?"', value) })),
        )
    }
    const hasFields = (operation: Located, isOfKind: (schema: Schema) => boolean) =>
      needsJson(operation) && propertiesOf(operation).some(([, schema]) => isOfKind(schema))

    it('with NUL bytes or half characters in a text is refused, field by field', async () => {
      const isText = (schema: Schema) => [schema.type].flat().includes('string') && schema.enum === undefined
      await overAll(
        // The demo stores nothing, and signs any text.
        (operation) => hasFields(operation, isText) && !operation.tags.includes('Demo'),
        // A failed login says only that the pair is wrong, a failed pairing only that the code is wrong. Answers reveal nothing about an
        // address.
        (got) => (got.body.error === 'UNAUTHORIZED' || SAYS_NOTHING.test(got.body.message) ? null : invalid(got)),
        (operation) => withFields(operation, isText, ['"a\\u0000b"', '"\\ud800"']),
      )
    })

    it('with a number that is too large, negative or malformed is refused, field by field', async () => {
      const isInt = (schema: Schema) => [schema.type].flat().includes('integer')
      await overAll(
        (operation) => hasFields(operation, isInt),
        invalid,
        (operation) =>
          withFields(operation, isInt, ['1e400', '-1', '0.5', '9223372036854775808', '1e308', '"1"', 'true']),
      )
    })

    it('in chunks without a length is read like any other, and has the same limit', async () => {
      const chunked = async (path: string, headers: Record<string, string>, chunk: Buffer, times: number) => {
        const sending = httpRequest(world.api.url + path, { method: 'POST', headers })
        for (let number = 0; number < times; number++) sending.write(chunk)
        sending.end()
        const [response] = (await once(sending, 'response')) as [IncomingMessage]
        response.resume()
        return response.statusCode
      }
      const headers = { ...JSON_TYPE, 'x-api-key': caller.api_key }
      const good = Buffer.from(JSON.stringify({ name: 'chunks', url: world.shopUrl }))
      expect(await chunked('/api/webhooks', headers, good, 1)).to.equal(201)
      expect(await chunked('/api/webhooks', headers, Buffer.alloc(1024 * 1024, ' '), 11)).to.equal(413)
      expect(await chunked(`/api/receive/u/${caller.receive_token}`, {}, Buffer.from('xin chao '), 2)).to.equal(200)
      expect(await chunked(`/api/receive/u/${caller.receive_token}`, {}, Buffer.alloc(1024 * 1024, ' '), 11)).to.equal(
        413,
      )
    })
  })

  describe('a query', () => {
    it('over 2048 bytes is refused everywhere but on the personal URL', async () => {
      const long = (length: number) => [['x', 'a'.repeat(length - 2)]] as const
      const bytes = (sent: Sent) => sent.path.split('?')[1]!.length
      await overAll(
        (operation) => !operation.path.includes('/receive/u/') && operation.method !== 'HEAD',
        expectation(414, 'QUERY_TOO_LONG'),
        async (operation) => {
          const scheme = schemesOf(operation).find((each) => each !== 'api_key_query') ?? null
          const sent = await requestOf(world, operation, as(operation), {
            scheme,
            id: 1,
            query: long(2_049),
          })
          expect(bytes(sent)).to.equal(2_049)
          return [sent]
        },
      )
    })

    it('with the same parameter twice is refused', async () => {
      const named = (operation: Located) =>
        (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name)
      await overAll(
        // Forwarder apps are never refused because of what they send.
        (operation) =>
          named(operation).length > 0 &&
          codes(operation, '400') !== undefined &&
          !operation.path.startsWith('/api/receive/'),
        invalid,
        (operation) =>
          Promise.all(
            named(operation).map((name) =>
              requestOf(world, operation, as(operation), {
                id: 1,
                query: [
                  [name, '1'],
                  [name, '1'],
                ],
              }),
            ),
          ),
      )
    })

    it('with NUL bytes, or with a page number below 1 or too large, is refused', async () => {
      const searching = (operation: Located) => (operation.parameters ?? []).some(({ name }) => name === 'search')
      await overAll(searching, invalid, async (operation) => [
        await requestOf(world, operation, caller, { query: [['search', 'a\0b']] }),
      ])
      const paging = (operation: Located) => (operation.parameters ?? []).some(({ name }) => name === 'page')
      await overAll(paging, invalid, (operation) =>
        Promise.all(
          ['0', '-1', '', '1.5', '1e3', 'one', '9223372036854775808', '1e400', ' '].map((page) =>
            requestOf(world, operation, as(operation), { id: 1, query: [['page', page]] }),
          ),
        ),
      )
    })

    it('may contain any other names, including invalid UTF-8', async () => {
      await overAll(
        ({ path, method }) => path === '/api/transactions' && method === 'GET',
        done,
        () =>
          [
            '?search=%ff%fe',
            '?%ff=1',
            '?__proto__=1&constructor=2',
            '?search=%E0%A4%A',
            '?a[b]=1&&&=',
            '?search=%25',
          ].map((query) => ({
            method: 'GET',
            path: `/api/transactions${query}`,
            headers: { 'x-api-key': caller.api_key },
          })),
      )
    })

    it('is searched for literally: no character of it is SQL or a wildcard', async () => {
      const mine = await world.newCaller()
      const headers = { 'content-type': 'text/plain' }
      const post = `/api/receive/u/${mine.receive_token}?sender=Vietcombank`
      for (const [number, memo] of [
        'giam 50% cho DH1',
        'ma a_b cho DH2',
        'duong c\\d cho DH3',
        "ten O'Neil cho DH4",
      ].entries()) {
        const body = `SD TK 0011000415567 +${number + 1}00,000VND luc 10-03-2026 12:0${number}:00. SD 1,00${number},000VND. Ref MBVCB.77${number}.${memo}`
        const { body: taken } = await world.send({ method: 'POST', path: post, headers, body })
        await shownTo(mine, taken.data.id as number)
      }
      const found = async (search: string): Promise<number> =>
        (await world.api.ask('GET', `/api/transactions?search=${encodeURIComponent(search)}`, { key: mine.api_key }))
          .body.total
      expect(await found('cho DH')).to.equal(4)
      for (const [search, count] of [
        ['%', 1],
        ['_', 1],
        ['\\', 1],
        ["'", 1],
        ['50%', 1],
        ['5%c', 0],
        ['a_b', 1],
        ['a%b', 0],
        ['_b', 1],
        ['c\\d', 1],
        ["O'Neil", 1],
        ["' OR 1=1 --", 0],
        ["'; DROP TABLE read_model.transaction; --", 0],
        ['$1', 0],
        ['%%', 0],
        ['.*', 0],
      ] as const)
        // prettier-ignore
        expect(await found(search), search).to.equal(count)
      expect(await found('cho DH')).to.equal(4)
    })
  })

  const shownTo = async (owner: Caller, id: number): Promise<void> => {
    while ((await world.api.ask('GET', `/api/transactions/${id}`, { key: owner.api_key })).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 5))
  }

  describe('a path', () => {
    it('with an id that no resource has is not found', async function () {
      this.timeout(120_000)
      await overAll(
        (operation) => collectionOf(operation.path) !== null,
        expectation(404, 'NOT_FOUND'),
        (operation) => Promise.all(NO_IDS.map((id) => requestOf(world, operation, as(operation), { id }))),
      )
    })

    it('that matches no operation is not found', async () => {
      for (const path of ['/api/webhooks/%E0%A4%A/logs', '//api/webhooks', '/api/webhooks/1/logs/2', '/API/webhooks']) {
        const got = await world.send({ method: 'GET', path, headers: { 'x-api-key': caller.api_key } })
        expect([got.status, got.body.error], path).to.deep.equal([404, 'NOT_FOUND'])
      }
    })

    it('answers an unsupported method with the supported ones', async () => {
      const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      for (const template of Object.keys(world.document.paths)) {
        const path = template.replace('{id}', '1').replace(/\{\w+\}/, caller.receive_token)
        // A word may also match an id: `/api/webhooks/bulk-retry` is below `/api/webhooks` too.
        const names = Object.entries(world.document.paths)
          .filter(([other]) => new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
          .flatMap(([, methods]) => Object.keys(methods).map((name) => name.toUpperCase()))
        const allowed = new Set([...names, ...(names.includes('GET') ? ['HEAD'] : [])])
        for (const method of methods.filter((each) => !allowed.has(each))) {
          const got = await world.send({ method, path, headers: { 'x-api-key': caller.api_key } })
          expect([got.status, got.body.error], `${method} ${path}`).to.deep.equal([405, 'METHOD_NOT_ALLOWED'])
          expect(got.headers.allow?.toString().split(', '), `${method} ${path}`).to.include.members([...allowed])
        }
      }
    })
  })
})
