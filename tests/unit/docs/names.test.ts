/** The pages name only files, scripts and addresses that exist. */
import { expect } from 'chai'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../../../', import.meta.url).pathname
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

/** The page that invents a bank names the file to create. */
const INVENTED = 'domain/banks/lotusbank.ts'

const pages = ['README.md', ...filesIn('docs').filter((name) => name.endsWith('.md'))]
const text = pages.map(read).join('\n')
const inCode = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)

const source = filesIn('adapters')
  .filter((name) => /^adapters\/(http|receiver|inbox)\/.*\.ts$/.test(name))
  .map(read)
  .join('\n')

const FILE = /(?<![\w/.-])(?:adapters|bench|cmd|docs|domain|projections|tests|web|workflows)\/[\w/.-]+/g

/** @param path  as a page shows it; an address in the source may have other names of parameters */
const shape = (path: string): string => path.replaceAll(/:\w+/g, ':')

describe('the pages of the documentation', () => {
  it('name only files and folders that exist', () => {
    const named = inCode.flatMap((code) => code.match(FILE) ?? []).map((name) => name.replace(/\.$/, ''))
    expect(named).to.have.length.above(100)
    expect([...new Set(named)].filter((name) => name !== INVENTED && !existsSync(join(ROOT, name)))).to.deep.equal([])
  })

  it('name only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const named = [...text.matchAll(/\bnpm run ([\w-]+)/g)].map(([, name]) => name!)
    expect(Object.keys(scripts)).to.include.members(named)
  })

  it('name only addresses that the API or the example shop has', () => {
    const declared = new Set([...source.matchAll(/'(\/[\w/:.-]+)'/g)].map(([, path]) => shape(path!)))
    const named = inCode.flatMap((code) =>
      [...code.matchAll(/^(?:GET|POST|PUT|DELETE|HEAD) (\/[\w/:.-]+)(?!…)(?=[ ?`]|$)/g)].map(([, path]) =>
        shape(path!),
      ),
    )
    expect(named).to.have.length.above(50)
    // Some sources append the id to the address of the list.
    const isKnown = (path: string): boolean => declared.has(path) || declared.has(path.replace(/\/:$/, ''))
    expect([...new Set(named)].filter((path) => !isKnown(path))).to.deep.equal(['/stats']) // of EventStoreDB
  })
})
