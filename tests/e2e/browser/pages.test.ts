/** Opens the pages of the product in a real browser: they show what they should, and send no request to another host. */
import { expect } from 'chai'
import { chromium, type Browser, type Page } from 'playwright-core'
import { PROGRAM, needsChromium } from '../../harness/chromium/install.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'
import { captured } from '../../integration/http/captured.ts'

/** Milliseconds. On a busy machine a browser is slow. */
const WITHIN = 60_000

describe('pages in a browser', function () {
  this.timeout(3 * WITHIN)
  needsChromium()
  let browser: Browser
  let api: ApiUnderTest
  let page: Page
  /** Messages of the browser about requests refused by the policy, missing files and thrown errors. */
  let complaints: string[]
  let asked: URL[]

  before(async () => (browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })))
  after(() => browser?.close())
  beforeEach(async () => {
    api = await openApi()
    page = await browser.newPage()
    page.setDefaultTimeout(WITHIN)
    complaints = []
    asked = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => asked.push(new URL(request.url())))
  })
  afterEach(async () => {
    await page.close()
    await api.close()
  })

  const pay = async (order_id: string): Promise<void> => {
    const { user_id } = api.owner
    const id = await api.nextId()
    await api.happened(user_id, id, [captured(user_id, id, { order_id })])
  }

  it('show every operation of the API, and try one with an API key', async () => {
    const { paths, webhooks } = (await api.ask('GET', '/api/openapi.json')).body as Record<
      'paths' | 'webhooks',
      Record<string, object>
    >
    await page.goto(`${api.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    const shown = [...Object.values(paths), ...Object.values(webhooks)]
    expect(await page.locator('.opblock').count()).to.equal(shown.flatMap(Object.keys).length)

    await page.locator('.btn.authorize').click()
    const byKey = page.locator('.auth-container', { hasText: 'API key of the account.' })
    await byKey.locator('input').fill(api.owner.api_key)
    await byKey.getByRole('button', { name: 'Apply credentials' }).click()
    await page.locator('.close-modal').click()

    const account = page.locator('#operations-Account-get-api-account')
    await account.locator('.opblock-summary-control').click()
    await account.getByRole('button', { name: 'Try it out' }).click()
    await account.getByRole('button', { name: 'Execute' }).click()
    const answer = account.locator('.live-responses-table .response')
    expect(await answer.locator('.response-col_status').innerText()).to.match(/^200/)
    expect(await answer.innerText()).to.include('owner@baoco.local')

    expect(complaints).to.deep.equal([])
    for (const { origin, protocol, href } of asked) if (protocol !== 'data:') expect(origin, href).to.equal(api.url)
    expect(asked.map(({ pathname }) => pathname)).to.include.members(['/docs/swagger-ui.css', '/api/account'])
  })

  it('show payments on the counter as they arrive, also after errors of a proxy, until its link is replaced', async () => {
    const key = api.owner.api_key
    await pay('DH1001')
    const { token } = (await api.ask('POST', '/api/counter', { key })).body.data
    await page.route('**/stream', (route) => route.fulfill({ status: 502 }), { times: 1 })
    await page.goto(`${api.url}/counter/${token}`)
    await page.getByText('DH1001').waitFor()
    await pay('DH1002')
    await page.getByText('DH1002').waitFor()
    expect(await page.locator('li b').allInnerTexts()).to.deep.equal(['+150.000\u00a0₫', '+150.000\u00a0₫'])
    expect(await page.locator('li').first().innerText()).to.include('DH1002')
    expect(complaints.filter((text) => !text.includes('502'))).to.deep.equal([])
    await api.ask('POST', '/api/counter', { key })
    await page.getByText('Liên kết này không còn dùng được.').waitFor()
    for (const { origin, href } of asked) expect(origin, href).to.equal(api.url)

    // Code that reaches the page anyway would not run.
    complaints = []
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'document.title = "taken over"'
      document.body.append(script)
    }`)
    expect(await page.title()).to.equal('Baoco')
    expect(complaints.join()).to.include('Content Security Policy')
  })
})
