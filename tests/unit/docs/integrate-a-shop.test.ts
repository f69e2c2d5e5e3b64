/** The call that the page shows is genuine, and has all headers and fields. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { standardFields } from '../../../domain/webhook/payload/standard.ts'
import type { TransactionRow } from '../../../domain/webhook/payload/transaction-row.ts'
import { signedHeaders } from '../../../domain/webhook/signature.ts'

const PAGE = new URL('../../../docs/integrate-a-shop.md', import.meta.url)

describe('the page about shops', () => {
  it('shows a call with every header and field, and with the signatures of the secret that it names', () => {
    const page = readFileSync(PAGE, 'utf8')
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
