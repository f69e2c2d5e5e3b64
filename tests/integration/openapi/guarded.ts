/** Sends requests to every operation that a guard applies to. */
import { expect } from 'chai'
import type { Located, Schema } from '../../harness/openapi/document.ts'
import { bodySchemaOf, requestOf } from './requests.ts'
import { openWorld, type Caller, type Got, type Sent, type World } from './world.ts'

export const JSON_TYPE = { 'content-type': 'application/json' }

/** An installation and its caller for one suite. To be called in a `describe`. */
export const guarded = () => {
  let world: World
  let caller: Caller

  before(async () => {
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

  return {
    get world() {
      return world
    },
    get caller() {
      return caller
    },
    contentOf,
    takesJson,
    needsJson,
    takesAnything,
    codes,
    as,
    propertiesOf,
    withBody,
    expectation,
    done,
    invalid,
    overAll,
  }
}
