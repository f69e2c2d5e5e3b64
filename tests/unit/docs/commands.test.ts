import { Command } from 'commander'
import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addCommands } from '../../../cmd/commands/all.ts'
import { allSettings } from '../../../cmd/settings/settings.ts'

const ROOT = new URL('../../../', import.meta.url).pathname

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
]
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(ROOT, name), 'utf8'))
  .join('\n')

describe('the pages of the documentation', () => {
  it('name every command of baoco, and no other', async () => {
    const program = new Command()
    await addCommands(program)
    const named = new Set([...pages.matchAll(/\bbaoco (?!--)([a-z]+(?:-[a-z]+)*)/g)].map(([, name]) => name!))
    expect([...named]).to.include.members(program.commands.map((command) => command.name()))
    const inCode = [...pages.matchAll(/`(?:npx )?baoco ([a-z]+(?:-[a-z]+)*)/g)].map(([, name]) => name!)
    expect(program.commands.map((command) => command.name())).to.include.members([...new Set(inCode)])
  })

  it('name every setting', () => {
    const named = new Set([...pages.matchAll(/\b[A-Z][A-Z_]+\b/g)].map(([name]) => name))
    expect([...named]).to.include.members(allSettings.map(({ env }) => env))
  })
})
