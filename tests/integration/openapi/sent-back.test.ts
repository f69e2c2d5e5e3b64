/** A PUT accepts what its GET has answered, and changes nothing by it (decisions, "Bodies"). The resources are those of the document. */
import { expect } from 'chai'
import type { Located } from '../../harness/openapi/document.ts'
import { guarded } from './guarded.ts'
import { isDone } from './outcomes.ts'
import { collectionOf, make, requestOf } from './requests.ts'

describe('the response to a GET', () => {
  const suite = guarded()

  const has = (method: string, path: string | null): boolean =>
    suite.world.operations.some((each) => each.method === method && each.path === path)

  /** The PUTs of resources that can be read, alone or in the list of their collection. */
  const changes = (): Located[] =>
    suite.world.operations.filter(
      ({ method, path }) => method === 'PUT' && (has('GET', path) || has('GET', collectionOf(path))),
    )

  const read = async ({ path }: Located, id: number | null, key: string): Promise<object> => {
    const isListed = !has('GET', path)
    const from = isListed ? collectionOf(path)! : path.replace('{id}', String(id))
    const { body } = await suite.world.api.ask('GET', from, { key })
    return isListed ? body.data.find((each: { id: number }) => each.id === id) : body.data
  }

  it('may be sent back in a PUT, which changes nothing', async () => {
    const { world, caller } = suite
    const made = { name: 'plugin', scopes: ['write'] }
    const scoped = await world.api.ask('POST', '/api/account/api-keys', { key: caller.api_key, json: made })
    const wrong: string[] = []
    for (const operation of changes()) {
      const collection = collectionOf(operation.path)
      const id = collection === null ? null : await make(world, caller, collection, true)
      const first = isDone(await world.send(await requestOf(world, operation, caller, id === null ? {} : { id })))
      if (first) wrong.push(`${operation.path}, the first PUT: ${first}`)
      const before = await read(operation, id, caller.api_key)
      for (const key of [caller.api_key, scoped.body.data.api_key as string]) {
        const json = await read(operation, id, key)
        const { status, body } = await world.api.ask('PUT', operation.path.replace('{id}', String(id)), { key, json })
        if (status !== 200) wrong.push(`${operation.path}: ${status} ${JSON.stringify(body.issues ?? body)}`)
        expect(await read(operation, id, caller.api_key), operation.path).to.deep.equal(before)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  it('is tested for every PUT of the document whose resource has a GET', () => {
    const untested = suite.world.operations.filter((each) => each.method === 'PUT' && !changes().includes(each))
    expect(untested.map(({ path }) => path)).to.have.members(['/api/affiliate/bank', '/inbox/{token}'])
  })
})
