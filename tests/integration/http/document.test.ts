/** The OpenAPI document: complete, valid and equal to the mounted routes; and the page that shows it. */
import { expect } from 'chai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsDefault from 'ajv-formats'
import type Koa from 'koa'
import type Router from '@koa/router'
import {
  answerCheck,
  operationsOf,
  type DocumentedOperation,
  type OpenApiDocument,
} from '../../harness/openapi/document.ts'
import { DESCRIPTIONS } from '../../../adapters/http/openapi/descriptions.ts'
import type { WEBHOOKS } from '../../../adapters/http/openapi/webhooks.ts'
import { standardFields } from '../../../domain/webhook/payload/standard.ts'
import { testPayload } from '../../../domain/webhook/payload/test.ts'
import { woocommerceFields } from '../../../domain/webhook/payload/woocommerce.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { openShop, type ReceivedCall } from '../../harness/shop.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

// Its types declare a default export that Node does not find there.
const addFormats = addFormatsDefault as unknown as (ajv: Ajv2020) => void

/** Pages and their files, which are not part of the API. */
const PAGES = [/^GET \/docs(\/|$)/]

/** Every route of every router of an application, such as `GET /api/webhooks/{id}`. */
const mountedOn = (app: Koa): string[] =>
  (app.middleware as { router?: Router }[]).flatMap(({ router }) =>
    (router?.stack ?? []).flatMap(({ methods, path }) =>
      methods
        // Every GET route also answers HEAD. Only a HEAD route without GET is listed.
        .filter((method) => method !== 'HEAD' || !methods.includes('GET'))
        .map((method) => `${method} ${String(path).replace(/:(\w+)/g, '{$1}')}`),
    ),
  )

/** The example of a body in JSON. */
const exampleOf = ({ requestBody }: DocumentedOperation) =>
  requestBody?.content?.['application/json']?.example as Record<string, unknown> | undefined

const exampleOfParameter = ({ schema, ...rest }: NonNullable<DocumentedOperation['parameters']>[number]): unknown =>
  (rest as { example?: unknown }).example ?? (schema as { examples?: unknown[] }).examples?.[0]

