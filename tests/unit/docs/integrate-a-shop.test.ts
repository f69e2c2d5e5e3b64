/** The call that the page shows is genuine, and has all headers and fields. The signature checks that it shows are run with it. */
import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findOrderId } from '../../../domain/reader/order-id.ts'
import { standardFields } from '../../../domain/webhook/payload/standard.ts'
import type { TransactionRow } from '../../../domain/webhook/payload/transaction-row.ts'
import { signedHeaders } from '../../../domain/webhook/signature.ts'
import { needsPhp, PROGRAM as PHP } from '../../harness/php/install.ts'

const PAGE = new URL('../../../docs/integrate-a-shop.md', import.meta.url)
const README = new URL('../../../README.md', import.meta.url)

const page = readFileSync(PAGE, 'utf8')

/** How each language runs a check with cases of body, header and secret, and prints 1 or 0 for each. */
const RUNS: Record<string, [program: string, calling: (cases: string) => string]> = {
  js: ['node', (cases) => `for (const given of ${cases}) process.stdout.write(String(Number(isGenuine(...given))))`],
  php: [PHP, (cases) => `foreach (json_decode('${cases}') as $given) echo (int) isGenuine(...$given);`],
  python: [
    'python3',
    (cases) => `import json
for body, header, secret in json.loads(${JSON.stringify(cases)}):
    print(int(is_genuine(body.encode(), header, secret)), end='')`,
  ],
}

type Case = readonly [body: string, header: string | null, secret: string]

const verdicts = (language: string, cases: readonly Case[]): string => {
  const [, code = ''] = new RegExp(`\`\`\`${language}\n([^]+?)\`\`\``).exec(page.split('## Check the signature')[1]!)!
  const [program, calling] = RUNS[language]!
  const opening = language === 'php' ? '<?php\n' : ''
  const input = `${opening}${code}\n${calling(JSON.stringify(cases))}`
  const options = language === 'js' ? ['--input-type=module', '-'] : []
  const { stdout, stderr } = spawnSync(program, options, { input, encoding: 'utf8' })
  return stdout + stderr
}

describe('the page about shops', () => {
  const checks = (language: string): void =>
    void it(`shows a check of the signature that accepts only the right one: ${language}`, () => {
      const secret = '0123456789abcdef'.repeat(3)
      const body = '{"amount":"150000.00"}'
      const { 'x-webhook-signature': header } = signedHeaders({
        secret,
        body,
        webhookId: 'msg',
        timestamp: 1,
        attempt: 1,
      })
      const wrong = [null, '', header!.slice(0, -1), header!.replace('sha256=', ''), `sha256=${'é'.repeat(64)}`]
      const cases: Case[] = [
        [body, header!, secret],
        ...wrong.map((each) => [body, each, secret] as const),
        [`${body} `, header!, secret],
        [body, header!, 'another'],
        // A setting that is not passed on is empty, and anybody can sign with it.
        [
          body,
          signedHeaders({ secret: '', body, webhookId: 'msg', timestamp: 1, attempt: 1 })['x-webhook-signature']!,
          '',
        ],
      ]
      expect(verdicts(language, cases)).to.equal('100000000')
    })

  checks('js')
  describe('in PHP', () => {
    needsPhp()
    checks('php')
  })
  if (spawnSync('python3', ['--version']).status === 0) checks('python')

  it('and the README: a check with a library refuses a call without a body or a signature, too', () => {
    const [, code = ''] = /```js\n(import [^]+?)```/.exec(readFileSync(README, 'utf8'))!
    const secret = '0123456789abcdef'.repeat(3)
    const { 'x-webhook-signature': header } = signedHeaders({
      secret,
      body: '{}',
      webhookId: 'msg',
      timestamp: 1,
      attempt: 1,
    })
    const cases = [['{}', header], ['{ }', header], ['{}'], ['{}', ''], ['', header], ['{}', 'sha256=']]
    const [loading = '', checking = ''] = code.split('\n\n')
    const input = `${loading}
const secretKey = '${secret}'
for (const [rawBody, signature] of ${JSON.stringify(cases)}) {
  const request = { headers: { 'x-webhook-signature': signature } }
  await (async () => {
    ${checking}
    process.stdout.write(String(Number(genuine)))
  })()
}`
    const { stdout, stderr } = spawnSync('node', ['--input-type=module', '-'], { input, encoding: 'utf8' })
    expect(stdout + stderr).to.equal('100000')
  })

  it('shows which order ids memos have', () => {
    const section = page.split('## Choose the order ids')[1]!.split('\n## ')[0]!
    const rows = [...section.matchAll(/^\| (`.+`) \| `(.+)` \| .+ \|$/gm)]
    const shown = rows.flatMap(([, memos, id]) => [...memos!.matchAll(/`([^`]+)`/g)].map(([, memo]) => [memo, id]))
    expect(shown.map(([memo]) => [memo, String(findOrderId(memo!, ['DH'])?.order_id ?? null)])).to.deep.equal(shown)
    expect(shown).to.have.lengthOf(10)
  })

  it('shows a call with every header and field, and with the signatures of the secret that it names', () => {
    const [, secret = ''] = /`secret_key` `([0-9a-f]{48})`/.exec(page) ?? []
    const [, head = '', body = ''] = /```http\n([^]+?)\n\n(\{.*\})\n```/.exec(page) ?? []
    const shown = Object.fromEntries(
      head
        .split('\n')
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    )
    const { timestamp, ...fields } = JSON.parse(body) as { timestamp: number }
    const webhookId = shown['webhook-id']!
    expect(shown).to.deep.equal(signedHeaders({ secret, body, webhookId, timestamp, attempt: 1 }))
    expect({ ...fields, timestamp }).to.have.all.keys(standardFields({} as TransactionRow, timestamp))
  })
})
