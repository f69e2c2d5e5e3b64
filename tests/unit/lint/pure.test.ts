/** Tests the lint rules that keep the inside pure (`.oxlint/pure.js`), with the configuration of the project. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const EVERYWHERE = [
  'export const a = () => import("node:fs")',
  'export const b = process.env.HOME',
  'export const c = fetch("http://localhost")',
  'export const d = Date.now()',
  'export const e = new Date()',
  'export const f = Math.random()',
  'export const { env } = process',
  'export const j = process.hrtime()',
  'export const k = globalThis.fetch("http://localhost")',
  'export const l = Date()',
]
const IN_DOMAIN = [
  'export const g = performance.now()',
  'export { randomUUID } from "node:crypto"',
  'export const m = crypto.getRandomValues(new Uint8Array(1))',
  'export const n = setTimeout(() => {}, 1)',
]
const ALLOWED = ['export const h = new Date(0)', 'export const i = Date.parse("2026-01-01")']

describe('the lint rules of the inside', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'baoco-lint-'))
    for (const name of ['.oxlintrc.json', '.oxlint']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  })
  after(() => rmSync(folder, { recursive: true }))

  /** The numbers of the lines that the rule reports in a file of this folder. */
  const reportedIn = async (of: string, rule: string): Promise<number[]> => {
    mkdirSync(join(folder, of), { recursive: true })
    writeFileSync(join(folder, of, 'some.ts'), [...EVERYWHERE, ...IN_DOMAIN, ...ALLOWED].join('\n'))
    const ran = promisify(execFile)(join(ROOT, 'node_modules/.bin/oxlint'), ['--format', 'unix', of], { cwd: folder })
    const { stdout } = await ran.catch((error: { stdout: string }) => error)
    const lines = stdout.split('\n').filter((line) => line.includes(`pure(${rule})`))
    return [...new Set(lines.map((line) => Number(/:(\d+):\d+:/.exec(line)?.[1])))].toSorted(
      (one, other) => one - other,
    )
  }

  it('forbid clocks, randomness, settings, the network and dynamic imports', async () => {
    for (const of of ['workflows', 'projections'])
      expect(await reportedIn(of, 'inside')).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it('forbid measured times, timers and random values in the domain too', async () => {
    expect(await reportedIn('domain', 'domain')).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  })

  it('allow them in adapters', async () => {
    expect(await reportedIn('adapters', 'inside')).to.deep.equal([])
  })
})
