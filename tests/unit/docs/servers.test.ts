import { readFileSync } from 'node:fs'
import { expect } from 'chai'

const read = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

const page = read('servers.md')

/** @param language  of the block; '' if it has none */
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].flatMap(([, name, content]) => (name === language ? [content!] : []))

describe('the page docs/servers.md', () => {
  it('shows proxies that log no request, not even one that failed', () => {
    const [nginx] = blocks(page, 'nginx')
    expect(nginx)
      .to.include('access_log off;')
      .and.match(/error_log \S+ emerg;/)
    // nginx logs the whole request at `error`, and Caddy logs it with its headers, whenever Baoco does not answer.
    const caddy = blocks(page, '').find((block) => block.includes('reverse_proxy localhost'))
    expect(caddy).to.include('exclude http.log.error http.handlers.reverse_proxy')
  })
})
