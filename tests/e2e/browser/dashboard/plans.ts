/** A shop owner buys a plan: from the message about a limit to the payment that arrives. */
import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { vietcombankText } from '../../../harness/bank-texts.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import { WITHIN, type Visitor } from '../../../harness/dashboard/visitor.ts'
import { vietnamMonth } from '../../../../domain/time.ts'
import { transactionStream } from '../../../../domain/transaction/events.ts'
import { captured } from '../../../integration/http/captured.ts'
import { OWNERS_PASSWORD } from '../../../integration/http/api-under-test.ts'
import { NARROW, OVERLAPS } from './narrow.ts'

/** The account that plans are paid to. */
export const PLANS = { planPrefix: 'BC', planBank: 'VCB', planAccount: '0011000415567', planHolder: 'BAOCO CO LTD' }
const PATH = '/settings/plan'
const YEAR_MS = 365 * 86_400_000

export const plans = (visitor: () => Visitor, owner: () => Owner): void => {
  let payments = 0

  /** Logs in as a new account. @returns the key of its API */
  const enterAs = async (name: string, path: string, plan: 'Free' | 'Pro' = 'Free'): Promise<string> => {
    const email = `${name}@plans.example`
    const { api_key: key } = await owner().api.newAccount(email, plan)
    await owner().api.ask('PUT', '/api/account', { key, json: { language: 'vi' } })
    await visitor().go(`/login?next=${path}`)
    await visitor().logIn({ email, password: OWNERS_PASSWORD })
    return key
  }
  /** The operator's bank tells of a payment. */
  const pay = async (order: string, amount = 600_000): Promise<void> => {
    const { body } = await owner().receive('?sender=Vietcombank', vietcombankText(500 + ++payments, order, { amount }))
    expect(body.data.webhook_status).to.equal('plan_upgraded')
  }
  const accountOf = async (key: string) => (await owner().api.ask('GET', '/api/account', { key })).body.data
  /** The value beside this label of the payment. */
  const part = (page: Page, label: string) => page.locator(`dt:text-is("${label}") + dd`).locator('code').innerText()
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const focused = 'document.activeElement.innerText'

  it('lets the webhook of a shop take the place of the test inbox, where the plan has only one', async () => {
    const { page } = visitor()
    try {
      const key = await enterAs('beginner', '/try')
      await page.getByText('cũng tính vào số webhook của gói').waitFor()
      await button(page, 'Tạo hộp thử').click()
      await page.getByText('Chưa nhận được webhook nào').waitFor()
      const [{ id }] = (await owner().api.ask('GET', '/api/webhooks', { key })).body.data
      await owner().api.ask('PUT', `/api/webhooks/${id}`, { key, json: { is_active: 0 } })
      // The plan has no place for a second one.
      await button(page, 'Bật webhook của hộp thử').click()
      await button(page, 'Bật webhook của hộp thử').waitFor({ state: 'detached' })
      const { body: inboxes } = await owner().api.ask('GET', '/api/webhooks', { key })
      expect(inboxes.data.map(({ is_active }: { is_active: number }) => is_active)).to.deep.equal([1])
      await visitor().open('/webhooks/new')
      await page.getByLabel('Tên', { exact: true }).fill('Quán phở')
      await page.getByLabel('Địa chỉ nhận').fill('https://pho.example/hook')
      await button(page, 'Thêm webhook').click()
      await page.getByText('Webhook của hộp thử cũng được tính.').waitFor()
      visitor().forgive(403)
      await visitor().inspect('webhook-instead-of-inbox')
      await button(page, 'Thay webhook của hộp thử').click()
      await page.getByRole('heading', { name: 'Quán phở', level: 1 }).waitFor()
      const { body } = await owner().api.ask('GET', '/api/webhooks', { key })
      expect(body.data.map(({ name }: { name: string }) => name)).to.deep.equal(['Quán phở'])
    } finally {
      await visitor().enter('/')
    }
  })

  it('orders a plan once, shows the payment on a screen of its own, and notices when it arrives', async () => {
    const { page } = visitor()
    const orders: string[] = []
    const noteOrder = (request: Request): void => {
      if (request.method() === 'POST' && request.url().endsWith('/api/plans/order')) orders.push(request.postData()!)
    }
    page.on('request', noteOrder)
    try {
      const key = await enterAs('buyer', PATH)
      await page.locator('li', { hasText: '600.000' }).getByText('5.000 giao dịch mỗi tháng').waitFor()
      await page.locator('li', { hasText: 'Gói hiện tại' }).getByText('Free').waitFor()
      await button(page, 'Mua gói Basic').dblclick()
      await page.getByRole('heading', { name: 'Thanh toán gói Basic' }).waitFor()
      await page.locator('.announcement', { hasText: 'Đã tạo đơn.' }).waitFor()
      const order = await part(page, 'Nội dung')
      expect(order).to.match(/^BC\d{4,}$/)
      expect(await part(page, 'Ngân hàng')).to.equal('Vietcombank')
      expect(await part(page, 'Số tài khoản')).to.equal(PLANS.planAccount)
      expect(await part(page, 'Chủ tài khoản')).to.equal(PLANS.planHolder)
      expect(await part(page, 'Số tiền')).to.match(/^600\.000\s₫$/)
      await page.getByRole('img', { name: `Mã VietQR để thanh toán ${order}` }).waitFor()
      for (const what of ['Ngân hàng', 'Số tài khoản', 'Chủ tài khoản', 'Số tiền', 'Nội dung'])
        await button(page, `Sao chép: ${what}`).waitFor()
      await page.evaluate('navigator.clipboard.writeText = async (text) => void (globalThis.copiedText = text)')
      await button(page, 'Sao chép: Số tiền').click()
      await page.locator('.announcement', { hasText: 'Đã sao chép.' }).waitFor()
      expect(await page.evaluate('copiedText')).to.equal('600000')

      // The order stays, and is not made again.
      await page.reload()
      await page.getByRole('heading', { name: 'Thanh toán gói Basic' }).waitFor()
      expect(await part(page, 'Nội dung')).to.equal(order)
      await visitor().inspect('plan-payment')
      await page.setViewportSize(NARROW)
      expect(await page.evaluate(OVERLAPS)).to.deep.equal([])

      await pay(order)
      await page.locator('.announcement', { hasText: 'Đã nhận thanh toán.' }).waitFor({ timeout: WITHIN / 4 })
      await page.getByText('Gói của bạn là Basic, dùng đến').waitFor()
      expect(orders).to.deep.equal(['{"plan":"Basic"}'])
      const { plan, plan_expires_at: end } = await accountOf(key)
      expect(plan).to.equal('Basic')
      await page.reload()
      await button(page, 'Mua gói Pro').waitFor()
      expect(await page.getByText('Đã nhận thanh toán.').count()).to.equal(0)

      await button(page, 'Gia hạn gói Basic').press('Enter')
      await page.getByRole('heading', { name: 'Thanh toán gói Basic' }).waitFor()
      expect(await page.evaluate(focused)).to.equal('Thanh toán gói Basic')
      const renewal = await part(page, 'Nội dung')
      expect(renewal).not.to.equal(order)
      // The payment arrives while the page shows something else.
      await page.locator('.rail').getByRole('link', { name: 'Webhook' }).click()
      await page.getByRole('heading', { name: 'Webhook', exact: true }).waitFor()
      await pay(renewal)
      await page.goBack()
      await page.getByText('Gói của bạn là Basic, dùng đến').waitFor({ timeout: WITHIN / 4 })
      const renewed = await accountOf(key)
      expect(Date.parse(renewed.plan_expires_at) - Date.parse(end)).to.equal(YEAR_MS)
    } finally {
      page.off('request', noteOrder)
      await visitor().enter('/')
    }
  })

  it('leads from a limit to the plans, and shows an order only to its owner', async () => {
    const { page } = visitor()
    try {
      const key = await enterAs('limited', '/webhooks/new')
      await owner().api.ask('POST', '/api/webhooks', {
        key,
        json: { name: 'Một', url: 'https://shop.example/inbox/1' },
      })
      await page.getByLabel('Tên').fill('Hai')
      await page.getByLabel('Địa chỉ nhận').fill('https://shop.example/2')
      const inboxes = page.waitForResponse('**/api/inbox')
      await page.keyboard.press('Enter')
      const refused = page.getByRole('alert').filter({ hasText: 'Bạn đã dùng hết số webhook của gói.' })
      // A webhook of a shop is not taken for that of a test inbox.
      await (await inboxes).finished()
      expect(await button(page, 'Thay webhook của hộp thử').count()).to.equal(0)
      await refused.getByRole('link', { name: 'Xem các gói' }).click()
      await button(page, 'Bỏ phần chưa lưu').click()
      visitor().forgive(403)
      await button(page, 'Mua gói Pro').click()
      await page.getByRole('heading', { name: 'Thanh toán gói Pro' }).waitFor()
      const order = await part(page, 'Nội dung')
      await button(page, 'Chọn gói khác').click()
      await button(page, 'Mua gói Basic').click()
      await page.getByRole('heading', { name: 'Thanh toán gói Basic' }).waitFor()
      expect(await part(page, 'Nội dung')).not.to.equal(order)

      // Out of a dialog too, and back to the open order.
      await owner().api.ask('POST', '/api/devices', { key, json: { name: 'Máy một' } })
      await visitor().open('/sources')
      await button(page, 'Ghép điện thoại').click()
      await page.getByLabel('Tên điện thoại').fill('Máy hai')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('link', { name: 'Xem các gói' }).press('Enter')
      await button(page, 'Bỏ phần chưa lưu').press('Enter')
      await page.getByRole('heading', { name: 'Thanh toán gói Basic' }).waitFor()
      expect(await page.getByRole('dialog').count()).to.equal(0)
      expect(await page.evaluate(focused)).to.equal('Gói dịch vụ')
      visitor().forgive(403)

      // A payment that was not sent yet may wait because of the quota.
      const { api } = owner()
      const [{ user_id, id: rule }] = (await api.ask('GET', '/api/webhooks', { key })).body.data
      const id = await api.nextId()
      const created_at = new Date(Date.now() - 3_600_000).toISOString()
      await api.happened(user_id, id, [captured(user_id, id, { webhook_status: 'pending', rules: [rule], created_at })])
      await visitor().open('/undelivered')
      const untried = page.locator('.lines > li', { hasText: 'Chưa gửi lần nào' })
      await untried.getByRole('link', { name: 'Xem các gói' }).click()
      await page.getByRole('heading', { name: 'Thanh toán gói Basic' }).waitFor()

      // The quota of the month is used up: no attempt begins soon.
      await visitor().open(`/transactions/${id}`)
      await page.getByText('Lần gửi đầu sắp bắt đầu.').waitFor()
      const others = (await api.nextIds(99)).map(
        (each) => [transactionStream(each), [captured(user_id, each)]] as const,
      )
      await api.happenedTo(user_id, others)
      const warned = { user_id, month: vietnamMonth(new Date()), transactions: 100, limit: 100 }
      await api.decree(user_id, { type: 'QuotaWarned', data: warned })
      const isUsedUp = page.locator('main').getByText('Đã hết hạn mức tháng này. Webhook vẫn được gửi, nhưng chậm hơn.')
      for (const path of [`/transactions/${id}`, PATH, '/']) {
        await visitor().open(path)
        await isUsedUp.waitFor()
      }

      await enterAs('neighbour', PATH)
      await button(page, 'Mua gói Basic').waitFor()
      expect(await page.locator('.payment').count()).to.equal(0)
    } finally {
      await visitor().enter('/')
    }
  })

  it('says that no plan can be bought here, or that the server is away, and orders nothing by itself', async () => {
    const { page } = visitor()
    try {
      await enterAs('unlucky', PATH)
      const message = 'Plans cannot be ordered here, because the operator has not set a bank account for payments.'
      await page.route('**/api/plans/order', (route) =>
        route.fulfill({ status: 409, json: { success: false, error: 'CONFLICT', message } }),
      )
      await button(page, 'Mua gói Basic').click()
      await page.getByRole('alert').filter({ hasText: 'Ở đây chưa mua gói được' }).waitFor()
      visitor().forgive(409)
      await page.unroute('**/api/plans/order')
      await page.route('**/api/plans/order', (route) => route.abort())
      await button(page, 'Mua gói Basic').click()
      await page.getByRole('alert').filter({ hasText: 'Không kết nối được tới máy chủ.' }).waitFor()
      visitor().complaints = []
      await page.unroute('**/api/plans/order')
      await page.reload()
      await button(page, 'Mua gói Basic').waitFor()
      expect(await page.locator('.payment').count()).to.equal(0)
    } finally {
      await visitor().enter(PATH)
    }
    // The operator's plan has no end, and no plan is larger.
    await page.getByText('2.000.000').waitFor()
    expect(await page.getByRole('button', { name: /^(?:Mua|Gia hạn) gói/ }).count()).to.equal(0)
  })
}
