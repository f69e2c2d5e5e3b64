import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventsDocument } from '../../../docs/generate-events.ts'
import { eventSchemas, streamKinds } from '../../../domain/catalogue.ts'

describe('the catalogue of events', () => {
  it('matches docs/events.md, which npm run docs generates', async () => {
    expect(await readFile(join(process.cwd(), 'docs/events.md'), 'utf8')).to.equal(eventsDocument())
  })

  it('contains every event type in exactly one kind of stream', () => {
    const types = streamKinds.flatMap(({ events }) => Object.keys(events))
    expect(types).to.have.lengthOf(eventSchemas.size)
  })
})
