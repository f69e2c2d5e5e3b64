/**
 * Sends hundreds of requests made from the document, some valid and some nearly valid. No answer may be a fault or break its schema, and
 * every operation must be reached. `npm run fuzz` sends ten thousand.
 *
 * `PROPERTY_SEED` repeats a run, `PROPERTY_REQUESTS` sets the number of requests.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { repetitions } from '../../harness/repetitions.ts'
import { fittingIn, nearly, ODD_TEXTS } from '../../harness/openapi/arbitrary.ts'
import type { Located, Parameter } from '../../harness/openapi/document.ts'
import { bodySchemaOf, collectionOf, make, noteMade, requestOf } from './requests.ts'
import { curlOf, openWorld, schemesOf, type Caller, type Got, type Sent, type World } from './world.ts'

const REQUESTS = Number(process.env.PROPERTY_REQUESTS ?? repetitions(10_000, 500))
const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)
/** Each operation must succeed at least this many times. */
const LEAST_DONE = repetitions(50, 5)
/** An operation that was done too rarely is tried again with requests that fit its schema: at most so many times LEAST_DONE. */
const BATCHES = 20
/** The number of callers. Each has its own resources and goes through its share of the operations. */
const LANES = 16

/** Password hashes are slow by design, and some answers wait on purpose. */
const SLOW = /\/auth\/|\/session/

/** Each call voids a credential, so these operations have a caller of their own. */
const VOIDING = /rotate|reset-password/

/** A second call is refused until the first one's effect has ended. */
const ONCE = /secret\/rotate/

interface Drawn {
  fits: boolean
  body: unknown
  query: [string, string][]
  /** `made`, `kept`, `foreign`, or any text. */
  id: string
  scheme: number
  raw: string | null
}

const BROKEN = [
  '{',
  '{"name":}',
  '[1,',
  '"\\ud800"',
  'null',
  '{"a":1e400}',
  '{"min_amount":9223372036854775808}',
  '{"__proto__":{"operator":true}}',
  '['.repeat(500) + ']'.repeat(500),
  '\ufeff{}',
  'a=b&c=d',
]

const ODD_IDS = [
  '0',
  '-1',
  '1e3',
  '01',
  '999999999999999',
  '9223372036854775808',
  'abc',
  '%00',
  '%27',
  '%F0%9F%92%A5',
  '%ff',
]

const queriesOf = (parameters: readonly Parameter[], world: World): fc.Arbitrary<[string, string][]> => {
  const fitting = fittingIn(world.document)
  const named = parameters.filter((each) => each.in === 'query')
  if (named.length === 0) return fc.constant([])
  return fc
    .record(Object.fromEntries(named.map(({ name, schema }) => [name, fitting(schema)])), {
      requiredKeys: named.filter(({ required }) => required).map(({ name }) => name),
    })
    .map((query) => Object.entries(query).map(([name, value]) => [name, String(value)]))
}

const oddQueries = (parameters: readonly Parameter[]): fc.Arbitrary<[string, string][]> => {
  const names = [...parameters.filter((each) => each.in === 'query').map(({ name }) => name), 'unknown', '__proto__']
  return fc.array(
    fc.tuple(fc.constantFrom(...names), fc.constantFrom(...ODD_TEXTS.filter((text) => text.length < 400))),
    { maxLength: 2 },
  )
}

const drawn = (world: World, operation: Located): fc.Arbitrary<Drawn> => {
  const schema = bodySchemaOf(world, operation)
  const body = schema ? fittingIn(world.document)(schema) : fc.constant(undefined)
  const parameters = operation.parameters ?? []
  const scheme = fc.nat({ max: 9 })
  const fits = fc.record({
    fits: fc.constant(true),
    body,
    query: queriesOf(parameters, world),
    id: fc.constantFrom('made', 'kept'),
    scheme,
    raw: fc.constant(null),
  })
  const odd = fc.record({
    fits: fc.constant(false),
    body: schema ? nearly(body) : fc.constant(undefined),
    query: oddQueries(parameters),
    id: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('kept', 'foreign') }, fc.constantFrom(...ODD_IDS)),
    scheme,
    raw: schema ? fc.option(fc.constantFrom(...BROKEN), { freq: 4 }) : fc.constant(null),
  })
  return fc.oneof({ weight: 3, arbitrary: fits }, { weight: 2, arbitrary: odd })
}

