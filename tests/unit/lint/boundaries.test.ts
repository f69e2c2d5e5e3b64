/** Applies the import rules (`.dependency-cruiser.mjs`) to small sets of files that break them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { cruise, type IConfiguration, type IForbiddenRuleType } from 'dependency-cruiser'

const RULES = new URL('../../../.dependency-cruiser.mjs', import.meta.url).href

describe('the import rules', () => {
  let root: string
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'baoco-imports-'))))
  afterEach(() => rmSync(root, { recursive: true }))

  /** The names of the rules that these files break. */
  const broken = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const { default: rules } = (await import(RULES)) as { default: IConfiguration }
    const ruleSet = { forbidden: rules.forbidden as IForbiddenRuleType[] }
    const folders = [...new Set(Object.keys(files).map((path) => path.split('/')[0]!))]
    const { output } = await cruise(folders, { baseDir: root, tsPreCompilationDeps: true, ruleSet, validate: true })
    if (typeof output === 'string') throw new Error(output)
    return [...new Set(output.summary.violations.map(({ rule }) => rule.name))].sort()
  }
  const importing = (path: string) => `import { x } from '${path}'\nexport const y = x\n`
  const X = 'export const x = 1\n'

  it('allow a file to import inward', async () => {
    const files = { 'domain/money.ts': X, 'workflows/deliver/queue.ts': importing('../../domain/money.ts') }
    expect(await broken(files)).to.deep.equal([])
  })

  it('refuse an import outward', async () => {
    const files = {
      'domain/money.ts': importing('../adapters/database/database.ts'),
      'adapters/database/database.ts': X,
    }
    expect(await broken(files)).to.deep.equal(['domain-imports-inward'])
  })

  it('refuse an outward import of a type', async () => {
    const type = "import type { X } from '../../adapters/log/kafka.ts'\nexport type Y = X\n"
    const files = { 'workflows/relay/relay.ts': type, 'adapters/log/kafka.ts': 'export type X = 1\n' }
    expect(await broken(files)).to.deep.equal(['workflows-imports-inward'])
  })

  it('refuse an import from a neighbouring folder that the table does not list', async () => {
    const files = { 'domain/reader/page.ts': importing('../webhook/signature.ts'), 'domain/webhook/signature.ts': X }
    expect(await broken(files)).to.deep.equal(['domain-reader-imports'])
  })

  it('refuse the same inside a folder that is divided', async () => {
    const files = { 'adapters/http/receive/x.ts': importing('../resources/y.ts'), 'adapters/http/resources/y.ts': X }
    expect(await broken(files)).to.deep.equal(['adapters-http-receive-imports'])
  })

  it('refuse a folder that the table does not list', async () => {
    const files = { 'domain/money.ts': X, 'domain/extra/extra.ts': importing('../money.ts') }
    expect(await broken(files)).to.deep.equal(['domain-folder-is-in-the-table'])
  })

  it('refuse a package that the list does not contain', async () => {
    expect(await broken({ 'domain/money.ts': importing('node:fs') })).to.deep.equal(['domain-imports-inward'])
    expect(await broken({ 'workflows/relay/relay.ts': importing('pg') })).to.include('workflows-imports-inward')
  })

  it('refuse an import cycle', async () => {
    const files = { 'domain/money.ts': importing('./text.ts'), 'domain/text.ts': importing('./money.ts') }
    expect(await broken(files)).to.deep.equal(['no-cycles'])
  })
})
