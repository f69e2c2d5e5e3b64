/**
 * Runs the bundle with the code that V8 compiled in an earlier run. Compiling it anew costs 0.3 s of CPU time at each start. The compiled code is
 * kept beside the bundle, in one file for each version and set of options of Node, because V8 takes it only from the same ones.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import vm from 'node:vm'

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

/** @param bundle  the path of the bundle: an expression whose value is a CommonJS module's function */
export const runBundle = (bundle) => {
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
