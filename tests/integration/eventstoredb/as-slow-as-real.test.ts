import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn, type StandIn } from '../../harness/eventstoredb/server.ts'
import { writeTime } from '../../harness/eventstoredb/writer.ts'

describe('a stand-in that is as slow as a real EventStoreDB', () => {
  let standIn: StandIn
  let client: EventStoreDBClient
  beforeEach(async () => {
    standIn = await startStandIn({ isAsSlowAsReal: true })
    client = EventStoreDBClient.connectionString(standInUrl(standIn.port))
  })
  afterEach(async () => {
    await client.dispose()
    await standIn.close()
  })

  const append = (stream: string) =>
    client.appendToStream(stream, jsonEvent({ type: 'Tried', data: { id: randomUUID() } }), {
      expectedRevision: NO_STREAM,
    })

  it('writes no faster than the real one', async () => {
    await append('first')
    const began = performance.now()
    const IN_FLIGHT = 64
    const ROUNDS = 10
    const lane = async (number: number) => {
      for (let round = 0; round < ROUNDS; round++) await append(`stream-${number}-${round}`)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, (_, number) => lane(number)))
    // All in flight are written at once, at best.
    expect(performance.now() - began).to.be.greaterThan(ROUNDS * writeTime(IN_FLIGHT) * 0.9)
  })

  it('writes one of two appends at the same place', async () => {
    const outcomes = await Promise.allSettled([append('same'), append('same'), append('other')])
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
  })
})
