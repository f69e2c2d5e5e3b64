// Tests: tests/integration/http/dashboard.test.ts
/** The built files of the dashboard, in memory: about 1 MB. `web/build.mjs` made them, with their compressed forms beside them. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export type Encoding = 'br' | 'gzip' | 'identity'

export interface WebFile {
  type: string
  etag: string
  bytes: Partial<Record<Encoding, Buffer>> & { identity: Buffer }
}

/** By path, such as `index.html` or `assets/main-K3F.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>

const SUFFIXES = { br: '.br', gzip: '.gz' } as const

const fileAt = (path: string): WebFile => {
  const identity = readFileSync(path)
  const etag = `"${createHash('sha256').update(identity).digest('base64url')}"`
  const bytes: WebFile['bytes'] = { identity }
  for (const encoding of ['br', 'gzip'] as const)
    if (existsSync(path + SUFFIXES[encoding])) bytes[encoding] = readFileSync(path + SUFFIXES[encoding])
  return { type: TYPES[extname(path)] ?? 'application/octet-stream', etag, bytes }
}

/** @param folder  as `buildWeb` wrote it */
export const readWebFiles = (folder: string): WebFiles => {
  const names = readdirSync(folder, { recursive: true }).map(String)
  const whole = names.filter((name) => extname(name) in TYPES)
  return new Map(whole.map((name) => [name.replaceAll('\\', '/'), fileAt(join(folder, name))]))
}
