import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { curlOf } from '../../../../web/app/curl.ts'

/** The arguments of curl, as a shell reads them from the command. */
const argumentsOf = (command: string): string[] => {
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' })
  return stdout.split('\0').slice(0, -1)
}

const REQUEST = { method: 'POST', url: 'https://shop.example/hook', headers: {}, body: null }

describe('a request as a command', () => {
  it('gives curl exactly the address, the headers and the body, whatever strangers have written', () => {
    const body = `{"memo":"'; rm -rf ~; echo '$(reboot)\`id\`\\n@/etc/passwd"}`
    const headers = { 'content-type': 'application/json', 'x-note': "it's $HOME" }
    expect(argumentsOf(curlOf({ ...REQUEST, headers, body }))).to.deep.equal([
      '-X', 'POST', REQUEST.url, '-H', 'content-type: application/json', '-H', "x-note: it's $HOME", '--data-raw', body,
    ]) // prettier-ignore
  })

  it('calls one address, even if it has brackets or braces', () => {
    for (const url of ['https://shop.example/hook?ids[]=1', 'https://shop.example/{a,b}', 'https://[::1]/hook'])
      expect(argumentsOf(curlOf({ ...REQUEST, url }))).to.deep.equal(['-X', 'POST', '--globoff', url])
  })
})
