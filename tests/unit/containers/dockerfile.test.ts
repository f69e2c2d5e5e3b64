/** The tests have no container engine. tests/integration/container.test.ts runs what the file says. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readRoot } from './compose.ts'

describe('Dockerfile', () => {
  const lines = readRoot('Dockerfile').replace(/\\\n/g, ' ').split('\n')
  const argumentsOf = (instruction: string): string[][] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.split(/\s+/).slice(1))

  it('copies every directory from which the command imports', () => {
    const copied = new Set(
      argumentsOf('COPY').flatMap((words) => words.filter((word) => !word.startsWith('--')).slice(0, -1)),
    )
    for (const folder of ['cmd', 'adapters', 'projections', 'workflows', 'domain', 'package.json'])
      expect(copied, folder).to.include(folder)
    for (const path of copied)
      if (!path.startsWith('/')) expect(existsSync(join(process.cwd(), path)), path).to.equal(true)
  })

  it('pins its image, does not run as root, and runs node as the main process', () => {
    for (const [image] of argumentsOf('FROM')) expect(image).to.match(/^node:24\.\d+-/)
    expect(argumentsOf('FROM')).to.have.lengthOf(2)
    expect(argumentsOf('USER').at(-1)![0]).to.match(/^[1-9]\d*/)
    expect(argumentsOf('CMD').at(-1)![0]).to.equal('["node",')
  })

  it('installs no packages for development and sends no secrets to the builder', () => {
    expect(lines.find((line) => line.includes('npm ci'))).to.match(/--mount=type=cache.* npm ci --omit=dev$/)
    expect(readRoot('.dockerignore').split('\n')).to.include.members(['.env', 'certificates', '.baoco', 'node_modules'])
  })
})
