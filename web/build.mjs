/**
 * Builds the dashboard: the page, and its scripts, styles and fonts under names that contain a hash of their content. Screens that are
 * used together are one chunk. Text files are also stored compressed, so that the server compresses nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const TEXT = /\.(?:js|css|svg|html|webmanifest)$/

/** Oldest browsers that the page supports. `<dialog>`, cascade layers and `BroadcastChannel` exist since then. */
const TARGET = ['chrome108', 'firefox115', 'safari15.4']

/** The dashboard changes things by calls of its own. The query library would bring its code for changes all the same. */
const WITHOUT_MUTATIONS = {
  name: 'without-mutations',
  setup: ({ onLoad }) =>
    onLoad({ filter: /query-core\/build\/modern\/mutationCache\.js$/ }, () => ({
      contents: 'export class MutationCache { clear() {} resumePausedMutations() { return Promise.resolve() } }',
    })),
}

/** The file of the screens with which most visits begin. */
const FIRST_SCREENS = 'payments'

const page = ({ script, style, fonts, icon, soon }) => `<!doctype html>
<html lang="vi">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Baoco</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
${soon.map((each) => `<link rel="modulepreload" href="${each}">`).join('\n')}
${fonts.map((font) => `<link rel="preload" href="${font}" as="font" type="font/woff2" fetchpriority="low" crossorigin>`).join('\n')}
<script type="module" src="${script}"></script>
<noscript>Trang này cần JavaScript. This page needs JavaScript.</noscript>
<div id="app"><main class="entry"><p class="muted" role="status">Đang tải… <span lang="en">Loading…</span></p></main></div>
</html>
`

/** @returns the files of the dashboard by their path, such as `assets/main-K3F.js` and `index.html` */
const filesOf = async (build) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(here, 'main.tsx'), join(here, 'static/icon.svg')],
    absWorkingDir: here,
    outdir: join(here, 'assets'),
    publicPath: '/assets',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: TARGET,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The image has no settings of the compiler, and they add nothing to these.
    tsconfigRaw: {},
    loader: { '.woff2': 'file', '.svg': 'copy' },
    legalComments: 'none',
    // Vietnamese letters as they are: an escape has six characters for each.
    charset: 'utf8',
    plugins: [WITHOUT_MUTATIONS],
    metafile: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const names = Object.keys(metafile.outputs)
  const one = (pattern) => `/assets/${basename(names.find((name) => pattern.test(name)))}`
  const all = (pattern) => names.filter((name) => pattern.test(name)).map((name) => `/assets/${basename(name)}`)
  // The imports of the first screens, and the usual language: the browser would find them only later, one after the other.
  const importsOf = (name) =>
    metafile.outputs[name].imports
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(({ path }) => [...importsOf(path), path])
  const main = names.find((name) => /main-\w+\.js$/.test(name))
  const first = names.find((name) => name.includes(`/${FIRST_SCREENS}-`))
  const soon = new Set([...importsOf(main), ...importsOf(first), first])
  soon.delete(main)
  const html = page({
    soon: [one(/\/vi-\w+\.js$/), ...[...soon].map((name) => `/assets/${basename(name)}`)],
    script: one(/main-\w+\.js$/),
    style: one(/main-\w+\.css$/),
    fonts: all(/\.woff2$/),
    icon: one(/icon-\w+\.svg$/),
  })
  const files = new Map([['index.html', Buffer.from(html)]])
  for (const { path, contents } of outputFiles) files.set(`assets/${basename(path)}`, Buffer.from(contents))
  return files
}

const compressed = { br: promisify(brotliCompress), gz: promisify(gzip) }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }

/**
 * @param build  esbuild's function
 * @param into  the folder for the files; it is created
 */
export const buildWeb = async (build, into) => {
  mkdirSync(join(into, 'assets'), { recursive: true })
  const files = await filesOf(build)
  await Promise.all(
    [...files].map(async ([path, bytes]) => {
      writeFileSync(join(into, path), bytes)
      if (!TEXT.test(path)) return
      writeFileSync(join(into, `${path}.br`), await compressed.br(bytes, BROTLI))
      writeFileSync(join(into, `${path}.gz`), await compressed.gz(bytes, { level: 9 }))
    }),
  )
}
