/**
 * Types and lint in one process: `npm run check`. TypeScript reads and checks the sources once, and the rules that need types use its results.
 * `npm run typecheck` and `npm run lint` do the same in turn, each with programs of its own.
 */
import { dirname } from 'node:path'
import { ESLint } from 'eslint'
import ts from 'typescript'

/** The pages have settings of their own. */
const PROJECTS = ['tsconfig.json', 'web/tsconfig.json']

const open = (path) => {
  const read = ts.readConfigFile(path, ts.sys.readFile)
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(path))
  // The parser of eslint needs the parents of the nodes.
  const host = ts.createCompilerHost(options, true)
  const program = ts.createProgram(fileNames, options, host)
  const problems = [...(read.error ? [read.error] : []), ...errors, ...ts.getPreEmitDiagnostics(program)]
  if (problems.length > 0) console.error(ts.formatDiagnostics(problems, host))
  return { program, isGood: problems.length === 0 }
}

const projects = PROJECTS.map(open)

const eslint = new ESLint({
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { programs: projects.map(({ program }) => program), projectService: false } },
  },
})
const results = await eslint.lintFiles('.')
const text = await (await eslint.loadFormatter('stylish')).format(results)
if (text) console.error(text)
const isGood = projects.every(({ isGood }) => isGood) && results.every(({ errorCount }) => errorCount === 0)
process.exitCode = isGood ? 0 : 1
