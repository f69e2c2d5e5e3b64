/** Sends every block of docs/connect-a-phone.md exactly as it is written there. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

const DOC = readFileSync(new URL('../../../docs/connect-a-phone.md', import.meta.url), 'utf8')

interface Recipe {
  heading: string
  block: string
}

const recipes: Recipe[] = DOC.split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'))
    return [...section.matchAll(/```http\n([\s\S]*?)```/g)].map(([, block]) => ({ heading, block: block! }))
  })

/** Fills in the placeholders that the apps themselves fill in. */
const filled = (block: string, number: number, personalUrl: string): string => {
  const at = new Date()
  const text = vietcombankText(number, `DH${1000 + number}`, { at })
  const push = text.replace('SD TK', 'Số dư TK VCB').replace('. SD ', '. Số dư ')
  const values: Record<string, string> = {
    personal_url: personalUrl,
    text,
    push,
    form_text: encodeURIComponent(text),
    form_push: encodeURIComponent(push),
    ms: String(at.getTime()),
    s: String(Math.floor(at.getTime() / 1000)),
    iso: at.toISOString(),
  }
  return block.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

describe('docs/connect-a-phone.md', function () {
  let api: ApiUnderTest
  before(async () => (api = await openApi({}, 'real')))
  after(() => api.close())

  it('has a recipe for each forwarder app', () => {
    const apps = [
      'Incoming SMS to URL forwarder', 'SmsForwarder', 'SMS Gateway for Android', 'httpSMS', 'android-sms-hooks', 'sms2webhook',
      'ForwardSMS', 'MacroDroid', 'Tasker with AutoNotification', 'iOS Shortcuts', 'Any other app, or one of your own',
    ] // prettier-ignore
    expect([...new Set(recipes.map(({ heading }) => heading))]).to.deep.equal(apps)
  })

  recipes.forEach(({ heading, block }, number) =>
    it(`has a block that makes a transaction with its order id: ${heading}, block ${number}`, async () => {
      const url = `${api.url}/api/receive/u/${api.owner.receive_token}`
      const [head = '', ...rest] = filled(block, number, url).split('\n\n')
      const [request = '', ...headerLines] = head.trim().split('\n')
      const [method = '', address = ''] = request.split(' ')
      const headers = Object.fromEntries(headerLines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
      const body = rest.join('\n\n').trimEnd()
      const response = await fetch(address, { method, headers, ...(method === 'GET' ? {} : { body }) })
      const answer = (await response.json()) as { data: { id: number } | { id: number }[] }
      expect(response.status, JSON.stringify(answer)).to.equal(200)
      const first = Array.isArray(answer.data) ? answer.data[0]! : answer.data
      expect(first, JSON.stringify(answer)).to.have.property('webhook_status')
      const events = await api.store.read([{ stream: `transaction-${first.id}` }])
      expect(events[0]![0]!.data).to.include({ order_id: `DH${1000 + number}`, amount: '150000.00' })
      if (Array.isArray(answer.data)) expect(answer.data[1]).to.deep.equal({ ignored: true, reason: 'ping' })
    }),
  )
})
