import { expect } from 'chai'
import { followStream, type StreamEvent } from '../../../../web/app/follow-stream.ts'
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

  it('hands over events and positions, however the network cuts them into pieces', async () => {
    const sent =
      'retry: 2000\n\nid: e.1\n\n: still here\nid: e.2\n\n: still here\n\nid: e.3\nevent: alert\ndata: {"a":": 1\u2028"}\n\nevent: end\ndata: {}\n\n'
    for (const size of [1, 7, sent.length]) {
      const body = new ReadableStream({
        start: (source) => {
          for (let from = 0; from < sent.length; from += size)
            source.enqueue(new TextEncoder().encode(sent.slice(from, from + size)))
          source.close()
        },
      })
      Object.assign(globalThis, { fetch: () => Promise.resolve(new Response(body)) })
      const events: StreamEvent[] = []
      await new Promise<void>((done) => {
        const onAway = () => {
          followed.stop()
          done()
        }
        const followed = followStream({
          path: () => '/',
          onOpen: () => {},
          onAway,
          onEvent: ({ id, event, data }) => void ((id ?? event) && events.push({ id, event, data })),
        })
      })
      expect(events).to.deep.equal([
        { id: 'e.1', event: undefined, data: undefined },
        { id: 'e.2', event: undefined, data: undefined },
        { id: 'e.3', event: 'alert', data: '{"a":": 1\u2028"}' },
      ])
    }
  })
  it('ends with an answer that ends everything', async () => {
    Object.assign(globalThis, { fetch: () => Promise.resolve(new Response(null, { status: 404 })) })
    const refused: number[] = []
    let isAway = false
    await new Promise<void>((done) => {
      const followed = followStream({
        path: () => '/',
        onOpen: () => {},
        onAway: () => {
          isAway = true
          followed.stop()
          done()
        },
        onEvent: () => {},
        onRefused: ({ status }) => {
          refused.push(status)
          setTimeout(done)
          return true
        },
      })
    })
    expect(refused).to.deep.equal([404])
    expect(isAway).to.equal(false)
  })
})
