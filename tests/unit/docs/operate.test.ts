import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const ROOT = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/operate.md', ROOT), 'utf8')
const table = page.slice(0, page.indexOf('\n## '))

/** The anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')

describe('the runbook docs/operate.md', () => {
  it('names the tests that try each of its parts, and they exist', () => {
    const parts = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => anchorOf(heading!))
    expect(parts).not.to.be.empty
    const rows = table.split('\n').filter((line) => line.startsWith('| ['))
    for (const part of parts)
      expect(
        rows.find((row) => row.includes(`(#${part})`) && row.includes('`tests/')),
        part,
      ).to.be.a('string')
    for (const [, name] of table.matchAll(/`(tests\/[^`]+)`/g))
      expect(existsSync(new URL(name!, ROOT)), name).to.equal(true)
  })
})
