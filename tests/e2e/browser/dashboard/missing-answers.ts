/** Screens whose file, or whose answers from the API, cannot be loaded. They recover without a reload by the user. */
import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { eventually } from '../../../harness/eventually.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import { aMinutePasses, keepMinutes } from '../../../harness/dashboard/minutes.ts'
import { WITHIN, type Visitor } from '../../../harness/dashboard/visitor.ts'

const FILE = '**/assets/exports-*.js'

/** Runs in the page. Counts how often the page stops saying that something is wrong. */
const SILENCES = `{
  globalThis.silences = 0
  new MutationObserver(() => {
    if (!document.querySelector('[role=alert]')) silences++
  }).observe(document.body, { childList: true, subtree: true })
}`

/** Holds back the answers of an address. @returns waits for the next answer, and returns the function that lets it through */
const holdAnswers = async (page: Page, address: string): Promise<() => Promise<() => Promise<unknown>>> => {
  const held: (() => Promise<unknown>)[] = []
  await page.route(address, async (route) => {
    const response = await route.fetch()
    // The page may have given it up.
    held.push(() => route.fulfill({ response }).catch(() => {}))
  })
  return async () => {
    await eventually(() => held.length > 0, { within: WITHIN })
    return held.shift()!
  }
}

export const missingAnswers = (visitor: () => Visitor, owner: () => Owner): void => {
  const open = async () => {
    // A loaded page has no other screen's file yet.
    await visitor().go('/settings')
    await visitor().page.getByRole('heading', { name: 'Cài đặt', level: 1 }).waitFor()
  }
  const follow = () => visitor().page.locator('.rail nav > a[href="/exports"]').click()
  const opened = () => visitor().page.getByRole('heading', { name: 'Xuất dữ liệu', level: 1 }).waitFor()
  const forgive = () => {
    visitor().complaints = visitor().complaints.filter(
      (text) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 404/.test(text),
    )
  }

  it('says that it is loading until its scripts are there', async () => {
    const { page } = visitor()
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    await page.route('**/assets/main-*.js', (route) => arrived.then(() => route.continue()))
    await page.goto(`${visitor().url}/login`, { waitUntil: 'commit' })
    await page.getByText('Đang tải… Loading…').waitFor()
    arrive()
    await page.getByLabel('Email', { exact: true }).waitFor()
    expect(await page.getByText('Loading…').count()).to.equal(0)
    await page.unroute('**/assets/main-*.js')
  })

  it('says that a screen could not be loaded without a network, and opens it when the network is back', async () => {
    await open()
    // The browser may have the file from an earlier test.
    await visitor().page.route(FILE, (route) => route.abort())
    await visitor().offline(true)
    try {
      await follow()
      await visitor().page.getByRole('heading', { name: 'Chưa tải được trang này', level: 1 }).waitFor()
      await visitor().page.getByText('Không kết nối được tới máy chủ').first().waitFor()
    } finally {
      await visitor().page.unroute(FILE)
      await visitor().offline(false)
    }
    await opened()
    forgive()
  })

  it('soon repeats a request that failed at Baoco or before it, also on screens that refresh only now and then', async () => {
    const { page } = visitor()
    const answers = /\/api\/(?:receive-url|devices|mail-accounts|undelivered)/
    let asked: string[] = []
    const note = (request: Request): void => void asked.push(new URL(request.url()).pathname)
    page.on('requestfinished', note)
    await visitor().enter('/settings')
    for (const path of ['/sources', '/undelivered']) {
      await page.route(answers, (route) => route.fulfill({ status: 500, json: { error: 'INTERNAL_ERROR' } }))
      await page.route('**/api/receive-url', (route) => route.fulfill({ status: 404, body: '<h1>404 Not Found</h1>' }))
      asked = []
      await visitor().go(path)
      await page.getByRole('alert').first().waitFor()
      // Each part of the screen has the same error, and the screen says it once.
      const parts = path === '/sources' ? ['receive-url', 'devices', 'mail-accounts'] : ['undelivered']
      const times = (part: string) => asked.filter((each) => each === `/api/${part}`).length
      await eventually(() => parts.every((part) => times(part) >= 3))
      // It says so without a pause, also while it asks again.
      await page.evaluate(SILENCES)
      await eventually(() => parts.every((part) => times(part) >= 4), { within: WITHIN })
      expect(await page.evaluate('silences'), path).to.equal(0)
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
      expect(await page.getByRole('alert').count(), path).to.equal(1)
      // A proxy's 404 does not say that there is no personal URL. Another one would end the current one.
      expect(await page.getByRole('button', { name: 'Tạo đường dẫn riêng' }).count()).to.equal(0)
      await page.unroute('**/api/receive-url')
      await page.unroute(answers)
      // More than the five seconds after an error, and less than any screen's usual pause.
      await page.getByRole('alert').first().waitFor({ state: 'detached', timeout: 12_000 })
    }
    page.off('requestfinished', note)
    visitor().forgive(500)
  })

  it('has a heading without an answer, and says once in each part that it is loading', async () => {
    const { page } = visitor()
    const all = /\/api\/(?!account$|session|stream)/
    const { ruleId } = owner()
    const headings = async () => (await page.locator('h1').allInnerTexts()).join()
    await visitor().enter('/settings')
    // The page asks again by itself when the stream opens. Then nobody needs the button.
    await page.route('**/api/stream*', () => {})
    await page.route(all, (route) => route.fulfill({ status: 403, json: { error: 'SCOPE_MISSING' } }))
    for (const path of [`/webhooks/${ruleId}`, `/webhooks/${ruleId}/edit`]) {
      await visitor().go(path)
      await page.getByRole('alert').waitFor()
      expect(await headings(), path).to.equal('Webhook')
    }
    await page.unroute(all)
    await page.getByRole('button', { name: 'Thử lại' }).click()
    await page.getByLabel('Địa chỉ nhận').waitFor()
    expect(await headings()).to.match(/^Sửa /)
    await page.unroute('**/api/stream*')
    await page.route(all, (route) => route.fulfill({ status: 500, json: { error: 'INTERNAL_ERROR' } }))
    await visitor().go('/')
    await page.getByRole('alert').waitFor()
    const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Cần bạn xem' }) })
    expect(await attention.getByText('Đang tải…').count()).to.equal(1)
    await page.unroute(all)
    for (const status of [403, 500]) visitor().forgive(status)
  })

  it('does not say that all is well while it does not know whether everything was delivered', async () => {
    const { page } = visitor()
    const undelivered = { '**/api/transactions?webhook_status=failed': [], '**/api/undelivered*': { groups: [] } }
    for (const path of ['alerts', 'bank-accounts', 'notifications?status=ignored'])
      await page.route(`**/api/${path}`, (route) => route.fulfill({ json: { data: [] } }))
    const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Cần bạn xem' }) })
    for (const missing of Object.keys(undelivered)) {
      for (const [path, data] of Object.entries(undelivered))
        await page.route(path, (route) =>
          route.fulfill(
            path === missing ? { status: 500, json: { error: 'INTERNAL_ERROR' } } : { json: { data, total: 0 } },
          ),
        )
      await visitor().enter('/')
      await attention.getByRole('alert').waitFor()
      expect(await attention.getByText('Mọi thứ đang chạy tốt.').count(), missing).to.equal(0)
      for (const [path, data] of Object.entries(undelivered))
        await page.route(path, (route) => route.fulfill({ json: { data, total: 0 } }))
      await attention.getByText('Mọi thứ đang chạy tốt.').waitFor()
    }
    await page.unrouteAll()
    visitor().forgive(500)
  })

  it('does not say that a webhook is well while it does not know its calls', async () => {
    const { page } = visitor()
    // Not repeated by itself.
    await page.route('**/api/stats/rules*', (route) => route.fulfill({ status: 403, json: { error: 'FORBIDDEN' } }))
    await visitor().enter('/webhooks')
    await page.getByRole('alert').getByRole('button', { name: 'Thử lại' }).waitFor()
    expect(await page.locator('.ledger .status').allInnerTexts()).to.deep.equal([])
    await page.unroute('**/api/stats/rules*')
    // A live message may have asked again already.
    await page.evaluate(`document.querySelector('[role=alert] button')?.click()`)
    await page.locator('.ledger .status').first().waitFor()
    visitor().forgive(403)
  })

  it('says in sight that an answer is missing, even if the part that failed first is folded away', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    const refusal = { status: 429, headers: { 'Retry-After': '120' }, json: { error: 'RATE_LIMITED' } }
    await page.route('**/api/webhooks/preview', (route) => route.fulfill(refusal))
    const failed = page.waitForResponse('**/api/webhooks/preview')
    await page.route('**/api/webhooks/*/logs', (route) => failed.then(() => route.fulfill(refusal)))
    await visitor().go(`/webhooks/${owner().ruleId}`)
    await page.getByRole('alert').waitFor()
    await page.unroute('**/api/webhooks/preview')
    await page.unroute('**/api/webhooks/*/logs')
    visitor().forgive(429)
  })

  it('repeats a request whose answer broke off, or was replaced by the login page of a network', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.route('**/api/webhooks', (route) =>
      route.fulfill({ body: '<html>Wi-Fi</html>', contentType: 'text/html' }),
    )
    await visitor().go('/webhooks')
    await page.getByRole('alert').getByText('Không kết nối được tới máy chủ').waitFor()
    await page.unroute('**/api/webhooks')
    await page.locator('.ledger').waitFor({ timeout: 12_000 })
  })

  it('does not promise to repeat a change that could not be sent', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.getByLabel('Tên người gửi SMS').fill('NGAN HANG XA')
    await visitor().offline(true)
    try {
      await page.getByRole('button', { name: 'Thêm', exact: true }).click()
      await page.getByRole('alert').getByText('xem thay đổi đã được lưu chưa').first().waitFor()
    } finally {
      await visitor().offline(false)
    }
    expect(await page.getByLabel('Tên người gửi SMS').inputValue()).to.equal('NGAN HANG XA')
    forgive()
  })

  it('counts payments that arrive while an answer is on its way, however slow the line is', async () => {
    const { page } = visitor()
    const answer = await holdAnswers(page, '**/api/stats?*')
    await visitor().enter('/')
    await page.locator('.rail > .foot .live', { hasText: 'trực tiếp' }).waitFor()
    const shown = async () => Number((await page.locator('.figure').innerText()).replace(/\D/g, ''))
    const pay = async (): Promise<void> => {
      const isTold = page.waitForRequest('**/api/transactions')
      await owner().pay({ order_id: 'DH7301', amount: '1000.00' })
      await isTold
    }
    const older = await answer()
    await pay()
    await older()
    const before = await shown()
    await (
      await answer()
    )()
    await eventually(async () => (await shown()) === before + 1_000)
    // Each answer takes longer than the time until the next payment.
    await pay()
    const next = await answer()
    await pay()
    await next()
    await eventually(async () => (await shown()) === before + 2_000)
    await (
      await answer()
    )()
    await eventually(async () => (await shown()) === before + 3_000)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('shows that a transaction was matched again, even if its text was on its way', async () => {
    const { page } = visitor()
    const order = { order_id: 'DH7305', content: 'chuyen tien DH7305', account_number: '778' }
    const id = await owner().pay({ ...order, webhook_status: 'no_match', held: 'old_notification' })
    const answer = await holdAnswers(page, '**/api/transactions/*?include_raw=1')
    await visitor().enter(`/transactions/${id}`)
    await page.getByRole('button', { name: 'Hiện tin gốc' }).click()
    const older = await answer()
    let asked = 0
    const note = (request: Request): void => void (asked += Number(request.url().endsWith('/history')))
    page.on('request', note)
    await page.getByRole('button', { name: 'So khớp lại' }).click()
    // The page asks again after the act, and after the message about it.
    await eventually(() => asked >= 2, { within: WITHIN })
    page.off('request', note)
    await older()
    await (
      await answer()
    )()
    await page.locator('.figures .status', { hasText: 'Đang gửi' }).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('says after a minute that nobody knows whether a change was made, if no answer comes', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.route('**/api/account/trusted-senders', (route) =>
      route.request().method() === 'GET' ? route.continue() : undefined,
    )
    await visitor().go('/settings')
    await keepMinutes(page)
    await page.getByLabel('Tên người gửi SMS').fill('NGAN HANG XA')
    await page.getByRole('button', { name: 'Thêm', exact: true }).click()
    await page.getByRole('button', { name: 'Thêm', exact: true, disabled: true }).waitFor()
    await aMinutePasses(page)
    await page.getByRole('alert').getByText('xem thay đổi đã được lưu chưa').first().waitFor()
    expect(await page.getByLabel('Tên người gửi SMS').inputValue()).to.equal('NGAN HANG XA')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('waits as long as the server asks for, and says how long', async () => {
    const { page } = visitor()
    let asked = 0
    await page.route('**/api/webhooks', (route) => {
      asked++
      return route.fulfill({ status: 429, headers: { 'Retry-After': '120' }, json: { error: 'RATE_LIMITED' } })
    })
    await visitor().enter('/webhooks')
    await page.getByRole('alert').getByText('Hãy đợi 2 phút rồi thử lại.').waitFor()
    // The page asks for everything once more when the live messages begin.
    await page.locator('.rail > .foot .live', { hasText: 'trực tiếp' }).waitFor()
    let before = 0
    await eventually(async () => {
      before = asked
      await page.waitForTimeout(1_000)
      return asked === before
    })
    // Longer than the pause after any other error.
    await page.waitForTimeout(7_000)
    expect(asked).to.equal(before)
    await page.unroute('**/api/webhooks')
    visitor().forgive(429)
  })

  it('reloads for a screen whose file an update of the server has replaced, but not again and again', async () => {
    await open()
    const { page } = visitor()
    let asked = 0
    await page.route(FILE, (route) => (++asked === 1 ? route.fulfill({ status: 404 }) : route.continue()))
    await follow()
    await opened()
    expect(asked).to.equal(2)
    await page.unroute(FILE)
    await open()
    await page.route(FILE, (route) => route.fulfill({ status: 404 }))
    await follow()
    await page.getByRole('heading', { name: 'Chưa tải được trang này', level: 1 }).waitFor()
    await page.unroute(FILE)
    await page.getByRole('button', { name: 'Thử lại' }).click()
    await opened()
    forgive()
  })

  it('reloads for the texts of a language too, but not while somebody is typing', async () => {
    await open()
    const { page } = visitor()
    await page.evaluate('window.isTheSamePage = true; sessionStorage.clear()')
    await page.route('**/assets/en-*.js', (route) => route.fulfill({ status: 404 }), { times: 1 })
    await visitor().speak('en')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    expect(await page.evaluate('window.isTheSamePage')).to.equal(undefined)
    await visitor().speak('vi')
    await page.evaluate('sessionStorage.clear()')
    await page.getByLabel('Tên người gửi SMS').fill('NGAN HANG XA')
    await page.route('**/assets/palette-*.js', (route) => route.fulfill({ status: 404 }))
    await page.keyboard.press('Control+k')
    await page.locator('.announcement', { hasText: 'Một phần của trang chưa tải được. Hãy tải lại trang.' }).waitFor()
    expect(await page.getByLabel('Tên người gửi SMS').inputValue()).to.equal('NGAN HANG XA')
    await page.unroute('**/assets/palette-*.js')
    forgive()
  })
}
