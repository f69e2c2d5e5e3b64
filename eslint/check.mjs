/**
 * Types and lint in one process: `npm run check`. TypeScript reads and checks the sources once, and the rules that need types use its results.
 * `npm run typecheck` and `npm run lint` do the same in turn, each with a program of its own.
 */
import { ESLint } from 'eslint'
import ts from 'typescript'

const read = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(read.config, ts.sys, process.cwd())
// The parser of eslint needs the parents of the nodes.
const host = ts.createCompilerHost(options, true)
const program = ts.createProgram(fileNames, options, host)

const problems = [...(read.error ? [read.error] : []), ...errors, ...ts.getPreEmitDiagnostics(program)]
if (problems.length > 0) console.error(ts.formatDiagnostics(problems, host))

const eslint = new ESLint({
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { programs: [program], projectService: false } },
  },
})
const results = await eslint.lintFiles('.')
const text = await (await eslint.loadFormatter('stylish')).format(results)
if (text) console.error(text)
process.exitCode = problems.length > 0 || results.some(({ errorCount }) => errorCount > 0) ? 1 : 0
