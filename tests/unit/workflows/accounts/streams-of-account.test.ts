import { expect } from 'chai'
import { creditSegmentsStream, creditsStream } from '../../../../domain/credits/events.ts'
import type { EventStore, Slice } from '../../../../domain/ports.ts'
import { streamsOfAccount } from '../../../../workflows/accounts/streams-of-account.ts'

describe('the streams of an account', () => {
  const listing = { upTo: '9', transactions: [], others: [], banks: [], parked: [] }
  /** Every stream has one event. @param segments  the events of the list of credit segments */
  const foundWith = (segments: readonly unknown[]) => {
    const eventsOf = (stream: string) =>
      stream === creditSegmentsStream(5) ? segments : stream === 'parked' ? [] : [{ type: 'X', metadata: {}, data: {} }]
    const read = async (slices: readonly Slice[]) => slices.map(({ stream }) => eventsOf(stream))
    return streamsOfAccount({ read } as unknown as EventStore, 5, listing)
  }
  const begun = (segment: number) => ({ type: 'CreditSegmentBegun', metadata: { user_id: 5 }, data: { segment } })

  it('have each segment of its credits', async () => {
    const found = await foundWith([begun(1), begun(2)])
    const credits = [0, 1, 2].map((segment) => creditsStream(5, segment))
    expect('streams' in found && [...found.streams]).to.include.members(credits)
  })

  it('are not known if the list of segments cannot be read, so that the store is searched', async () => {
    const found = await foundWith([begun(1), { type: 'Unreadable', data: { stored: { type: 'CreditSegmentBegun' } } }])
    expect(found).to.deep.equal({ unknown: 'the list of credit segments cannot be read' })
  })
})
