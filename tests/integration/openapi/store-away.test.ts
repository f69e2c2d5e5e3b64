/** Every operation of the API while the event store is away: it is answered from the read models, or is to be sent again. */
import { expect } from 'chai'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { StoreAway } from '../../../domain/errors.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { requestOf } from './requests.ts'
import { openWorld, schemesOf, type Caller, type World } from './world.ts'

/** Signed-in reads of what only the event store has. */
const ONLY_IN_THE_STORE = ['get /api/transactions/{id}/history', 'get /api/affiliate', 'get /api/operator/status']

describe('every operation while the event store is away', () => {
  let world: World
  let caller: Caller
  let isAway = false

  before(async () => {
    const openStores = async (url: string) => {
      const store = await openPostgresEventStore({ url, parse: parseEvent })
      const orAway = <Result>(call: () => Promise<Result>): Promise<Result> =>
        isAway ? Promise.reject(new StoreAway('away')) : call()
      const requestStore: EventStore = {
        ...store,
        read: (slices) => orAway(() => store.read(slices)),
        append: (units) => orAway(() => store.append(units)),
        end: () => orAway(() => store.end()),
      }
      return { store, requestStore }
    }
    world = await openWorld({ openStores })
    caller = await world.newCaller()
  })
  after(() => world.close())

  it('is answered, or refused with 503 and Retry-After', async () => {
    const refusedReads: string[] = []
    const wrong: string[] = []
    for (const operation of world.operations) {
      const name = `${operation.method.toLowerCase()} ${operation.path}`
      const request = await requestOf(world, operation, operation['x-operator-only'] ? world.owner : caller)
      isAway = true
      const { status, headers, body } = await world.send(request).finally(() => (isAway = false))
      const isRefused = status === 503 && (body.error === undefined || headers['retry-after'] === '5')
      const isRead = /^(get|head) /.test(name)
      const isOwners = schemesOf(operation).includes('jwt')
      if (isRefused && isRead && isOwners) refusedReads.push(name)
      if (!isRefused && (status >= 300 || (isOwners && !isRead))) wrong.push(`${name}: ${status}`)
    }
    expect(wrong).to.deep.equal([])
    expect(refusedReads).to.have.members(ONLY_IN_THE_STORE)
  })
})
