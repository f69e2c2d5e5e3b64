/**
 * Appends the current read models to their history, after a change of a table or of a projection's version. `npm run generations` runs it and
 * writes `projections/generations.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fingerprintOf } from '../../projections/engine/sql.ts'
import { main } from '../../projections/main.ts'
import { search } from '../../projections/search.ts'

const FILE = new URL('../../projections/generations.ts', import.meta.url)

/** @returns the text of the file with one more generation at the end of a list, unless the list ends with it */
export const withGeneration = (text: string, list: string, fingerprint: string): string =>
  text.replace(new RegExp(`(${list}[^=]*= \\[[^\\]]*'(\\w+)'),?\\s*\\]`), (whole, kept: string, last: string) =>
    last === fingerprint ? whole : `${kept}, '${fingerprint}']`,
  )

if (process.argv[1]?.endsWith('generations.ts')) {
  const text = withGeneration(readFileSync(FILE, 'utf8'), 'MAIN_GENERATIONS', fingerprintOf(main))
  writeFileSync(FILE, withGeneration(text, 'SEARCH_GENERATIONS', fingerprintOf(search)))
}
