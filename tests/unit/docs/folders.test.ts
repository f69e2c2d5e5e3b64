import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/how/folders.md', ROOT), 'utf8')

/** The names in backquotes in the first column of the table below this heading. */
const foldersIn = (layer: string): string[] => {
  const [, part = ''] = page.split(`\n## \`${layer}/\`\n`)
  const [rows = ''] = part.split('\n#')
  return [...rows.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  )
}

describe('docs/how/folders.md', () => {
  for (const layer of ['domain', 'workflows', 'projections', 'adapters'])
    it(`has a row for every folder of ${layer}, and for no other`, () => {
      const folders = readdirSync(new URL(layer, ROOT), { withFileTypes: true }).filter((entry) => entry.isDirectory())
      expect(foldersIn(layer)).to.have.members(folders.map(({ name }) => name))
    })
})
