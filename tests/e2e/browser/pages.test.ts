/** The pages that the product serves, in a real browser: they show what they should, and ask nobody else for anything. */
import { expect } from 'chai'
import { chromium, type Browser, type Page } from 'playwright-core'
import { PROGRAM, needsChromium } from '../../harness/chromium/install.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'
import { captured } from '../../integration/http/captured.ts'

/** Milliseconds: on a busy machine a browser takes its time. */
const WITHIN = 60_000

describe('pages in a browser', function () {
  this.timeout(3 * WITHIN)
  needsChromium()
  let browser: Browser
  let api: ApiUnderTest
  let page: Page
  /** What the browser complained about: refused by the policy, not found, thrown. */
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

  it('the document shows every operation, and tries one out with an API key', async () => {
    const { paths } = (await api.ask('GET', '/api/openapi.json')).body as { paths: Record<string, object> }
    await page.goto(`${api.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    const operations = Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0)
    expect(await page.locator('.opblock').count()).to.equal(operations)

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

  it('the counter shows payments as they come, over a proxy’s bad moments too, until its link is replaced', async () => {
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

    // Whatever came into the page all the same would not be run.
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
