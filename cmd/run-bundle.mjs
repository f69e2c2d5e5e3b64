/**
 * Runs the bundle with the code that V8 compiled in an earlier run. Compiling it anew costs 0.3 s of CPU time at each start. The compiled code is
 * kept beside the bundle, in one file for each version and set of options of Node, because V8 takes it only from the same ones.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import vm from 'node:vm'
import { PACKAGES } from './build.mjs'

/** Milliseconds. By then a server has run what it runs at its start. */
const KEPT_AFTER = 15_000

const readIfThere = (path) => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

const compiledPath = (bundle) => {
  const { version, arch, execArgv, env } = process
  const node = JSON.stringify([version, arch, execArgv, env.NODE_OPTIONS ?? ''])
  return `${bundle}.${createHash('sha256').update(node).digest('hex').slice(0, 16)}.compiled`
}

/** Keeps the compiled code, unless this user may not write to the folder. */
const keep = (path, script) => {
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, script.createCachedData())
    renameSync(draft, path)
  } catch {
    rmSync(draft, { force: true })
  }
}

/**
 * Shows positions in our sources. The map is read at the first error whose stack is shown, and has no packages. An update may have removed it
 * by then. Then positions in the bundle are shown: an error here would take the place of the error that is shown.
 */
const showSources = (bundle) => {
  let map
  const readMap = () => {
    const text = readIfThere(`${bundle}.map`)
    return text ? new SourceMap(JSON.parse(text)) : null
  }
  const sourceOf = (line, column) => {
    if (map === undefined) map = readMap()
    if (!map) return null
    const { originalSource = PACKAGES, originalLine, originalColumn } = map.findEntry(line - 1, column - 1)
    if (basename(originalSource) === PACKAGES) return null
    return `${resolve(dirname(bundle), originalSource)}:${originalLine + 1}:${originalColumn + 1}`
  }
  const shown = (call) => {
    const [line, column] = [call.getLineNumber(), call.getColumnNumber()]
    const source = call.getFileName() === bundle && sourceOf(line, column)
    return source ? String(call).replace(`${bundle}:${line}:${column}`, source) : String(call)
  }
  Error.prepareStackTrace = (error, calls) => [String(error), ...calls.map(shown)].join('\n    at ')
}

/** @param bundle  the path of the bundle: an expression whose value is a CommonJS module's function */
export const runBundle = (bundle) => {
  showSources(bundle)
  const path = compiledPath(bundle)
  const cachedData = readIfThere(path)
  // The bundle has ASCII characters only, so its text needs one byte for each.
  const script = new vm.Script(readFileSync(bundle, 'latin1'), {
    filename: bundle,
    cachedData,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  if (!cachedData || script.cachedDataRejected) {
    let isKept = false
    const once = () => {
      if (!isKept) keep(path, script)
      isKept = true
    }
    setTimeout(once, KEPT_AFTER).unref()
    process.once('exit', once)
  }
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle))
}
