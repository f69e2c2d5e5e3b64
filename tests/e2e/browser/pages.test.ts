/** Opens the pages of the product in a real browser: they show what they should, and send no request to another host. */
import { expect } from 'chai'
import { chromium, type Browser, type Page } from 'playwright-core'
import { BROWSER, needsChromium } from '../../harness/chromium/install.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'

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

  before(async () => (browser = await chromium.launch(BROWSER)))
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
})
