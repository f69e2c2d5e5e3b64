/**
 * The dashboard in a real browser, on a phone and on a desk, in both themes and both languages: a person logs in, finds a payment, reads its
 * story, and deletes it. Every screen is checked by axe, and no screen may cause a message of the browser. With SCREENSHOTS=folder each
 * screen is also written as a picture.
 */
import { expect } from 'chai'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { PROGRAM, needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { OWNERS_PASSWORD, openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'
import { attempted, captured, statusChanged } from '../../integration/http/captured.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Milliseconds. On a busy machine a browser is slow. */
const WITHIN = 60_000

const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const
/** Together they cover both sizes, both themes and both languages. */
const VIEWS = [
  { size: 'phone', theme: 'light', language: 'vi' },
  { size: 'phone', theme: 'dark', language: 'en' },
  { size: 'desk', theme: 'dark', language: 'vi' },
  { size: 'desk', theme: 'light', language: 'en' },
] as const
type View = (typeof VIEWS)[number]

const HOSTILE = '<img src=x onerror="document.title=1">\u202e\u200bDH1042'
/** Payer, amount and direction; one every second day, the newest last. */
const PAYMENTS = [
  ['NGUYEN VAN AN', '350000.00', 'credit'],
  ['CTY GIAO HANG NHANH', '1200000.00', 'debit'],
  ['TRAN THI BICH', '890000.00', 'credit'],
  ['LE HOANG PHUC', '1250000.00', 'credit'],
  ['PHAM MINH CHAU', '420000.00', 'credit'],
  ['DIEN LUC TP HCM', '760000.00', 'debit'],
  ['VO THANH DAT', '2150000.00', 'credit'],
] as const

const LONG = 'NGUYEN THI KIM NGAN QUYNH TRANG CONG TY TRACH NHIEM HUU HAN THUONG MAI '.repeat(3)

describe('the dashboard in a browser', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let browser: Browser
  let api: ApiUnderTest
  let complaints: string[]
  let context: BrowserContext
  let page: Page
  let failedId: number

  const transaction = async (
    given: Parameters<typeof captured>[2],
    ...more: Parameters<ApiUnderTest['happened']>[2][]
  ) => {
    const { user_id } = api.owner
    const id = await api.nextId()
    await api.happened(user_id, id, [
      captured(user_id, id, { transaction_date: new Date().toISOString(), ...given }),
      ...(more as never[]).flat(),
    ] as never)
    return id
  }

  before(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    api = await openApi({}, 'recorded', undefined, await builtDashboard())
    await transaction({ order_id: 'DH1001', counterpart_name: LONG })
    await transaction({ order_id: null, webhook_status: 'skipped', counterpart_name: HOSTILE, description: HOSTILE })
    for (const [index, [name, amount, direction]] of PAYMENTS.entries())
      await transaction({
        order_id: direction === 'credit' ? `DH10${index + 20}` : null,
        counterpart_name: name,
        amount,
        transaction_type: direction,
        webhook_status: direction === 'credit' ? 'success' : 'skipped',
        transaction_date: new Date(Date.now() - index * 2 * 86_400_000).toISOString(),
      })
    failedId = await transaction({ order_id: 'DH1042', webhook_status: 'pending' })
    const { user_id } = api.owner
    await api.happened(user_id, failedId, [
      attempted(failedId, { attempt_id: await api.nextId(), rule_id: 1, response_body: HOSTILE }),
      statusChanged(failedId, 'pending', 'failed'),
    ])
  })
  after(async () => {
    await browser?.close()
    await api?.close()
  })

  const open = async ({ size, theme, language }: View): Promise<void> => {
    complaints = []
    context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme, reducedMotion: 'reduce' })
    await context.addInitScript(`localStorage.setItem('baoco.language', '${language}')`)
    page = await context.newPage()
    page.setDefaultTimeout(WITHIN)
    page.on('console', (message) => {
      // The browser reports every 401 and 404, although the page handles them.
      const isHandled = /status of (401|404)/.test(message.text())
      if (['error', 'warning'].includes(message.type()) && !isHandled) complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== 'data:' && origin !== api.url) complaints.push(`a request to ${origin}`)
    })
  }
  afterEach(() => context?.close())

  /** The problems that axe finds, each with the element. */
  const axe = async (): Promise<string[]> => {
    await page.evaluate(AXE)
    return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`)
  }

  const inspect = async (view: View, name: string): Promise<void> => {
    const at = `${name} ${Object.values(view).join(' ')}`
    expect(await axe(), at).to.deep.equal([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${at} fits its width`).to.equal(
      true,
    )
    expect(complaints, at).to.deep.equal([])
    const { SCREENSHOTS } = process.env
    if (SCREENSHOTS === undefined) return
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(SCREENSHOTS, `${at.replaceAll(' ', '-')}.png`), fullPage: true })
  }

  const logIn = async (): Promise<void> => {
    await page.getByLabel(/^(Email|E-mail)$/).fill('owner@baoco.local')
    await page.getByLabel(/^(Mật khẩu|Password)$/).fill(OWNERS_PASSWORD)
    await page.keyboard.press('Enter')
    await page.locator('.shell').waitFor()
  }

  for (const view of VIEWS)
    it(`shows every screen without a problem: ${Object.values(view).join(', ')}`, async () => {
      await open(view)
      for (const [name, path] of [
        ['register', '/register'],
        ['forgot', '/forgot-password'],
        ['reset', '/reset-password?token=x'],
        ['verify', '/verify-email?token=x'],
        ['login', '/'],
      ] as const) {
        await page.goto(api.url + path)
        await page.locator('h1').waitFor()
        // An invalid link is answered with 400, which the browser reports.
        if (name === 'verify') {
          await page.locator('.notice.failed').waitFor()
          complaints = complaints.filter((text) => !text.includes('400'))
        }
        await inspect(view, name)
      }
      await logIn()
      await page.locator('.ledger').waitFor()
      await page.locator('.figures').waitFor()
      await inspect(view, 'today')
      await page.goto(`${api.url}/transactions`)
      await page.locator('.ledger').waitFor()
      await inspect(view, 'transactions')
      await page.goto(`${api.url}/transactions?webhook_status=already_run`)
      await page.locator('.block p').first().waitFor()
      await inspect(view, 'transactions-empty')
      await page.goto(`${api.url}/transactions/${failedId}`)
      await page.locator('.attempt').waitFor()
      for (const summary of await page.locator('.attempt summary').all()) await summary.click()
      await page.locator('.timeline').waitFor()
      await inspect(view, 'transaction')
      await page.goto(`${api.url}/nowhere`)
      await page.locator('h1').waitFor()
      await inspect(view, 'not-found')
    })

  it('shows texts of strangers as text, with marks for invisible characters', async () => {
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/transactions`)
    await logIn()
    const row = page.locator('.ledger tr', { hasText: '<img' })
    await row.waitFor()
    expect(await row.locator('.mark').allInnerTexts()).to.deep.equal(['U+202E', 'U+200B'])
    expect(await page.locator('.ledger img').count()).to.equal(0)
    await row.locator('a').click()
    await page.getByRole('button', { name: 'Hiện tin gốc' }).click()
    await page.locator('pre').first().waitFor()
    expect(await page.locator('pre').first().innerText()).to.include('<img src=x')
    expect(await page.title()).to.match(/^Giao dịch/)
    expect(complaints).to.deep.equal([])
  })

  it('keeps the filter in the address, and never goes to another host after the login', async () => {
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=//evil.example/`)
    await logIn()
    expect(new URL(page.url()).origin).to.equal(api.url)
    await page.getByRole('link', { name: 'Giao dịch', exact: true }).click()
    await page.getByLabel('Trạng thái').selectOption('failed')
    await page.waitForURL('**/transactions?webhook_status=failed')
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    await page.reload()
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    expect(await page.locator('.ledger tbody tr').count()).to.equal(1)
    expect(complaints).to.deep.equal([])
  })

  it('shows a payment that arrives, and deletes one after a question', async () => {
    await open(VIEWS[2])
    await page.goto(`${api.url}/transactions`)
    await logIn()
    await page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
    const id = await transaction({ order_id: 'DH2077' })
    await page.getByRole('link', { name: 'DH2077' }).click()
    await page.waitForURL(`**/transactions/${id}`)
    await page.getByRole('button', { name: 'Xóa giao dịch' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa giao dịch' }).click()
    await page.waitForURL('**/transactions')
    await page.getByText('DH1001').waitFor()
    expect(await page.getByText('DH2077').count()).to.equal(0)
    expect(complaints).to.deep.equal([])
  })

  it('sends a failed transaction again, and does not offer what the API would refuse', async () => {
    const waiting = await transaction({ order_id: 'DH2078', webhook_status: 'pending' })
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/transactions/${waiting}`)
    await logIn()
    const again = page.getByRole('button', { name: 'Gửi lại ngay' })
    await page.getByRole('heading', { name: 'Các lần gửi' }).waitFor()
    expect(await again.count()).to.equal(0)
    await page.goto(`${api.url}/transactions/${failedId}`)
    await again.click()
    await page.locator('.timeline', { hasText: 'Yêu cầu gửi lại' }).waitFor()
    expect(complaints).to.deep.equal([])
  })
})
