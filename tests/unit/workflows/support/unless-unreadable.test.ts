import { expect } from 'chai'
import { parseEvent, UnreadableEvent, type Unreadable } from '../../../../domain/parse-event.ts'
import { unlessUnreadable } from '../../../../workflows/support/unless-unreadable.ts'

const unreadable = parseEvent({
  id: '',
  type: 'NotYetInvented',
  data: {},
  metadata: null as never,
  stream: 'account-1',
  revision: 3,
  checkpoint: '1',
}) as Unreadable

describe('work on many streams', () => {
  it('passes over a stream with an event that cannot be read', async () => {
    expect(await unlessUnreadable(() => Promise.reject(new UnreadableEvent(unreadable)))).to.equal(undefined)
    expect(await unlessUnreadable(() => Promise.resolve(5))).to.equal(5)
  })

  it('fails with any other error', async () => {
    const failed = await unlessUnreadable(() => Promise.reject(new Error('away'))).catch((error: unknown) => error)
    expect((failed as Error).message).to.equal('away')
  })
})
