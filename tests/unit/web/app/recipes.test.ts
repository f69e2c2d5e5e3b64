/** The recipes of the page say what `docs/connect-a-phone.md` says, whose blocks another test sends. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { RECIPES } from '../../../../web/app/recipes.ts'

const DOC = readFileSync(new URL('../../../../docs/connect-a-phone.md', import.meta.url), 'utf8')
/** The section of one app. */
const sectionOf = (heading: string): string => DOC.split(/^## /m).find((section) => section.startsWith(heading)) ?? ''
const HEADINGS: Record<string, string> = { tasker: 'Tasker with AutoNotification', other: 'Any other app' }

describe('the recipes for forwarder apps', () => {
  for (const { id, name, query, template } of RECIPES)
    it(`are those of the documentation: ${id}`, () => {
      const section = sectionOf(HEADINGS[id] ?? name)
      // Without the sender in the address, notifications would be ignored.
      const queries = [...section.matchAll(/\{personal_url\}([^`\s]*)/g)].map(([, each]) => each!)
      expect(queries).to.include(query)
      if (query === '') expect(new Set(queries)).to.deep.equal(new Set(['']))
      // The documentation shows the body as it arrives.
      const arrives = template
        ?.replace('%text%', '{text}')
        .replace('%sentStamp%', '{ms}')
        .replace('%receivedStamp%', '{ms}')
        .replace('%sim%', 'sim1')
      for (const line of arrives?.split('\n') ?? [])
        for (const part of line.split(' = ')) expect(section.replaceAll(/\s+/g, ' ')).to.include(part.trim())
    })
})