describe('requests made from the document', () => {
  let world: World
  let sent = 0
  const done = new Map<string, number>()
  const statuses = new Map<number, number>()
  /** The newest cursor of each list. */
  const cursors = new Map<string, string>()

  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const idFor = async (operation: Located, caller: Caller, foreign: Caller, id: string): Promise<string | number> => {
    const collection = collectionOf(operation.path)
    if (collection === null) return ''
    if (id === 'foreign') return idOfKept(foreign, collection)
    // A resource that an operation removes is made for that call.
    const isUsedUp = operation.method === 'DELETE' || ONCE.test(operation.path)
    const uses = isUsedUp ? ['made', 'kept'] : operation.method === 'POST' ? ['made'] : []
    if (uses.includes(id)) return make(world, caller, collection)
    if (id === 'made' || id === 'kept') return idOfKept(caller, collection)
    return id
  }

  const keptIds = new Map<string, Promise<number>>()
  /** One resource of each collection that only its own operations may remove. */
  const idOfKept = (caller: Caller, collection: string): Promise<number> => {
    const key = `${caller.user_id} ${collection}`
    if (!keptIds.has(key)) keptIds.set(key, make(world, caller, collection, true))
    return keptIds.get(key)!
  }

  const prepared = async (operation: Located, caller: Caller, foreign: Caller, given: Drawn): Promise<Sent> => {
    const schemes = schemesOf(operation)
    const scheme = schemes[given.scheme % Math.max(1, schemes.length)] ?? null
    const id = await idFor(operation, caller, foreign, given.id)
    // A cursor is valid only if it came from an answer.
    const query = given.query.flatMap(([name, value]): [string, string][] => {
      if (!given.fits || name !== 'cursor') return [[name, value]]
      const cursor = cursors.get(operation.operationId)
      return cursor === undefined ? [] : [[name, cursor]]
    })
    // A request that does not fit the schema is sent as drawn, without meaningful values.
    const body = given.fits ? { body: given.body } : { raw: given.raw ?? JSON.stringify(given.body) ?? '' }
    return requestOf(world, operation, caller, { scheme, id, query, ...body })
  }

  const tried = async (request: Sent): Promise<Got> => {
    const got = await world.send(request).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\n${curlOf(world.api.url, request)}`)
    })
    statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1)
    return got
  }

  const call = async (operation: Located, caller: Caller, request: Sent): Promise<boolean> => {
    sent++
    const got = await tried(request)
    if (got.status >= 500) throw new Error(`a fault, ${got.status}\n${curlOf(world.api.url, request)}`)
    if (got.status >= 300) return false
    done.set(operation.operationId, (done.get(operation.operationId) ?? 0) + 1)
    await noteMade(world, caller, operation, got.body)
    const { next_cursor } = (got.body ?? {}) as { next_cursor?: string | null }
    if (next_cursor) cursors.set(operation.operationId, next_cursor)
    const { api_key, url } = (got.body?.data ?? {}) as { api_key?: string; url?: string }
    if (VOIDING.test(operation.path) && api_key) caller.api_key = api_key
    if (VOIDING.test(operation.path) && url) caller.receive_token = url.split('/').at(-1)!
    return true
  }

  const goThrough = async (operation: Located, caller: Caller, foreign: Caller, runs: number): Promise<void> => {
    const request = drawn(world, operation)
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        await call(operation, caller, await prepared(operation, caller, foreign, given))
      }),
      { numRuns: runs, seed: SEED, endOnFailure: true, includeErrorInReport: true },
    )
    const count = () => done.get(operation.operationId) ?? 0
    const fitting = request.filter(({ fits }) => fits)
    for (let batch = 1; batch <= BATCHES && count() < LEAST_DONE; batch++)
      for (const given of fc.sample(fitting, { numRuns: LEAST_DONE, seed: SEED + batch })) {
        if (count() >= LEAST_DONE) break
        await call(operation, caller, await prepared(operation, caller, foreign, given))
      }
    expect(count(), `${operation.operationId}: times done`).to.be.at.least(LEAST_DONE)
  }

  it(`break nothing and reach every operation, seed ${SEED}`, async function () {
    this.timeout(900_000)
    const foreign = await world.newCaller()
    const slow = world.operations.filter(({ path }) => SLOW.test(path))
    const quick = world.operations.filter(({ path }) => !SLOW.test(path))
    const runsOfSlow = repetitions(60, 6)
    const runs = Math.max(LEAST_DONE, Math.ceil((REQUESTS - slow.length * runsOfSlow) / quick.length))
    const waiting = [...slow, ...quick]
    const lane = async (): Promise<void> => {
      const own = await world.newCaller()
      for (let operation = waiting.shift(); operation; operation = waiting.shift()) {
        const caller = operation['x-operator-only']
          ? world.owner
          : VOIDING.test(operation.path)
            ? await world.newCaller()
            : own
        await goThrough(operation, caller, foreign, slow.includes(operation) ? runsOfSlow : runs)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    expect(sent).to.be.at.least(REQUESTS)
    expect(Math.max(...statuses.keys())).to.be.lessThan(500)
    expect(world.api.warnings).to.deep.equal([])
  })
})
