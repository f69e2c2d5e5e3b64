/** How the dashboard is served: which addresses have a page, its policy, and the caching and compression of its files. */
import { expect } from 'chai'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { WebFiles } from '../../../adapters/http/dashboard/files.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

/** As a browser that opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** Compressed scripts, styles and fonts. The first screen is the login or Today, with its texts. */
const MOST_BYTES = { firstScreen: 120_000, everything: 160_000 }

describe('the dashboard as it is served', () => {
  let api: ApiUnderTest
  let files: WebFiles
  before(async () => {
    files = await builtDashboard()
    api = await openApi({}, 'recorded', { web: files })
  })
  after(() => api.close())

  const fetched = (path: string, headers: Record<string, string> = {}) =>
    fetch(api.url + path, { headers: { accept: BROWSER, ...headers } })

  /** The body as it is transferred. */
  const raw = (path: string, encoding: string, headers: Record<string, string> = {}) =>
    new Promise<{ response: IncomingMessage; bytes: Buffer }>((resolve, reject) => {
      get(api.url + path, { headers: { accept: BROWSER, 'accept-encoding': encoding, ...headers } }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => resolve({ response, bytes: Buffer.concat(parts) }))
      }).on('error', reject)
    })

  it('answers the address of each screen with the page', async () => {
    for (const path of [
      '/',
      '/login',
      '/register',
      '/verify-email?token=x',
      '/reset-password?token=x',
      '/transactions/7',
      '/webhooks/new',
      '/webhooks/7/edit',
      '/settings/plan',
    ]) {
      const response = await fetched(path)
      expect(response.status, path).to.equal(200)
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(await response.text()).to.include('<div id="app">')
    }
  })

  it('uses only features of the oldest supported browsers', async () => {
    // The compiler translates the syntax, but adds no functions, regular expressions or styles.
    const TOO_NEW =
      /AbortSignal\.(?:any|timeout)|canParse|\(\?<[=!]|light-dark|color-mix|checkVisibility|\.to(?:Sorted|Reversed|Spliced)\(|groupBy|withResolvers|requestIdleCallback|Promise\.try|@starting-style|@scope/g
    for (const [path, { bytes }] of files) {
      if (!/\.(?:js|css)$/.test(path)) continue
      expect(bytes.identity.toString().match(TOO_NEW), path).to.equal(null)
    }
    // Mails lead to this page, which is not one of the dashboard's.
    const style = await (await fetched('/confirm-bank-account.css')).text()
    expect(style).to.include('button')
    expect(style.match(TOO_NEW)).to.equal(null)
  })

  it('answers an unknown address with a 404 page for people and JSON for programs', async () => {
    const page = await fetched('/nowhere')
    expect(page.status).to.equal(404)
    expect(page.headers.get('content-type')).to.include('text/html')
    for (const accept of ['*/*', 'application/json']) {
      const json = await fetched('/nowhere', { accept })
      expect(json.status).to.equal(404)
      expect(await json.json()).to.deep.include({ success: false, error: 'NOT_FOUND' })
    }
    for (const path of ['/api/nowhere', '/assets/nowhere.js', '/transactions/x'])
      expect((await fetched(path)).status, path).to.equal(404)
    expect((await fetched('/api/nowhere')).headers.get('content-type')).to.include('application/json')
  })

  it('reads no header of preferences that is much longer than that of a browser: 70 KB took 0.1 s', async () => {
    const long = ',a/b;q=0.1'.repeat(250)
    const json = await fetched('/nowhere', { accept: BROWSER + long })
    expect(json.headers.get('content-type')).to.match(/^application\/json/)
    const { response } = await raw('/', `gzip${long}`)
    expect([response.statusCode, response.headers['content-encoding']]).to.deep.equal([200, undefined])
  })

  it('leaves the methods of the API as they are', async () => {
    const response = await fetch(`${api.url}/api/session`, { headers: { accept: BROWSER } })
    expect(response.status).to.equal(405)
    expect((await fetch(`${api.url}/login`, { method: 'POST', headers: { accept: BROWSER } })).status).to.equal(404)
  })

  it('allows scripts only from this origin, none inside the page, and no text that becomes markup', async () => {
    const response = await fetched('/')
    const policy = response.headers.get('content-security-policy')!
    expect(policy)
      .to.include("default-src 'none'")
      .and.include("script-src 'self'")
      .and.include('require-trusted-types-for')
    expect(policy).not.to.include('unsafe')
    expect(response.headers.get('referrer-policy')).to.equal('no-referrer')
    const html = await response.text()
    expect(html).not.to.match(/<script(?![^>]*\ssrc=)|<style|\son\w+=|https?:\/\//)
  })

  it('caches files with a hash for a year, and checks the page at every visit', async () => {
    const script = /src="([^"]+)"/.exec(await (await fetched('/')).text())![1]!
    const file = await fetched(script)
    expect(file.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
    expect(file.headers.get('content-type')).to.equal('text/javascript; charset=utf-8')
    const page = await fetched('/')
    expect(page.headers.get('cache-control')).to.equal('no-cache')
    // `fetch` would ask for a fresh page.
    const { headers } = (await raw('/', 'br')).response
    expect((await raw('/', 'br', { 'if-none-match': headers.etag! })).response.statusCode).to.equal(304)
  })

  it('sends the compressed form that the browser takes', async () => {
    const { bytes: plain } = await raw('/login', 'identity')
    const { bytes: brotli, response } = await raw('/login', 'gzip, deflate, br')
    expect(response.headers['content-encoding']).to.equal('br')
    expect(response.headers.vary).to.include('Accept-Encoding')
    expect(brotliDecompressSync(brotli)).to.deep.equal(plain)
    const { bytes: gzip } = await raw('/login', 'gzip')
    expect(gunzipSync(gzip)).to.deep.equal(plain)
  })

  /** Bytes as they are transferred. */
  const sizeOf = (path: string): number => {
    const { br, identity } = files.get(path)!.bytes
    return (br ?? identity).length
  }
  const assets = (pattern: RegExp): string[] => [...files.keys()].filter((path) => pattern.test(path))

  /** A script and those that it imports at once; `import()` is not one of these. */
  const loadedBy = (path: string, loaded = new Set<string>()): Set<string> => {
    if (loaded.has(path)) return loaded
    loaded.add(path)
    const script = files.get(path)!.bytes.identity.toString()
    for (const [, name] of script.matchAll(/\b(?:from|import)"\/(assets\/[^"]+\.js)"/g)) loadedBy(name!, loaded)
    return loaded
  }

  it('is small: the scripts, the styles and the font of the first screen, and of all screens together', () => {
    const every = assets(/\.(?:js|css|woff2)$/)
    const total = (paths: Iterable<string>): number => [...paths].reduce((sum, path) => sum + sizeOf(path), 0)
    for (const screen of ['entry', 'payments']) {
      const first = new Set(assets(/\.(?:css|woff2)$/))
      for (const name of ['main', 'vi', screen]) {
        const found = assets(new RegExp(`/${name}-\\w+\\.js$`))
        expect(found, name).to.have.length(1)
        loadedBy(found[0]!, first)
      }
      // The screens that are opened later are not part of it.
      expect([...first].join()).not.to.match(/setup-|webhooks-/)
      expect(total(first), screen).to.be.lessThan(MOST_BYTES.firstScreen)
    }
    expect(total(every)).to.be.lessThan(MOST_BYTES.everything)
  })
})
