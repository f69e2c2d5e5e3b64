import { expect } from 'chai'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = new URL('../../../', import.meta.url).pathname

const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!))

describe('the links of the documentation', () => {
  for (const page of pages)
    it(`lead to a page and a heading that exist: ${page}`, () => {
      for (const [, path = '', anchor] of textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
        const target = path === '' ? page : join(dirname(page), path)
        expect(existsSync(join(ROOT, target)), `${path} in ${page}`).to.equal(true)
        if (anchor !== undefined) expect(anchorsOf(target), `${path} in ${page}`).to.include(anchor)
      }
    })

  it('reach every page from the README', () => {
    const reached = new Set(['README.md'])
    for (const page of reached)
      for (const [, path] of textOf(page).matchAll(/\]\((?!https?:)([^)#]+\.md)(?:#[^)]+)?\)/g))
        reached.add(join(dirname(page), path!))
    expect(pages.filter((page) => !reached.has(page))).to.deep.equal([])
  })
})
