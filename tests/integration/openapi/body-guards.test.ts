/** Tests each guard of bodies on every operation of the document that it applies to. */
import { expect } from 'chai'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Located, Schema } from '../../harness/openapi/document.ts'
import { requestOf } from './requests.ts'

import { guarded, JSON_TYPE } from './guarded.ts'

const TOO_MUCH = 10 * 1024 * 1024 + 1

/** Answers that are the same for every address and every code of a link. */
const SAYS_NOTHING = /^(We have sent you a mail|If this address)/

describe('guards', () => {
  const on = guarded()
  const { takesJson, needsJson, takesAnything, as, propertiesOf, withBody, expectation, done, invalid, overAll } = on

  describe('a body', () => {
    it('over 10 MB is refused everywhere', async () => {
      const body = Buffer.alloc(TOO_MUCH, 'a')
      await overAll(
        (operation) => takesJson(operation) || takesAnything(operation),
        expectation(413, 'PAYLOAD_TOO_LARGE'),
        async (operation) => [await withBody(operation, body)],
      )
    })

    it('with a type other than JSON is refused where JSON is required', async () => {
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
      it(`that is or has ${what} is refused where JSON is required`, async () => {
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
      const good = await requestOf(on.world, operation, as(operation))
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
        const sending = httpRequest(on.world.api.url + path, { method: 'POST', headers })
        for (let number = 0; number < times; number++) sending.write(chunk)
        sending.end()
        const [response] = (await once(sending, 'response')) as [IncomingMessage]
        response.resume()
        return response.statusCode
      }
      const headers = { ...JSON_TYPE, 'x-api-key': on.caller.api_key }
      const good = Buffer.from(JSON.stringify({ name: 'chunks', url: on.world.shopUrl }))
      expect(await chunked('/api/webhooks', headers, good, 1)).to.equal(201)
      expect(await chunked('/api/webhooks', headers, Buffer.alloc(1024 * 1024, ' '), 11)).to.equal(413)
      expect(await chunked(`/api/receive/u/${on.caller.receive_token}`, {}, Buffer.from('xin chao '), 2)).to.equal(200)
      expect(
        await chunked(`/api/receive/u/${on.caller.receive_token}`, {}, Buffer.alloc(1024 * 1024, ' '), 11),
      ).to.equal(413)
    })
  })
})
