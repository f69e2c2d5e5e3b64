/**
 * The receivers that a rule's page shows. Each is run and called as a shop is. Those for Node and PHP run always; with REPEAT=full so do
 * those whose language this machine has. The one for C# was only parsed, because Debian has no .NET.
 */
import { expect } from 'chai'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signedHeaders } from '../../../../domain/webhook/signature.ts'
import { LANGUAGES, verificationSnippet, type SnippetLanguage } from '../../../../web/app/verification-snippets.ts'
import { eventually } from '../../../harness/eventually.ts'
import { freePorts } from '../../../harness/free-ports.ts'
import { needsPhp, PROGRAM as PHP } from '../../../harness/php/install.ts'
import { repetitions } from '../../../harness/repetitions.ts'

const SECRET = '0123456789abcdef'.repeat(3)
/** The path has letters that stand encoded in a request. */
const ADDRESS = 'https://shop.example/hooks/báo%20có/{bank}?from=baoco'
const HOSTILE = 'https://shop.example/a"b\\c\'d\n?x="*/?>'

/** The file's name, the command that runs it, and the command that shows whether the language is there. */
const RUNS: Partial<Record<SnippetLanguage, [file: string, command: readonly string[], check: readonly string[]]>> = {
  Node: ['receiver.mjs', [process.execPath, 'receiver.mjs'], [process.execPath, '--version']],
  Python: ['receiver.py', ['python3', 'receiver.py'], ['python3', '--version']],
  PHP: ['receiver.php', ['sh', '-c', `exec ${PHP} -S 127.0.0.1:$PORT receiver.php`], [PHP, '--version']],
  Go: ['receiver.go', ['sh', '-c', 'go build -o receiver receiver.go && exec ./receiver'], ['go', 'version']],
  Java: ['Receiver.java', ['java', 'Receiver.java'], ['javac', '--version']],
}

const isHere = ([command, ...parameters]: readonly string[]): boolean => spawnSync(command!, parameters).status === 0

