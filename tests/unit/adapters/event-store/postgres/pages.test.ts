import { expect } from 'chai'
import { Pages } from '../../../../../adapters/event-store/postgres/pages.ts'
import type { RecordedEvent } from '../../../../../domain/event.ts'

const TOO_LONG = new Error('too long')

describe('pages of the whole store', () => {
  /** A server that reads at most `most` events in time. */
  const open = (server: { most: number }) => {
    const asked: number[] = []
    const pages = new Pages<RecordedEvent>(
      (after, most) => {
        asked.push(most)
        return most > server.most
          ? Promise.reject(TOO_LONG)
          : Promise.resolve({ events: [], to: after + most, head: 0 })
      },
      (error) => error === TOO_LONG,
    )
    return { asked, read: () => pages.read(0, 1_000).catch((error: unknown) => error) }
  }

  it('are halved after a timeout until they are read in time, and grow again', async () => {
    const server = { most: 200 }
    const { asked, read } = open(server)
    while ((await read()) === TOO_LONG);
    expect(asked).to.deep.equal([1_000, 500, 250, 125])
    server.most = 1_000
    for (let n = 0; n < 4; n++) await read()
    expect(asked.slice(4)).to.deep.equal([250, 500, 1_000, 1_000])
  })

  it('have at least one event', async () => {
    const { asked, read } = open({ most: 0 })
    for (let n = 0; n < 30; n++) expect(await read()).to.equal(TOO_LONG)
    expect(asked.at(-1)).to.equal(1)
  })

  it('stay as large after other failures', async () => {
    const asked: number[] = []
    const pages = new Pages<RecordedEvent>(
      (_after, most) => {
        asked.push(most)
        return Promise.reject(new Error('no connection'))
      },
      (error) => error === TOO_LONG,
    )
    for (let n = 0; n < 3; n++) await pages.read(0, 1_000).catch(() => {})
    expect(asked).to.deep.equal([1_000, 1_000, 1_000])
  })
})
