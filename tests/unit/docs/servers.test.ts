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

  it('has one program folder, user and data folder for the service, its first start and the lines for cron', () => {
    const unit = blocks(page, 'ini').find((block) => block.includes('[Service]'))!
    const [, user] = /^User=(.+)$/m.exec(unit)!
    const [, folder] = /^WorkingDirectory=(.+)$/m.exec(unit)!
    const [, settings] = /^Environment=(.+)$/m.exec(unit)!
    const [data] = settings!.split(' ')
    const commands = blocks(page, 'sh')
    const made = commands.find((block) => block.includes('useradd'))
    expect(made).to.match(new RegExp(`useradd .*--home-dir ${folder} .* ${user}\n`))
    expect(made)
      .to.include(` ${folder}\n`)
      .and.include(` ${data!.split('=')[1]}\n`)
    const start = commands.find((block) => block.includes('npm start'))
    expect(start).to.include(`cd ${folder}\nsudo -u ${user} ${settings} npm start\n`)
    const cron = blocks(read('operate.md'), '').find((block) => block.includes('npx baoco audit'))!
    for (const line of cron.trimEnd().split('\n')) expect(line).to.include(`cd ${folder} && ${data} npx baoco `)
  })
})
