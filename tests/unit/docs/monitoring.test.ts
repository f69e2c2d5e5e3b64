import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../../../', import.meta.url).pathname
const LAYERS = ['adapters', 'cmd', 'projections', 'workflows']

const page = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8')
const [metricsPart = '', logPart = ''] = page.slice(page.indexOf('\n## Metrics')).split('\n## The log')

const source = LAYERS.flatMap((layer) =>
  readdirSync(join(ROOT, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, layer, name), 'utf8')),
).join('\n')

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!)

/** The names in backquotes in the first column of tables. */
const rowsOf = (part: string): string[] => all(part, /^\| (`.+?) \|/gm).flatMap((cell) => all(cell, /`([^`]+)`/g))

/** @param text  what follows an opening parenthesis; the result ends before its closing one */
const argumentsIn = (text: string): string => {
  let open = 1
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') open++
    if (text[at] === ')' && --open === 0) return text.slice(0, at)
  }
  return text
}

const LOGGING = /\blog(?:\.(?:debug|info|warn|error)|\[[^\]]*\])\(/g

describe('docs/monitoring.md', () => {
  it('has a row for every metric, and for no other', () => {
    const metrics = new Set(
      all(source, /\b(?:gauge|present|counter|histogram|ofEach|ofServerDisks)\(\s*'(baoco_\w+)'/g),
    )
    expect(metrics).to.include('baoco_build_info').and.include('baoco_disk_full').and.include('baoco_lane_waiting')
    expect(rowsOf(metricsPart)).to.have.members([...metrics])
  })

  it('alerts only on metrics that exist', () => {
    const used = all(page.slice(0, page.indexOf('\n## Metrics')), /\b(baoco_\w+)/g)
    expect(used).to.include('baoco_lease_held')
    expect(rowsOf(metricsPart)).to.include.members(used)
  })

  it('has a row for every event of the log, and for no other', () => {
    const calls = [...source.matchAll(LOGGING)].map(({ index, 0: begun }) =>
      argumentsIn(source.slice(index + begun.length)),
    )
    const events = new Set(calls.flatMap((call) => all(call, /'([a-z_]+\.[a-z_]+|trouble)'/g)))
    expect(rowsOf(logPart)).to.have.members([...events])
  })
})
