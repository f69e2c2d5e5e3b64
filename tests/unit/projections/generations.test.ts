import { expect } from 'chai'
import { fingerprintOf } from '../../../projections/engine/sql.ts'
import { MAIN_GENERATIONS, SEARCH_GENERATIONS } from '../../../projections/generations.ts'
import { main } from '../../../projections/main.ts'
import { search } from '../../../projections/search.ts'

describe('the generations of the read models', () => {
  for (const [name, definition, generations] of [
    ['MAIN_GENERATIONS', main, MAIN_GENERATIONS],
    ['SEARCH_GENERATIONS', search, SEARCH_GENERATIONS],
  ] as const)
    it(`${name} ends with the current read models`, () => {
      const present = fingerprintOf(definition)
      expect(generations.at(-1), `the read models have changed: add '${present}' to ${name}`).to.equal(present)
      expect(definition.generation).to.equal(generations.length)
      expect(new Set(generations).size).to.equal(generations.length)
    })
})
