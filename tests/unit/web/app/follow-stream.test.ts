import { followStream } from '../../../../web/app/follow-stream.ts'
import { eventually } from '../../../harness/eventually.ts'

describe('a stream that is followed', () => {
  const { fetch: realFetch } = globalThis
  const { now: realNow } = Date
  afterEach(() => Object.assign(Date, { now: realNow }))
  afterEach(() => Object.assign(globalThis, { fetch: realFetch }))

  it('is opened again when the user comes back, if the clock was set back since it last sent something', async () => {
    let opened = 0
    /** A connection on which nothing arrives. */
    const silent = (_path: string, { signal }: { signal: AbortSignal }) => {
      const body = new ReadableStream({
        start: (source) => signal.addEventListener('abort', () => source.error(signal.reason)),
      })
      return Promise.resolve(new Response(body))
    }
    Object.assign(globalThis, { fetch: silent })
    const followed = followStream({ path: () => '/', onOpen: () => opened++, onAway: () => {}, onEvent: () => {} })
    try {
      await eventually(() => opened === 1)
      followed.comeBack()
      Date.now = () => realNow() - 7 * 3_600_000
      followed.comeBack()
      await eventually(() => opened === 2, { within: 5_000 })
    } finally {
      followed.stop()
    }
  })
})
