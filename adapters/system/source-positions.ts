// Tests: tests/integration/bundle.test.ts
/**
 * Shows the positions of calls in our sources, where a stack is written: in the log, and at the end of a process. Node reads the stack of each
 * error that closes a connection, so positions are not looked up for every stack: the map takes 0.1 s of CPU time and 50 MB.
 */
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { basename, dirname, resolve } from 'node:path'

/** The path of the bundle, of which `cmd/build.mjs` makes a constant; undefined outside of it. */
const bundle = (globalThis as { BAOCO_BUNDLE?: string }).BAOCO_BUNDLE

/** A pattern for every path would take minutes for a long message that is full of slashes. */
const POSITION = bundle && new RegExp(`${bundle.replaceAll(/[^\w/]/g, String.raw`\$&`)}:(\\d+):(\\d+)`, 'g')

/** All sources of packages have this name in the map. */
const PACKAGES = 'packages'

/** Positions by those in the bundle, so that an error that comes again and again costs the map once. */
const known = new Map<string, string>()
const MOST_KNOWN = 1_000

/** Null if an update has removed it. An error here would take the place of the error that is shown. */
const readMap = (path: string): SourceMap | null => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload)
  } catch {
    return null
  }
}

const sourceAt = (map: SourceMap, path: string, line: number, column: number): string | null => {
  const entry = map.findEntry(line - 1, column - 1)
  if (!('originalSource' in entry) || basename(entry.originalSource) === PACKAGES) return null
  return `${resolve(dirname(path), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

/** @returns the stack with positions in our sources, where they are known */
export const withSources = (stack: string): string => {
  if (!bundle || !POSITION) return stack
  let map: SourceMap | null | undefined
  return stack.replaceAll(POSITION, (position, line: string, column: string) => {
    const before = known.get(position)
    if (before !== undefined) return before
    if (map === undefined) map = readMap(bundle)
    const found = (map && sourceAt(map, bundle, Number(line), Number(column))) ?? position
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(position, found)
    return found
  })
}

/** Shows them also for an error that ends the process, and for its causes. */
export const showSources = (): void => {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    const shown = new Set<unknown>()
    for (let each = error; each instanceof Error && !shown.has(each); each = each.cause) {
      shown.add(each)
      // An error here would take the place of this one: some cannot be changed.
      Reflect.set(each, 'stack', each.stack && withSources(each.stack))
    }
  })
}
