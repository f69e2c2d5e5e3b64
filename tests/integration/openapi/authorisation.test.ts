/**
 * Tests every operation of the document with every kind of caller. The tests contain no list of operations, so a new operation cannot
 * be forgotten: the expected results follow from the credentials that the operation declares.
 */
import { expect } from 'chai'
import { scope, type Scope } from '../../../domain/account/api-keys.ts'
import { jsonWebTokens } from '../../../adapters/http/middleware/json-web-tokens.ts'
import { DAY_MS } from '../../../domain/time.ts'
import type { Located, Schema } from '../../harness/openapi/document.ts'
import { JWT_SECRET } from '../http/api-under-test.ts'
import { codesOf, isDone, isProtected, isRefused, lacksScope } from './outcomes.ts'
import { bodySchemaOf, collectionOf, make, noteMade, requestOf } from './requests.ts'
import { openWorld, schemesOf, type Caller, type World } from './world.ts'

/** These operations void a credential of the caller. */
const VOIDING = /rotate|reset-password/

/** Tokens, keys, and the secrets of rules. The code of a referral link (`bca_`) is public. */
const SECRET = /bc[b-z]_\d+\.[\w-]{12,}|\b[0-9a-f]{48}\b/

describe('authorisation', () => {
  let world: World
  let alice: Caller
  let bob: Caller

  before(async () => {
    world = await openWorld()
    alice = await world.newCaller()
    bob = await world.newCaller()
  })
  after(() => world.close())

  const callerFor = (operation: Located): Promise<Caller> | Caller =>
    operation['x-operator-only'] ? world.owner : VOIDING.test(operation.path) ? world.newCaller() : alice

  /** Runs a check on each of the operations and reports every operation that fails it. */
  const overAll = async (
    which: (operation: Located) => boolean,
    expectation: (operation: Located) => Promise<string | null>,
  ): Promise<void> => {
    const operations = world.operations.filter(which)
    expect(operations).not.to.be.empty
    const wrong: string[] = []
    for (const operation of operations) {
      const problem = await expectation(operation)
      if (problem !== null) wrong.push(`${operation.method} ${operation.path}: ${problem}`)
    }
    expect(wrong).to.deep.equal([])
  }

  it('refuses protected operations and allows public ones without a credential', async () => {
    await overAll(
      () => true,
      async (operation) => {
        const caller = await callerFor(operation)
        const got = await world.send(await requestOf(world, operation, caller, { scheme: null }))
        await noteMade(world, caller, operation, got.body)
        return isProtected(operation) ? isRefused(got) : isDone(got)
      },
    )
  })

  it('allows the operation with every declared credential', async () => {
    await overAll(isProtected, async (operation) => {
      for (const scheme of schemesOf(operation)) {
        const caller = await callerFor(operation)
        const got = await world.send(await requestOf(world, operation, caller, { scheme }))
        await noteMade(world, caller, operation, got.body)
        const problem = isDone(got)
        if (problem) return `by ${scheme}: ${problem}`
      }
      return null
    })
  })

  it('refuses a credential that the operation does not declare', async () => {
    const all = Object.keys(world.document.components.securitySchemes)
    await overAll(isProtected, async (operation) => {
      const declared = schemesOf(operation)
      for (const scheme of all.filter((each) => !declared.includes(each))) {
        const got = await world.send(await requestOf(world, operation, alice, { scheme, id: 1 }))
        // A scoped key is an API key. It is recognised, but lacks the scope.
        const isKnown = scheme === 'receive_key' && declared.includes('api_key')
        const problem = isKnown ? lacksScope(got) : isRefused(got)
        if (problem) return `by ${scheme}: ${problem}`
      }
      return null
    })
  })

  it('lets a scoped key do only what its scope allows, and shows it no secret', async () => {
    const keysOf = async (key: string): Promise<Map<Scope, string>> => {
      const made = await Promise.all(
        scope.options.map(async (each): Promise<[Scope, string]> => {
          const json = { name: each, scopes: [each] }
          const { body } = await world.api.ask('POST', '/api/account/api-keys', { key, json })
          return [each, body.data.api_key as string]
        }),
      )
      return new Map(made)
    }
    const [owners, alices] = [await keysOf(world.owner.api_key), await keysOf(alice.api_key)]
    await overAll(
      (operation) => schemesOf(operation).includes('api_key'),
      async (operation) => {
        const needed = operation['x-scopes'] as readonly Scope[]
        const caller = operation['x-operator-only'] ? world.owner : alice
        for (const [each, key] of operation['x-operator-only'] ? owners : alices) {
          const mayDo = needed.includes(each) || (each === 'write' && needed.includes('read'))
          const request = await requestOf(world, operation, caller, { scheme: 'api_key', ...(mayDo ? {} : { id: 1 }) })
          const got = await world.send({ ...request, headers: { ...request.headers, 'x-api-key': key } })
          await noteMade(world, caller, operation, got.body)
          const problem = mayDo ? isDone(got) : lacksScope(got)
          if (problem) return `with ${each}: ${problem}`
          const [secret] = SECRET.exec(JSON.stringify(got.body)) ?? []
          if (secret && operation.path !== '/api/systems/connect') return `with ${each}: it shows ${secret}`
          const raw = `${request.path}${request.path.includes('?') ? '&' : '?'}include_raw=1`
          if (mayDo && JSON.stringify(operation.parameters ?? []).includes('include_raw')) {
            const asked = await world.send({ ...request, path: raw, headers: { ...request.headers, 'x-api-key': key } })
            if (lacksScope(asked)) return `with ${each} and include_raw: ${asked.status}`
          }
        }
        return null
      },
    )
  })

  it('lets no scoped key create keys or links that open the account', () => {
    const forNone = world.operations.filter(
      (operation) => (operation['x-scopes'] as unknown[] | undefined)?.length === 0,
    )
    expect(forNone.map(({ method, path }) => `${method} ${path}`)).to.include.members([
      'GET /api/account/api-keys',
      'POST /api/account/api-keys',
      'DELETE /api/account/api-keys/{id}',
      'POST /api/account/api-key/rotate',
      'POST /api/receive-url/rotate',
      'POST /api/devices',
      'POST /api/counter',
    ])
  })

  it('refuses credentials that are altered, invented, of another kind or of no account', async () => {
    const last = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A')
    const bad: Partial<Caller>[] = [
      { api_key: `${alice.api_key}A`, jwt: `${alice.jwt}A`, device_token: `${alice.device_token}A`, receive_key: `${alice.receive_key}A`, session: async () => `${await alice.session()}A` },
      { api_key: alice.api_key.replace(/^([a-z]+_)\d+/, '$1999999'), jwt: 'a.b.c', device_token: 'x', receive_key: alice.receive_key.replace(/^([a-z]+_)\d+/, '$1999999'), session: async () => 'x' },
      { api_key: alice.device_token, jwt: await alice.session(), device_token: alice.receive_token, receive_key: alice.device_token, session: async () => alice.jwt },
      { api_key: alice.jwt, jwt: alice.api_key, device_token: alice.api_key, receive_key: alice.api_key, session: async () => alice.api_key },
      { api_key: last(alice.api_key), jwt: 'null', device_token: '0', receive_key: last(alice.receive_key), session: async () => '%00' },
    ] // prettier-ignore
    await overAll(isProtected, async (operation) => {
      for (const scheme of schemesOf(operation))
        for (const [index, forged] of bad.entries()) {
          const caller = { ...alice, ...forged }
          const problem = isRefused(await world.send(await requestOf(world, operation, caller, { scheme, id: 1 })))
          if (problem) return `by ${scheme}, forged ${index}: ${problem}`
        }
      return null
    })
  })

  it('refuses expired credentials', async () => {
    const account = (await world.api.accounts.find(alice.user_id))!
    const tokens = jsonWebTokens(JWT_SECRET, { now: () => new Date(Date.now() - 8 * DAY_MS) })
    const jwt = await tokens.sign(account, 'login')
    const expired = { ...alice, jwt, session: () => tokens.sign(account, 'session') }
    await overAll(
      (operation) => schemesOf(operation).some((scheme) => ['jwt', 'session'].includes(scheme)),
      async (operation) => {
        for (const scheme of schemesOf(operation).filter((each) => ['jwt', 'session'].includes(each))) {
          const problem = isRefused(await world.send(await requestOf(world, operation, expired, { scheme, id: 1 })))
          if (problem) return `by ${scheme}: ${problem}`
        }
        return null
      },
    )
  })

  it('answers that an account is locked, but still accepts what its phones and its personal URL send', async () => {
    const locked = await world.newCaller()
    const { user_id } = locked
    await world.api.decree(user_id, { type: 'AccountLocked', data: { user_id, reason: 'test' } })
    await overAll(
      (operation) => isProtected(operation) || operation.path.includes('{token}'),
      async (operation) => {
        for (const scheme of [...schemesOf(operation), ...(isProtected(operation) ? [] : [null])]) {
          const got = await world.send(await requestOf(world, operation, locked, { scheme, id: 1 }))
          const namesTheLock = codesOf(operation, '403').includes('AccountLockedError')
          const problem = namesTheLock ? (got.body.error === 'ACCOUNT_LOCKED' ? null : `${got.status}`) : isDone(got)
          if (problem) return `by ${scheme}: ${problem}`
        }
        return null
      },
    )
  })

  it('hides another user’s resource in the path, and leaves it unchanged', async () => {
    await overAll(
      (operation) => collectionOf(operation.path) !== null && !operation['x-operator-only'],
      async (operation) => {
        const collection = collectionOf(operation.path)!
        const id = await make(world, alice, collection, true)
        const shown = () => world.api.ask('GET', `${collection}/${id}`, { key: alice.api_key })
        const before = await shown()
        for (const scheme of schemesOf(operation)) {
          const got = await world.send(await requestOf(world, operation, bob, { scheme, id }))
          if (got.status !== 404 || got.body.error !== 'NOT_FOUND') return `by ${scheme}: ${got.status}`
        }
        const after = await shown()
        if (JSON.stringify(after.body) !== JSON.stringify(before.body))
          return `it has changed: ${JSON.stringify(after.body)}`
        await world.api.ask('DELETE', `${collection}/${id}`, { key: alice.api_key })
        return null
      },
    )
  })

  it('refuses another user’s resource in the body, and lets nobody change its owner', async () => {
    const idFields = (operation: Located): [string, Schema][] =>
      Object.entries((bodySchemaOf(world, operation)?.properties ?? {}) as Record<string, Schema>).filter(([name]) =>
        /(^|_)ids?$/.test(name),
      )
    await overAll(
      (operation) => idFields(operation).length > 0,
      async (operation) => {
        for (const [name, schema] of idFields(operation)) {
          const collection = collectionNamed(name)
          const foreign = collection ? await make(world, alice, collection, true) : alice.user_id
          const request = await requestOf(world, operation, bob)
          const given = {
            ...(JSON.parse(request.body!.toString()) as object),
            [name]: name.endsWith('s') ? [foreign] : foreign,
          }
          const got = await world.send({ ...request, body: JSON.stringify(given) })
          if (collection) await world.api.ask('DELETE', `${collection}/${foreign}`, { key: alice.api_key })
          // Read-only fields may be sent back, and are ignored.
          const passedOver = schema.type === undefined && schema.anyOf === undefined
          if (!passedOver && got.status !== 400 && got.status !== 404) return `${name}: ${got.status}`
          const { id, user_id } = (got.body.data ?? {}) as { id?: number; user_id?: number }
          if (passedOver && (id === foreign || (user_id !== undefined && user_id !== bob.user_id)))
            return `${name} was taken`
        }
        return null
      },
    )
  })

  /** Finds the collection that an id field refers to: `system_id` refers to `/api/systems`. */
  const collectionNamed = (field: string): string | null => {
    const words = [field.replace(/_ids?$/, '').replaceAll('_', '-')]
    if (words[0] === 'rule' || words[0] === 'webhook-rule') words.push('webhook')
    const paths = words.map((word) => `/api/${word}s`)
    return world.operations.map(({ path }) => path).find((path) => paths.includes(path)) ?? null
  }

  it('hides the operator’s operations from others', async () => {
    await overAll(
      (operation) => operation['x-operator-only'] === true,
      async (operation) => {
        for (const scheme of schemesOf(operation)) {
          const got = await world.send(await requestOf(world, operation, alice, { scheme, id: 1 }))
          if (got.status !== 404) return `by ${scheme}: ${got.status}`
        }
        return null
      },
    )
    for (const operation of world.operations)
      if (/^\/api\/(operator|outbox)/.test(operation.path))
        expect(operation['x-operator-only'], operation.path).to.equal(true)
  })

  it('refuses changes with a session from other origins or without an origin', async () => {
    await overAll(
      (operation) => schemesOf(operation).includes('session') && operation.method !== 'GET',
      async (operation) => {
        const request = await requestOf(world, operation, alice, { scheme: 'session', id: 1 })
        const { origin: _, ...headers } = request.headers
        for (const origin of ['https://evil.example', 'null', 'https://evil.baoco.example', null]) {
          const got = await world.send({ ...request, headers: origin === null ? headers : { ...headers, origin } })
          if (got.body.error !== 'FORBIDDEN_ORIGIN') return `from ${origin}: ${got.status}`
        }
        return null
      },
    )
  })
})
