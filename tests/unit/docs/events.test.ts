import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventsDocument } from '../../../docs/generate-events.ts'
import { eventSchemas, streamKinds } from '../../../domain/catalogue.ts'

describe('the catalogue of events', () => {
  it('is what docs/events.md says: npm run docs makes it so', async () => {
    expect(await readFile(join(process.cwd(), 'docs/events.md'), 'utf8')).to.equal(eventsDocument())
  })

  it('has every type of event in one kind of stream only', () => {
    const types = streamKinds.flatMap(({ events }) => Object.keys(events))
    expect(types).to.have.lengthOf(eventSchemas.size)
  })
})
