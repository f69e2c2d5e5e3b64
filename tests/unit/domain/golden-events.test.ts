import { expect } from 'chai'
import type { z } from 'zod'
import { eventSchemas } from '../../../domain/catalogue.ts'
import { isReadable, parseEvent } from '../../../domain/parse-event.ts'
import { newestVersion } from '../../../domain/upcasters/index.ts'
import { goldenFile, goldenNames, schemaOf } from '../../corpus/golden-events.ts'

const AT = '2026-01-01T00:00:00.000Z'
const stored = (type: string, version: number, data: unknown) => ({
  id: 'id',
  type,
  data,
  metadata: { user_id: 1, at: AT, correlation_id: '', causation_id: '', version },
  stream: 'stream',
  revision: 0,
  checkpoint: '1',
})

describe('golden files of events', () => {
  it('exist for each version of each event, and for nothing else', () => {
    const versions = [...eventSchemas.keys()].flatMap((type) =>
      Array.from({ length: newestVersion(type) }, (_, n) => `${type}.v${n + 1}`),
    )
    expect(goldenNames().sort()).to.deep.equal(versions.sort())
  })

  for (const [type, schema] of eventSchemas) {
    it(`${type} has the schema of its newest version`, () => {
      const newest = newestVersion(type)
      const isSame =
        JSON.stringify(schemaOf(schema as z.ZodObject)) === JSON.stringify(goldenFile(type, newest)?.schema)
      const advice = `append an upcaster in domain/upcasters, then run npm run golden-events: version ${newest + 1}`
      expect(isSame, `the schema of ${type} changed, so it needs a new version: ${advice}`).to.equal(true)
    })

    it(`${type} is read in each version that was written`, () => {
      for (let version = 1; version <= newestVersion(type); version++)
        for (const data of goldenFile(type, version)!.examples) {
          const event = parseEvent(stored(type, version, data))
          expect(isReadable(event), JSON.stringify(event.data)).to.equal(true)
        }
    })
  }

  it('InboxOpened is read as the first release wrote it, without its time', () => {
    const { created_at: _, ...data } = goldenFile('InboxOpened', 1)!.examples[0] as Record<string, unknown>
    expect(isReadable(parseEvent(stored('InboxOpened', 1, data)))).to.equal(true)
  })
})
