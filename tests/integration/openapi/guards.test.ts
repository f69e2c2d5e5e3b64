/** Tests each guard of queries and paths on every operation of the document that it applies to. */
import { expect } from 'chai'
import type { Located } from '../../harness/openapi/document.ts'
import { collectionOf, requestOf } from './requests.ts'
import { schemesOf, type Caller, type Sent } from './world.ts'

import { guarded } from './guarded.ts'

/** Ids that no resource has: malformed, too large, or unused. */
const NO_IDS = ['0', '-1', '01', '1e3', '1.0', 'abc', '%00', '%27%20OR%201=1', '%2e%2e', '999999999999999', '9223372036854775808', '1'.repeat(400)] // prettier-ignore

describe('guards', () => {
  const on = guarded()
  const { codes, as, expectation, done, invalid, overAll } = on

  describe('a query', () => {
    it('over 2048 bytes is refused everywhere but on the personal URL', async () => {
      const long = (length: number) => [['x', 'a'.repeat(length - 2)]] as const
      const bytes = (sent: Sent) => sent.path.split('?')[1]!.length
      await overAll(
        (operation) => !operation.path.includes('/receive/u/') && operation.method !== 'HEAD',
        expectation(414, 'QUERY_TOO_LONG'),
        async (operation) => {
          const scheme = schemesOf(operation).find((each) => each !== 'api_key_query') ?? null
          const sent = await requestOf(on.world, operation, as(operation), {
            scheme,
            id: 1,
            query: long(2_049),
          })
          expect(bytes(sent)).to.equal(2_049)
          return [sent]
        },
      )
    })

    const named = (operation: Located) =>
      (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name)

    it('with an empty parameter is answered as if it were absent, except for `page`', async () => {
      const optional = (operation: Located) =>
        named(operation).filter((name) => name !== 'page' && name !== 'token' && !operation.path.endsWith('/stream'))
      await overAll(
        (operation) => optional(operation).length > 0,
        ({ status }) => (status === 400 ? `${status}` : null),
        (operation) =>
          Promise.all(
            optional(operation).map((name) =>
              requestOf(on.world, operation, as(operation), { id: 1, query: [[name, '']] }),
            ),
          ),
      )
    })

    it('with the same parameter twice is refused', async () => {
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
              requestOf(on.world, operation, as(operation), {
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
        await requestOf(on.world, operation, on.caller, { query: [['search', 'a\0b']] }),
      ])
      const paging = (operation: Located) => (operation.parameters ?? []).some(({ name }) => name === 'page')
      await overAll(paging, invalid, (operation) =>
        Promise.all(
          ['0', '-1', '', '1.5', '1e3', 'one', '9223372036854775808', '1e400', ' '].map((page) =>
            requestOf(on.world, operation, as(operation), { id: 1, query: [['page', page]] }),
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
            headers: { 'x-api-key': on.caller.api_key },
          })),
      )
    })

    it('is searched for literally: no character of it is SQL or a wildcard', async () => {
      const mine = await on.world.newCaller()
      const headers = { 'content-type': 'text/plain' }
      const post = `/api/receive/u/${mine.receive_token}?sender=Vietcombank`
      for (const [number, memo] of [
        'giam 50% cho DH1',
        'ma a_b cho DH2',
        'duong c\\d cho DH3',
        "ten O'Neil cho DH4",
      ].entries()) {
        const body = `SD TK 0011000415567 +${number + 1}00,000VND luc 10-03-2026 12:0${number}:00. SD 1,00${number},000VND. Ref MBVCB.77${number}.${memo}`
        const { body: taken } = await on.world.send({ method: 'POST', path: post, headers, body })
        await shownTo(mine, taken.data.id as number)
      }
      const found = async (search: string): Promise<number> =>
        (await on.world.api.ask('GET', `/api/transactions?search=${encodeURIComponent(search)}`, { key: mine.api_key }))
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
        expect(await found(search), search).to.equal(count)
      expect(await found('cho DH')).to.equal(4)
    })
  })

  const shownTo = async (owner: Caller, id: number): Promise<void> => {
    while ((await on.world.api.ask('GET', `/api/transactions/${id}`, { key: owner.api_key })).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 5))
  }

  describe('a path', () => {
    it('with an id that no resource has is not found', async () => {
      await overAll(
        (operation) => collectionOf(operation.path) !== null,
        expectation(404, 'NOT_FOUND'),
        (operation) => Promise.all(NO_IDS.map((id) => requestOf(on.world, operation, as(operation), { id }))),
      )
    })

    it('that matches no operation is not found', async () => {
      for (const path of ['/api/webhooks/%E0%A4%A/logs', '//api/webhooks', '/api/webhooks/1/logs/2', '/API/webhooks']) {
        const got = await on.world.send({ method: 'GET', path, headers: { 'x-api-key': on.caller.api_key } })
        expect([got.status, got.body.error], path).to.deep.equal([404, 'NOT_FOUND'])
      }
    })

    it('answers an unsupported method with the supported ones', async () => {
      const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      for (const template of Object.keys(on.world.document.paths)) {
        const path = template.replace('{id}', '1').replace(/\{\w+\}/, on.caller.receive_token)
        // A word may also match an id: `/api/webhooks/bulk-retry` is below `/api/webhooks` too.
        const names = Object.entries(on.world.document.paths)
          .filter(([other]) => new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
          .flatMap(([, methods]) => Object.keys(methods).map((name) => name.toUpperCase()))
        const allowed = new Set([...names, ...(names.includes('GET') ? ['HEAD'] : [])])
        for (const method of methods.filter((each) => !allowed.has(each))) {
          const got = await on.world.send({ method, path, headers: { 'x-api-key': on.caller.api_key } })
          expect([got.status, got.body.error], `${method} ${path}`).to.deep.equal([405, 'METHOD_NOT_ALLOWED'])
          expect(got.headers.allow?.toString().split(', '), `${method} ${path}`).to.include.members([...allowed])
        }
      }
    })
  })
})