describe('the receivers in the snippets', () => {
  let folder: string
  let child: ChildProcess | undefined
  let port: number
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'baoco-snippet-'))))
  afterEach(async () => {
    const exited = child && child.exitCode === null && once(child, 'exit')
    child?.kill('SIGKILL')
    await exited
    child = undefined
    rmSync(folder, { recursive: true })
  })

  /** @param complete  what a shop does with the text */
  const started = async (language: SnippetLanguage, complete = (text: string) => text, secret = SECRET) => {
    const [file, [command, ...parameters]] = RUNS[language]!
    port = (await freePorts(1))[0]!
    writeFileSync(join(folder, file), complete(verificationSnippet(language, ADDRESS)))
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
    child = spawn(command!, parameters, { cwd: folder, env, stdio: 'ignore' })
    return async (
      given: {
        age?: number | null
        secret?: string | null
        event?: string
        direction?: string
        method?: string
        path?: string
      } = {},
    ) => {
      const timestamp = Math.floor(Date.now() / 1000) - (given.age ?? 0)
      const time = given.age === null ? {} : { timestamp }
      const kind = { event: given.event ?? 'bank_transaction', transaction_type: given.direction ?? 'credit' }
      const body = JSON.stringify({ ...kind, description: 'tiền "vào"', ...time })
      const signing = { secret: given.secret ?? SECRET, body, webhookId: 'msg_1_1', timestamp, attempt: 1 }
      const headers = given.secret === null ? {} : signedHeaders(signing)
      const { pathname, search } = new URL(ADDRESS)
      const url = `http://127.0.0.1:${port}${given.path ?? pathname}${search}`
      return (await fetch(url, { method: given.method ?? 'POST', headers, body })).status
    }
  }

  const acceptsOnlyGood = (language: SnippetLanguage): void =>
    void it(`accept only genuine and recent calls: ${language}`, async () => {
      const call = await started(language)
      await eventually(async () => (await call()) === 200, { within: 60_000 })
      expect(await call({ event: 'test', method: 'PUT' })).to.equal(200)
      expect(await call({ secret: 'another' })).to.equal(401)
      expect(await call({ secret: null })).to.equal(401)
      expect(await call({ age: 400 })).to.equal(401)
      expect(await call({ age: -400 })).to.equal(401)
      expect(await call({ age: null })).to.equal(401)
      // PHP gets the path from its web server.
      if (language !== 'PHP') expect(await call({ path: '/hooks' })).to.equal(404)
      // A caller that is slow, and hangs up before the end of its body, concerns no other call.
      const slow = connect(port, '127.0.0.1')
      const begun = `POST ${new URL(ADDRESS).pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{`
      await new Promise((written) => slow.write(begun, written))
      const callsAgain = async () => {
        for (let calls = 0; calls < 3; calls++) expect(await call()).to.equal(200)
      }
      await callsAgain()
      slow.destroy()
      await once(slow, 'close')
      await callsAgain()
    })

  /** A variable that is not passed on is empty in many settings. A stranger can sign with an empty secret. */
  const acceptsNothingWithoutSecret = (language: SnippetLanguage): void =>
    void it(`accept no call while the secret is empty: ${language}`, async () => {
      const call = await started(language, undefined, '')
      const ended = once(child!, 'exit').then(() => 'ended')
      const answered = eventually(() => call({ secret: '' }).catch(() => undefined), { within: 60_000 })
      expect(await Promise.race([ended, answered])).to.be.oneOf(['ended', 401, 500])
    })

  const isTested = (language: SnippetLanguage): void => {
    acceptsOnlyGood(language)
    acceptsNothingWithoutSecret(language)
  }

  isTested('Node')
  describe('in PHP', () => {
    needsPhp()
    isTested('PHP')
  })
  const others = LANGUAGES.filter((each) => RUNS[each] && each !== 'Node' && each !== 'PHP')
  for (const language of others.slice(0, repetitions(others.length, 0)))
    if (isHere(RUNS[language]![2])) isTested(language)

  it('let the framework for C# decode the path, which it compares decoded', () => {
    const snippet = verificationSnippet('C#', ADDRESS)
    expect(snippet).to.include('PathString.FromUriComponent("/hooks/b%C3%A1o%20c%C3%B3/%7Bbank%7D")')
    expect(snippet).to.include('app.MapMethods("/{**path}",')
  })

  it('do not take a sample transaction or money that went out for a payment', async () => {
    for (const language of LANGUAGES)
      expect(verificationSnippet(language, 'https://shop.example/'), language)
        .to.match(/X.WEBHOOK.EVENT/i)
        .and.to.match(/transaction_type[^]*"debit"/)
    const call = await started('Node', (text) => text.replace(/\/\/ Find the order.*/, 'return 201'))
    await eventually(async () => (await call()) === 201)
    expect(await call({ direction: 'credit' })).to.equal(201)
    expect(await call({ direction: 'debit' })).to.equal(200)
    expect(await call({ event: 'test' })).to.equal(200)
  })

  it('answer 500 if the shop fails, so that the call is made again', async () => {
    const call = await started('Node', (text) =>
      text.replace(/\/\/ Find the order.*/, 'throw new Error("no database")'),
    )
    await eventually(async () => (await call()) === 500)
    expect(await call({ event: 'test' })).to.equal(200)
  })

  it('contain the URL of the rule, which cannot end a text or a comment', () => {
    for (const language of LANGUAGES) {
      const snippet = verificationSnippet(language, HOSTILE)
      expect(snippet, language).to.include('https://shop.example/a%22b/c')
      expect(snippet.split('\n').length, language).to.equal(
        verificationSnippet(language, 'https://shop.example/').split('\n').length,
      )
      expect(snippet, language).not.to.include('a"b').and.not.to.include('?>')
    }
  })
})
