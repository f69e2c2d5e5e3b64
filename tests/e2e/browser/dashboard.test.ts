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
import { openDatabase } from '../../../adapters/database/database.ts'
import { devicePath } from '../../../domain/arrival/origin.ts'
import { PROGRAM, needsChromium } from '../../harness/chromium/install.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
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
  let ruleId: number

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

  const made = async (path: string, json?: object) =>
    (await api.ask('POST', path, { key: api.owner.api_key, ...(json ? { json } : {}) })).body.data
  const rule = async (given: object): Promise<number> => (await made('/api/webhooks', given)).id

  const listed = async (path: string) => (await api.ask('GET', path, { key: api.owner.api_key })).body.data
  /** Calls the first inbox as a delivery does, and as a stranger. */
  const callInbox = async (): Promise<void> => {
    const [{ url }] = await listed('/api/inbox')
    const { id } = (await listed('/api/webhooks')).find((each: { url: string }) => each.url === url)
    await api.ask('POST', `/api/webhooks/${id}/test`, { key: api.owner.api_key })
    await api.ask('POST', new URL(url).pathname, { json: { event: 'bank_transaction', note: HOSTILE } })
  }

  /** Sends a text to the personal URL. */
  const receive = (query: string, body: string, headers = {}) =>
    api.ask('POST', `/api/receive/u/${api.owner.receive_token}${query}`, { body, headers })

  /** A phone that reported every hour for ten days, and is silent since yesterday. */
  const seen = async (device_id: number): Promise<void> => {
    const database = openDatabase(api.databaseUrl)
    await database.query(
      `INSERT INTO ops.heard (user_id, door, first_heard_at, last_heard_at, heard, usual_pause_s)
       VALUES ($1, $2, now() - interval '11 days', now() - interval '1 day', 240, 3600)`,
      [api.owner.user_id, devicePath(device_id)],
    )
    await database.close()
  }

  before(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] })
    api = await openApi({}, 'real', undefined, await builtDashboard())
    ruleId = await rule({ name: 'Cửa hàng', url: 'https://shop.example/hooks/baoco?from=bank' })
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
    await receive(`?sender=Vietcombank`, HOSTILE)
    await receive('?sender=STRANGER', vietcombankText(1, 'DH3001'))
    const { user_id } = api.owner
    await api.happened(user_id, failedId, [
      attempted(failedId, { attempt_id: await api.nextId(), rule_id: ruleId, response_body: HOSTILE }),
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
      await page.goto(`${api.url}/webhooks`)
      await page.locator('.ledger .right', { hasText: /1/ }).first().waitFor()
      await inspect(view, 'webhooks')
      await page.goto(`${api.url}/webhooks/${ruleId}`)
      await page.getByRole('button', { name: /^(Hiện khóa|Show the secret)$/ }).click()
      await page.locator('.lines').waitFor()
      for (const summary of await page.locator('summary').all()) await summary.click()
      await page.locator('code', { hasText: 'transaction_ref' }).waitFor()
      await inspect(view, 'webhook')
      await page.goto(`${api.url}/webhooks/new`)
      await page.getByLabel(/^(Nội dung|Body)$/).selectOption('custom')
      await page.locator('summary').click()
      await page.locator('pre', { hasText: '"paid": "150000.00"' }).waitFor()
      await inspect(view, 'webhook-new')
      await page.goto(`${api.url}/try`)
      await page.getByRole('button', { name: /^(Thử|Try)$/ }).click()
      await page.locator('mark', { hasText: /^DH\d{4}$/ }).waitFor()
      await inspect(view, 'try-read')
      await page.getByLabel(/^(Gửi vào hộp thử|Send to my test inbox)/).check()
      await page.getByRole('button', { name: /^(Thử|Try)$/ }).click()
      await page.getByRole('link', { name: /^(Xem giao dịch|Show transaction)/ }).waitFor()
      await callInbox()
      const answer = page.getByLabel(/^(Hộp thử trả lời|The inbox answers)$/)
      for (const status of ['500', '200']) await answer.selectOption(status)
      await page
        .getByText(/Chữ ký đúng|Valid signature/)
        .first()
        .waitFor()
      await page
        .getByText(/Không có chữ ký đúng|No valid signature/)
        .first()
        .waitFor()
      await inspect(view, 'try-inbox')
      await page.goto(`${api.url}/sources`)
      await page.getByRole('button', { name: /^(Hiện đường dẫn|Show the URL)/ }).click()
      await page.locator('.qr').waitFor()
      await page.locator('summary', { hasText: 'Incoming SMS' }).click()
      await inspect(view, 'sources')
      await page.getByRole('button', { name: /^(Ghép điện thoại|Pair a phone)$/ }).click()
      await page.getByLabel(/^(Tên điện thoại|Name of the phone)$/).fill('Pixel')
      await page.keyboard.press('Enter')
      await page.locator('dialog .qr').waitFor()
      await inspect(view, 'sources-pairing')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: /^(Thêm hộp thư|Add a mailbox)$/ }).click()
      await page.locator('dialog .steps').waitFor()
      await inspect(view, 'sources-mailbox')
      await page.goto(`${api.url}/unread`)
      await page.getByRole('button', { name: /^(Hiện các tin|Show the texts)$/ }).click()
      await page.locator('pre', { hasText: '<img' }).waitFor()
      await inspect(view, 'unread')
      await page.goto(`${api.url}/unread?status=ignored`)
      await page.locator('.lines').waitFor()
      await inspect(view, 'unread-ignored')
      await page.goto(`${api.url}/settings`)
      await page.locator('.pairs').waitFor()
      await page
        .locator('section', { hasText: /Người gửi tin cậy|Trusted senders/ })
        .last()
        .locator('input')
        .first()
        .waitFor()
      await inspect(view, 'settings')
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

  it('adds a webhook, calls it, replaces its secret, changes it, and deletes it', async () => {
    const inbox = await made('/api/inbox')
    const calls = async () =>
      (await api.ask('GET', `/api/inbox/${inbox.id}`, { key: api.owner.api_key })).body.data.calls
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/webhooks`)
    await logIn()
    await page.getByRole('link', { name: 'Thêm webhook' }).click()
    await page.getByLabel('Tên').fill('Quán cà phê')
    await page.getByLabel('Địa chỉ nhận').fill(inbox.url)
    await page.getByLabel('Chỉ các ngân hàng').fill('vcb, tcb')
    await page.getByLabel('Nội dung').selectOption('custom')
    await page.getByLabel('Mẫu JSON').fill('{"who":"","id":{{transaction_id}}}')
    await page.getByText('The template cannot be used: not valid JSON.').waitFor()
    complaints = complaints.filter((text) => !text.includes('400'))
    await page.getByLabel('Mẫu JSON').fill('{"who":""}')
    await page.getByText('Các tên dùng được').click()
    await page.getByLabel('Mẫu JSON').press('ArrowLeft')
    await page.getByLabel('Mẫu JSON').press('ArrowLeft')
    await page.getByRole('button', { name: 'Chèn counterpart_name' }).click()
    await page.locator('pre', { hasText: '"who": "NGUYEN VAN A"' }).waitFor()
    await page.getByRole('button', { name: 'Thêm webhook' }).click()
    await page.getByRole('heading', { name: 'Quán cà phê' }).waitFor()
    await page.getByText('VCB, TCB').waitFor()
    await page.getByRole('button', { name: 'Gửi cuộc gọi thử' }).click()
    await page.locator('.notice.done', { hasText: 'trả lời 200' }).waitFor()
    expect((await calls())[0]).to.include({ method: 'POST', verified: true })
    await page.getByRole('button', { name: 'Hiện khóa' }).click()
    const secret = page.locator('.copyable code', { hasText: /^[0-9a-f]{48}$/ })
    const first = await secret.innerText()
    await page.getByRole('button', { name: 'Thay khóa' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Thay khóa' }).click()
    await page.getByText('Khóa cũ còn ký đến').waitFor()
    expect(await secret.innerText()).not.to.equal(first)
    await page.getByRole('button', { name: 'Ngừng khóa cũ ngay' }).click()
    await page.getByRole('button', { name: 'Thay khóa' }).waitFor()

    await api.ask('PUT', `/api/inbox/${inbox.id}`, { key: api.owner.api_key, json: { answer: 500 } })
    await page.getByRole('button', { name: 'Gửi cuộc gọi thử' }).click()
    await page.locator('.notice.failed', { hasText: 'trả lời 500' }).waitFor()
    await page.locator('pre', { hasText: 'AS_TOLD' }).waitFor()

    await page.getByRole('link', { name: 'Sửa' }).click()
    expect(await page.getByLabel('Chỉ các ngân hàng').inputValue()).to.equal('VCB, TCB')
    await page.getByLabel('Phương thức').selectOption('PUT')
    await page.getByLabel('Đang bật').uncheck()
    await page.getByRole('button', { name: 'Lưu' }).click()
    await page.getByText('Webhook đang tạm dừng').waitFor()
    await page.getByRole('button', { name: 'Bật lại' }).click()
    await page.getByText('Webhook đang tạm dừng').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Gửi cuộc gọi thử' }).click()
    await page.locator('.notice.failed', { hasText: 'trả lời 500' }).waitFor()
    expect((await calls())[0]).to.include({ method: 'PUT', verified: true })

    await page.getByRole('button', { name: 'Xóa webhook' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa webhook' }).click()
    await page.waitForURL('**/webhooks')
    await page.getByRole('link', { name: 'Cửa hàng' }).waitFor()
    expect(await page.getByText('Quán cà phê').count()).to.equal(0)
    expect(complaints).to.deep.equal([])
  })

  it('pairs a phone, notices that it is silent, and removes it', async () => {
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/sources`)
    await logIn()
    await page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
    await page.getByRole('button', { name: 'Ghép điện thoại' }).click()
    await page.getByLabel('Tên điện thoại').fill('Máy ở quầy')
    await page.getByRole('button', { name: 'Tạo mã ghép' }).click()
    await page.getByRole('timer').waitFor()
    const code = await page.locator('dialog .copyable code').innerText()
    const paired = await api.ask('POST', '/api/receive/pair', { json: { code, model: HOSTILE } })
    await page.getByText('Đã ghép Máy ở quầy.').waitFor()
    await page.getByRole('button', { name: 'Đóng' }).click()
    const phone = page.locator('.lines > li', { hasText: 'Máy ở quầy' })
    await phone.getByText('Chưa nhận tin nào').waitFor()
    await seen(paired.body.data.device_id)
    await api.ask('POST', '/api/receive/sms', {
      headers: { 'x-device-token': paired.body.data.device_token },
      json: { sender: 'Vietcombank', text: 'hello' },
    })
    await phone.getByText('Im lặng từ').waitFor()
    await phone.getByText('Thường cách nhau không quá 1 giờ.').waitFor()
    await phone.getByRole('button', { name: 'Gỡ Máy ở quầy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Gỡ' }).click()
    await phone.waitFor({ state: 'detached' })
    expect(complaints).to.deep.equal([])
  })

  it('adds a mailbox, says why it cannot be read, changes it, and removes it', async () => {
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/sources`)
    await logIn()
    await page.getByRole('button', { name: 'Thêm hộp thư' }).click()
    await page.getByLabel('Nhà cung cấp').selectOption('')
    await page.getByLabel('Địa chỉ email').fill('shop@example.com')
    await page.getByLabel('Mật khẩu ứng dụng').fill('abcd efgh')
    await page.getByLabel('Máy chủ IMAP').fill('127.0.0.1')
    await page.getByLabel('Cổng', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Lưu và thử' }).click()
    await page.locator('.notice.failed', { hasText: 'Không đọc được hộp thư.' }).waitFor()
    await page.getByRole('button', { name: 'Sửa shop@example.com' }).click()
    expect(await page.getByLabel('Máy chủ IMAP').inputValue()).to.equal('127.0.0.1')
    await page.getByLabel('Mật khẩu ứng dụng').fill('x')
    await page.getByLabel('Máy chủ IMAP').fill('localhost')
    await page.getByRole('button', { name: 'Lưu và thử' }).click()
    await page.locator('.lines > li', { hasText: 'localhost' }).locator('.notice.failed').waitFor()
    expect((await listed('/api/mail-accounts'))[0]).to.include({ host: 'localhost', port: 1, tls: true })
    await page.getByRole('button', { name: 'Gỡ shop@example.com' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Gỡ' }).click()
    await page.getByText('Chưa có hộp thư nào.').waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('confirms a text that may be forged, and shows that another one is still not understood', async () => {
    const text = vietcombankText(2, 'DH3002')
    const broken = `{"sender":"Vietcombank","sender":"Vietcombank2","text":"${text}"}`
    await receive('', broken, { 'content-type': 'application/json' })
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/unread`)
    await logIn()
    const other = page.locator('.lines > li', { hasText: 'Không bộ đọc nào' }).last()
    await other.getByRole('button', { name: /^Đọc lại/ }).click()
    await page.locator('.announcement', { hasText: 'Vẫn chưa đọc được.' }).waitFor()
    const forged = page.locator('.lines > li', { hasText: 'Một trường có hai lần' })
    await forged.getByRole('button', { name: 'Tin này là thật' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tin này là thật' }).click()
    await forged.waitFor({ state: 'detached' })
    await page.goto(`${api.url}/transactions`)
    await page.getByText('DH3002').waitFor()
    await page.goto(`${api.url}/unread?status=ignored`)
    await page.getByRole('link', { name: 'Sửa người gửi tin cậy' }).click()
    await page.waitForURL('**/settings')
    expect(complaints).to.deep.equal([])
  })

  it('creates an API key that is shown once, deletes it, and trusts a sender', async () => {
    await open(VIEWS[2])
    await page.goto(`${api.url}/login?next=/settings`)
    await logIn()
    await page.getByLabel('Tên khóa').fill('Kế toán')
    await page.getByLabel('Xem giao dịch và báo cáo').uncheck()
    await page.getByRole('button', { name: 'Tạo khóa' }).click()
    await page.getByText('Chọn ít nhất một quyền.').waitFor()
    await page.getByLabel('Xem giao dịch và báo cáo').check()
    await page.getByLabel('Hết hạn vào ngày').fill('2099-12-31')
    await page.getByRole('button', { name: 'Tạo khóa' }).click()
    const key = await page.locator('.copyable code').innerText()
    expect((await api.ask('GET', '/api/transactions', { key })).status).to.equal(200)
    expect((await api.ask('POST', '/api/inbox', { key })).status).to.equal(403)
    await page.locator('.lines > li', { hasText: 'hết hạn 31/12/2099' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Xóa khóa Kế toán' }).click()
    expect(await page.getByText(key).count()).to.equal(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa' }).click()
    await page.getByText('Chưa có khóa nào.').waitFor()
    expect((await api.ask('GET', '/api/transactions', { key })).status).to.equal(401)

    await page.getByLabel('Tên người gửi SMS').fill('NGAN HANG')
    await page.getByRole('button', { name: 'Thêm', exact: true }).click()
    await page.getByRole('button', { name: 'Bỏ NGAN HANG' }).waitFor()
    await page.getByLabel('Nhận cả tin không ghi người gửi').click()
    await page.locator('input:checked:enabled[type=checkbox]').last().waitFor()
    const path = '/api/account/trusted-senders'
    expect(await listed(path)).to.deep.equal({ trusted_senders: ['NGAN HANG'], without_sender: true })
    await page.getByRole('button', { name: 'Bỏ NGAN HANG' }).click()
    await page.getByText('Chưa thêm người gửi nào.').waitFor()
    await page.getByLabel('Nhận cả tin không ghi người gửi').click()
    await eventually(async () => (await listed(path)).without_sender === false)
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