describe('the OpenAPI document', () => {
  let api: ApiUnderTest
  let document: OpenApiDocument

  before(async () => {
    api = await openApi()
    document = (await api.ask('GET', '/api/openapi.json')).body as OpenApiDocument
  })
  after(() => api.close())

  it('has every mounted operation and no other', () => {
    const mounted = mountedOn(api.app).filter((route) => !PAGES.some((page) => page.test(route)))
    const documented = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
    expect(documented).to.have.members(mounted)
    expect(mounted.length).to.be.greaterThan(20)
  })

  it('is OpenAPI 3.1 with resolvable references and a unique name for every operation', () => {
    expect(document.openapi).to.equal('3.1.0')
    const operations = operationsOf(document)
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).to.equal(names.length)
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
    for (const [, name] of references) expect(document.components.schemas).to.have.property(name!)
    for (const { path, parameters = [], security, responses } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
      expect(declared, path).to.have.members(inPath)
      for (const scheme of security.flatMap((each) => Object.keys(each)))
        expect(document.components.securitySchemes).to.have.property(scheme)
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        path,
      ).to.equal(true)
    }
  })

  it('has patterns that mean the same as JSON Schema', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)]
    expect(patterns).not.to.be.empty
    for (const [, pattern] of patterns) {
      const source = JSON.parse(pattern!) as string
      expect(() => new RegExp(source, 'u'), source).not.to.throw()
      expect(source).not.to.match(/\/[a-z]+$/)
      // Python has no such classes.
      expect(source).not.to.contain('\\p{')
    }
  })

  it('declares a 401 for every operation with credentials', () => {
    for (const { operationId, security, responses } of operationsOf(document))
      if (security.length > 0) expect(responses, operationId).to.have.property('401')
  })

  it('shows the validated fields, defaults and bounds', () => {
    const creation = document.paths['/api/webhooks']!.post!.requestBody!.content!['application/json']!.schema
    expect(creation).to.deep.include({ type: 'object', required: ['name', 'url'], additionalProperties: false })
    expect((creation.properties as Record<string, unknown>).http_method).to.deep.include({
      enum: ['POST', 'PUT'],
      default: 'POST',
    })
    const search = document.paths['/api/transactions']!.get!.parameters!.find(({ name }) => name === 'search')!
    expect(search).to.deep.include({ in: 'query', required: false })
    expect(search.schema).to.deep.include({ type: 'string', maxLength: 2_048 })
    const fieldsOf = (path: string) =>
      document.paths[path]!.post!.requestBody!.content!['application/json']!.schema.properties as Record<string, object>
    for (const path of ['/api/auth/register', '/api/auth/reset-password'])
      expect(fieldsOf(path).password, path).to.deep.include({ minLength: 10, maxLength: 200 })
    for (const path of ['/api/systems', '/api/systems/connect'])
      expect(fieldsOf(path).payment_prefix, path).to.deep.include({ pattern: '^\\s*[A-Za-z0-9]{2,10}\\s*$' })
  })

  it('lets a later release add fields to answers', () => {
    for (const { operationId, responses } of operationsOf(document))
      // An answer with more fields could fit several schemas, and `oneOf` refuses it then.
      for (const closing of ['"additionalProperties":false', '"oneOf"'])
        expect(JSON.stringify(responses), operationId).not.to.include(closing)
    expect(JSON.stringify(document.components.schemas)).not.to.include('"additionalProperties":false')
  })

  it('describes every operation, and has an example for every body, parameter and answer that its schema accepts', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(ajv)
    ajv.addSchema(document, 'document')
    const expectValid = (schema: object, example: unknown, what: string) => {
      expect(example, what).not.to.equal(undefined)
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object
      const check = ajv.compile(local)
      expect(check(example), `${what}: ${JSON.stringify(check.errors)} ${JSON.stringify(example)}`).to.equal(true)
    }
    type Content = Record<string, { schema: object; example?: unknown }>
    const operations = operationsOf(document)
    expect(operations.map(({ operationId }) => operationId)).to.have.members(Object.keys(DESCRIPTIONS))
    for (const operation of operations) {
      const { operationId, parameters = [], requestBody, responses } = operation
      expect(operation, operationId).to.have.property('description').that.matches(/\.$/)
      for (const parameter of parameters) {
        const example = exampleOfParameter(parameter)
        expectValid(parameter.schema, example, `${operationId} ${parameter.name}`)
        // `/docs` would send it without being asked.
        if (!parameter.required) expect(parameter, `${operationId} ${parameter.name}`).not.to.have.property('example')
      }
      if (requestBody) expect(responses, `${operationId} reads a body`).to.have.property('413')
      for (const [type, { schema, example }] of Object.entries((requestBody?.content ?? {}) as Content))
        expectValid(schema, example, `${operationId} ${type}`)
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const { schema, example } of Object.values(content as Content))
          expectValid(schema, example, `${operationId} ${status}`)
    }
  })

  describe('with the examples of bodies', () => {
    /** Their examples contain a token of a mail, which no example can contain. */
    const MAIL_TOKENS = ['/api/auth/verify-email', '/api/auth/reset-password', '/api/session/link']
    /** Why a valid body may be refused: no such token or password, or nothing to do in this account. */
    const OTHERWISE = ['UNAUTHORIZED', 'EMAIL_NOT_VERIFIED', 'CONFLICT']
    let real: ApiUnderTest
    before(async () => (real = await openApi({}, 'real')))
    after(() => real.close())

    it('names no field that is ignored', () => {
      for (const operation of operationsOf(document))
        for (const [name, value] of Object.entries(exampleOf(operation) ?? {}))
          expect(value, `${operation.operationId} ${name}`).not.to.deep.equal({})
    })

    it('weakens no protection and ends no credential', () => {
      for (const operation of operationsOf(document))
        for (const name of ['again', 'end_everything', 'finish', 'without_sender', 'trust_sms_app_titles'])
          expect(exampleOf(operation)?.[name], `${operation.operationId} ${name}`).to.be.oneOf([undefined, false])
      const reread = operationsOf(document).find(({ path }) => path === '/api/notifications/{id}/reread')
      expect(exampleOf(reread!)).to.deep.equal({ confirmed: false })
    })

    it('has only bodies that the API accepts', async () => {
      const key = real.owner.api_key
      const personal = (await real.ask('GET', '/api/receive-url', { key })).body.data.url as string
      const path = new URL(personal).pathname
      const posted = { text: vietcombankText(1, 'DH1001'), sender: 'Vietcombank' }
      const ids: Record<string, number> = {}
      ids['/api/transactions'] = (await real.ask('POST', path, { json: posted })).body.data.id as number
      ids['/api/notifications'] = ids['/api/transactions']
      ids['/api/systems'] = (await real.ask('GET', '/api/systems', { key })).body.data[0].id as number
      ids['/api/inbox'] = (await real.ask('POST', '/api/inbox', { key })).body.data.id as number
      ids['/api/bank-accounts'] = await eventually(
        async () => (await real.ask('GET', '/api/bank-accounts', { key })).body.data[0]?.id as number | undefined,
      )
      for (const operation of operationsOf(document)) {
        const { method, path, security } = operation
        const json = exampleOf(operation)
        if (method === 'DELETE' || json === undefined || Object.keys(json).length === 0 || MAIL_TOKENS.includes(path))
          continue
        const [collection] = path.split('/{id}')
        const target = path.replace('{id}', String(ids[collection!])).replace('{token}', real.owner.receive_token)
        const { status, body } = await real.ask(method, target, { json, ...(security.length > 0 ? { key } : {}) })
        expect(body.error, `${method} ${target} ${JSON.stringify([json, body])}`).to.be.oneOf([undefined, ...OTHERWISE])
        if (status === 201 && path === collection) ids[path] = body.data.id as number
      }
      expect(Object.keys(ids)).to.include.members(['/api/webhooks', '/api/devices', '/api/mail-accounts'])
    })

    it('has a plain text for each receive path, which counts with the fields of the query', async () => {
      const plain = operationsOf(document).filter(
        ({ path, requestBody }) => path.startsWith('/api/receive/') && requestBody?.content?.['text/plain'],
      )
      expect(plain.map(({ path }) => path)).to.have.members(
        ['u/{token}', 'sms', 'notification'].map((path) => `/api/receive/${path}`),
      )
      const key = real.owner.api_key
      const { pairing_code: code } = (await real.ask('POST', '/api/devices', { key, json: { name: 'phone' } })).body
        .data
      const { device_token: token } = (await real.ask('POST', '/api/receive/pair', { json: { code } })).body.data
      for (const { path, parameters = [], requestBody } of plain) {
        const { example: body } = requestBody!.content!['text/plain'] as unknown as { example: string }
        const query = new URLSearchParams()
        for (const each of parameters) if (each.in === 'query') query.set(each.name, exampleOfParameter(each) as string)
        const target = `${path.replace('{token}', real.owner.receive_token)}?${query}`
        const headers = { 'content-type': 'text/plain', 'x-device-token': token }
        const { body: got } = await real.ask('POST', target, { body, headers })
        expect(got.data, target).to.have.property('id')
      }
    })
  })

  it('has no component that may be null, and says so at its references', () => {
    for (const [name, { type }] of Object.entries(document.components.schemas))
      expect(type ?? '', name).not.to.include('null')
    const { properties } = document.components.schemas.Affiliate as { properties: Record<string, object> }
    expect(properties.bank).to.deep.equal({ anyOf: [{ $ref: '#/components/schemas/AffiliateBank' }, { type: 'null' }] })
  })

  it('describes the calls that Baoco makes, with the fields that it sends', () => {
    const { webhooks } = document as unknown as { webhooks: typeof WEBHOOKS }
    expect(Object.keys(webhooks)).to.deep.equal(['bankTransaction', 'test', 'alert'])
    for (const { post } of Object.values(webhooks)) expect(post.security, post.operationId).to.deep.equal([])
    const fieldsOf = (schema: object) => Object.keys((schema as { properties: object }).properties)
    const schemasOf = (call: { post: { requestBody: object } }) =>
      (call.post.requestBody as { content: Record<string, { schema: { anyOf: object[] } }> }).content[
        'application/json'
      ]!.schema.anyOf
    const row = {} as never
    const [standard, woocommerce] = schemasOf(webhooks.bankTransaction)
    expect(fieldsOf(standard!)).to.have.members([...Object.keys(standardFields(row, 1)), 'description_truncated'])
    expect(fieldsOf(woocommerce!)).to.have.members([...Object.keys(woocommerceFields(row, 1)), 'description_truncated'])
    const [test] = schemasOf(webhooks.test)
    expect(fieldsOf(test!)).to.have.members(Object.keys(testPayload(1)))
  })

  it('has an example for each format of the calls that Baoco makes', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(ajv)
    const { webhooks } = document as unknown as { webhooks: typeof WEBHOOKS }
    const examples = Object.entries(webhooks).map(([name, { post }]) => {
      const { schema, examples } = post.requestBody.content['application/json']
      for (const [format, { value }] of Object.entries(examples))
        expect(ajv.validate(schema, value), `${name} ${format}: ${ajv.errorsText()}`).to.equal(true)
      return [name, Object.keys(examples)]
    })
    const formats = ['standard', 'woocommerce', 'custom']
    expect(Object.fromEntries(examples)).to.deep.equal({
      bankTransaction: formats,
      test: ['test', ...formats],
      alert: ['alert_raised', 'alert_ended'],
    })
  })

  it('accepts the calls that a shop receives, in every format', async () => {
    const { webhooks } = document as unknown as { webhooks: typeof WEBHOOKS }
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(ajv)
    const shop = await openShop()
    const { api_key: key } = api.owner
    const ask = async (method: string, path: string, json: object = {}) =>
      (await api.ask(method, path, { key, json })).body.data
    const { id } = await ask('POST', '/api/webhooks', { name: 'shop', url: shop.url })
    const expectDescribed = (name: keyof typeof WEBHOOKS, { headers, body }: ReceivedCall) => {
      const { parameters, requestBody } = webhooks[name].post
      for (const { name: header, required, schema } of parameters) {
        const value = headers[header.toLowerCase()]
        if (value === undefined) expect(required, header).to.equal(false)
        else expect(ajv.validate(schema, value), `${header}: ${value}`).to.equal(true)
      }
      const isValid = ajv.validate(requestBody.content['application/json'].schema, JSON.parse(body))
      expect(isValid, `${name}: ${ajv.errorsText()} ${body}`).to.equal(true)
    }
    for (const format of [
      { payload_format: 'standard' },
      { payload_format: 'woocommerce' },
      { payload_format: 'custom', custom_template: '{"order":"{{order_id}}"}' },
      { payload_format: 'custom', custom_template: '["{{order_id}}"]' },
    ]) {
      await ask('PUT', `/api/webhooks/${id}`, format)
      await ask('POST', `/api/webhooks/${id}/test`)
      await ask('POST', `/api/webhooks/${id}/test?sample=1`)
      const [test, sample] = shop.calls.splice(0)
      expectDescribed('test', test!)
      expectDescribed('test', sample!)
      expectDescribed('bankTransaction', sample!)
    }
    await shop.close()
  })

  it('is checked against every answer of these tests, and the check finds differences', () => {
    const check = answerCheck(document)
    const healthy = { method: 'GET', path: '/healthz', status: 200, contentType: 'application/json; charset=utf-8' }
    check({ ...healthy, body: { status: 'ok', version: '1.0.0' } })
    // The page of an ended counter link.
    check({ method: 'GET', path: '/counter/x', status: 404, contentType: 'text/html; charset=utf-8', body: '<p>' })
    expect(() =>
      check({ method: 'GET', path: '/counter/x', status: 404, contentType: 'application/json', body: {} }),
    ).to.throw()
    expect(() => check({ ...healthy, body: { status: 'well', version: '1.0.0' } })).to.throw('allowed values')
    expect(() => check({ ...healthy, body: { status: 'ok', version: '1.0.0', more: 1 } })).to.throw(
      'additional properties',
    )
    const transaction = {
      method: 'GET',
      path: '/api/transactions/1/history',
      status: 200,
      contentType: 'application/json',
    }
    const history = { at: '2026-11-29T10:00:00.000Z', event: 'TransactionDeleted', text: 'deleted', facts: {} }
    check({ ...transaction, body: { success: true, data: [history] } })
    expect(() => check({ ...transaction, body: { success: true, data: [{ ...history, more: 1 }] } })).to.throw(
      'additional properties',
    )
    expect(() => check({ ...healthy, status: 500, body: {} })).to.throw('not among its documented statuses')
    expect(() => check({ ...healthy, contentType: 'text/plain', body: {} })).to.throw('as text/plain')
    expect(() => check({ ...healthy, path: '/nothing', status: 400, body: {} })).to.throw('nothing declares')
  })

  it('is shown by a page that loads nothing from other hosts', async () => {
    const page = await fetch(`${api.url}/docs`)
    const html = await page.text()
    const policy = page.headers.get('content-security-policy')!
    expect(policy).to.match(/default-src 'none'/)
    expect(policy).not.to.match(/https?:|unsafe|\*/)
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
    expect(links).to.have.length(4)
    for (const link of links) {
      expect(link).to.match(/^\/docs\//)
      const file = await fetch(api.url + link)
      expect(file.status, link).to.equal(200)
      expect((await file.arrayBuffer()).byteLength).to.be.greaterThan(50)
      const again = await fetch(api.url + link, {
        headers: { 'if-none-match': file.headers.get('etag')!, 'cache-control': 'max-age=0' },
      })
      expect(again.status, link).to.equal(304)
    }
  })
})
