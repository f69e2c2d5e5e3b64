/** Tests the lint rule that forbids Koa's `query` getter, which takes quadratic time in the number of pairs. */
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { ESLint } from 'eslint'
import ts from 'typescript'

/** Any file in the folders of the rule. Its text is replaced. */
const FILE = 'adapters/http/middleware/query-string.ts'
const RULE = 'baoco/no-koa-query'
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A program of this one file, with the settings of the project. A program of the whole project takes much longer. */
const programOf = (code: string): ts.Program => {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile) as { config: object }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost(options, true)
  const readFile = host.readFile.bind(host)
  host.getSourceFile = (name, version) => {
    const text = name === ROOT + FILE ? code : readFile(name)
    return text === undefined ? undefined : ts.createSourceFile(name, text, version, true)
  }
  return ts.createProgram([ROOT + FILE], options, host)
}

/** The numbers of the lines that the rule reports. */
const reportedIn = async (code: string): Promise<number[]> => {
  const parserOptions = { programs: [programOf(code)], projectService: false }
  const eslint = new ESLint({ cwd: ROOT, overrideConfig: { languageOptions: { parserOptions } } })
  const [result] = await eslint.lintText(code, { filePath: FILE })
  const fatal = result!.messages.find((message) => message.fatal)
  if (fatal) throw new Error(fatal.message)
  return result!.messages.filter(({ ruleId }) => ruleId === RULE).map(({ line }) => line)
}

describe('the lint rule against the query getter of Koa', function () {
  // The types of Koa and of everything that the context has are loaded.
  this.timeout(120_000)

  it('reports every access to the getter, and no other property named query', async () => {
    const forbidden = [
      'export const a = (context: ApiContext) => context.query',
      'export const b = (ctx: Context) => ctx.query.name',
      'export const c = (it: Context) => it.request.query',
      "export const d = (it: Context) => it['query']",
      'export const e = ({ query }: Context) => query',
      'export const f = ({ query: given }: ApiContext) => given',
      'export const g = (context: ApiContext) => { const { query } = context; return query }',
      'export const h = ({ request: { query } }: Context) => query',
      'export const i: Middleware = ({ query }) => void query',
    ]
    const allowed = [
      'export const j = (pool: { query: (text: string) => void }) => pool.query("SELECT 1")',
      'export const k = ({ query }: { query: string }) => query',
      'export const l = (context: ApiContext, query: string) => context[query as "path"]',
    ]
    const imports = [
      "import type { Context, Middleware } from 'koa'",
      "import type { ApiContext } from '../context.ts'",
    ]
    const reported = await reportedIn([...imports, ...forbidden, ...allowed].join('\n'))
    expect(reported).to.deep.equal(forbidden.map((_, index) => imports.length + index + 1))
  })
})
