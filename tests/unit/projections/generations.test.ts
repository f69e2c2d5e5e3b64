import { expect } from 'chai'
import { fingerprintOf } from '../../../projections/engine/sql.ts'
import { MAIN_GENERATIONS, SEARCH_GENERATIONS } from '../../../projections/generations.ts'
import { main } from '../../../projections/main.ts'
import { search } from '../../../projections/search.ts'
import { withGeneration } from '../../corpus/generations.ts'

describe('the generations of the read models', () => {
  for (const [name, definition, generations] of [
    ['MAIN_GENERATIONS', main, MAIN_GENERATIONS],
    ['SEARCH_GENERATIONS', search, SEARCH_GENERATIONS],
  ] as const)
    it(`${name} ends with the current read models`, () => {
      const present = fingerprintOf(definition)
      expect(generations.at(-1), 'the read models have changed: run npm run generations').to.equal(present)
      expect(definition.generation).to.equal(generations.length)
      expect(new Set(generations).size).to.equal(generations.length)
    })

  it('get one more for changed read models, and none for the same ones', () => {
    const before =
      "export const FIRST: readonly string[] = [\n  'a1',\n  'b2',\n]\nexport const OTHER: readonly string[] = ['c3']\n"
    const after = withGeneration(before, 'OTHER', 'd4')
    expect(after).to.equal(before.replace("['c3']", "['c3', 'd4']"))
    expect(withGeneration(after, 'OTHER', 'd4')).to.equal(after)
    expect(withGeneration(before, 'FIRST', 'd4')).to.include(
      "'b2', 'd4']\nexport const OTHER: readonly string[] = ['c3']",
    )
  })
})
