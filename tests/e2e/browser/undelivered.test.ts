/** The screen of what is not delivered, in a real browser, with ten thousand transactions. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { Unit } from '../../../domain/ports.ts'
import { openRetriedTransactions } from '../../../projections/job/queries.ts'
import { runJobs } from '../../../workflows/jobs/bulk-retry.ts'
import { needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { failMany, MANY } from '../../harness/dashboard/many-undelivered.ts'
import { Owner } from '../../harness/dashboard/owner.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'

interface Transaction {
  webhook_status: string
}

describe('undelivered transactions, in a browser', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let api: ApiUnderTest
  let owner: Owner
  let visitor: Visitor
  let slow: number

  before(async () => {
    api = await openApi({}, 'real', { web: await builtDashboard() })
    owner = new Owner(api)
    await owner.change('/api/account', { language: 'vi' })
    const add = async (name: string) =>
      (await owner.make('/api/webhooks', { name, url: `https://${name}.example/hook` })).id
    slow = await add('slow')
    owner.ruleId = await add('shop')
    visitor = await Visitor.open(api.url)
    await visitor.newPage()
    await visitor.enter('/undelivered')
  })
  after(async () => {
    await visitor?.close()
    await api?.close()
  })
  afterEach(() => expect(visitor.complaints).to.deep.equal([]))

  const button = (name: string | RegExp) => visitor.page.getByRole('button', { name, exact: typeof name === 'string' })
  const inDialog = (name: string | RegExp) => visitor.page.getByRole('dialog').getByRole('button', { name })
  const see = (text: string | RegExp) => visitor.page.getByText(text).filter({ visible: true }).first().waitFor()
  const headings = () => visitor.page.locator('section.block > h2 a').allInnerTexts()
  const statusOf = async (id: number) => (await owner.list<Transaction>(`/api/transactions/${id}`)).webhook_status

  /** Does the jobs until `until` holds. */
  const working = async (until: () => Promise<unknown>): Promise<void> => {
    const stopping = new AbortController()
    // So slow that a job can be stopped in the middle.
    const store = { ...api.store, append: (units: readonly Unit[]) => pause(300).then(() => api.store.append(units)) }
    const parts = {
      store,
      accounts: api.accounts,
      clock: api.clock,
      transactions: openRetriedTransactions(api.database),
    }
    const running = runJobs(parts, () => {}, stopping.signal)
    await until()
    stopping.abort()
    await running
  }

  it('says that nothing is left to do', async () => {
    await see('Không có giao dịch nào bị lỗi hay đang chờ gửi.')
    expect(await button(/Gửi lại/).count()).to.equal(0)
    // Those that no webhook accepted have not reached the shop either.
    const unmatched = visitor.page.getByRole('link', { name: 'Xem các giao dịch không khớp' })
    expect(await unmatched.getAttribute('href')).to.equal('/transactions?webhook_status=no_match')
  })

  it('sends failed transactions again and waiting ones now, after a question that states their number', async () => {
    const failed = await owner.pay({ order_id: 'DH1', webhook_status: 'pending', rules: [owner.ruleId] })
    await owner.failed(failed, null)
    const waiting = await owner.pay({ order_id: 'DH2', webhook_status: 'pending', rules: [owner.ruleId] })
    await owner.failed(waiting, new Date(Date.now() + 3_600_000))
    await button('Gửi lại: shop, Cửa hàng gặp lỗi').click()
    await see('1 giao dịch sẽ được gửi, cũ nhất trước.')
    await see('mất chưa đến một phút')
    await inDialog('Gửi 1 giao dịch').click()
    await visitor.page.waitForURL('**/undelivered?job=*')
    await see('Đã xếp hàng 0 trong 1 giao dịch')
    // The job is in the address.
    await visitor.page.reload()
    await working(() => see('Đã xếp hàng xong 1 giao dịch.'))
    expect(await statusOf(failed)).to.equal('pending')
    await button('Ẩn').click()
    await visitor.page.waitForURL('**/undelivered')

    await button('Gửi ngay: shop, Cửa hàng gặp lỗi').click()
    await inDialog(/^Gửi \d giao dịch$/).click()
    await working(() => see(/Đã xếp hàng xong \d giao dịch/))
    const due = await api.database.query(
      `SELECT FROM read_model.delivery WHERE transaction_id = $1 AND status = 'open' AND due_at <= now()`,
      [waiting],
    )
    expect(due).to.have.length(1)
  })

  it('sends the delivered transactions of chosen days once more', async () => {
    const delivered = await owner.pay({ order_id: 'DH3', webhook_status: 'pending', rules: [owner.ruleId] })
    await owner.delivered(delivered)
    await visitor.go('/undelivered?status=success')
    await see('Hãy chọn ngày bắt đầu')
    expect(await button('Gửi lại những gì đã báo').count()).to.equal(0)
    await visitor.page.getByLabel('Từ ngày').fill('2026-01-01')
    await visitor.page.keyboard.press('Enter')
    await button('Gửi lại những gì đã báo').click()
    await see('Cửa hàng sẽ nhận lại những giao dịch đã nhận.')
    await inDialog('Gửi 1 giao dịch').click()
    await working(() => see('Đã xếp hàng xong 1 giao dịch.'))
    expect(await statusOf(delivered)).to.equal('pending')
  })

  it('says why a retry would not help, and offers none for a deleted webhook', async () => {
    await owner.change(`/api/webhooks/${owner.ruleId}`, { is_active: 0 })
    const gone = (await owner.make('/api/webhooks', { name: 'gone', url: 'https://gone.example/' })).id
    const lost = await owner.pay({ order_id: 'DH4', webhook_status: 'pending', rules: [gone] })
    await owner.failed(lost, null, '', gone)
    await api.ask('DELETE', `/api/webhooks/${gone}`, { key: api.owner.api_key })
    const held = await owner.pay({ order_id: 'DH5', webhook_status: 'pending', rules: [owner.ruleId] })
    await owner.failed(held, new Date(Date.now() + 3_600_000))
    await visitor.go('/undelivered')
    const deleted = visitor.page.locator('section', { hasText: `Webhook ${gone} đã bị xóa` })
    await deleted.getByRole('link', { name: /^Xem danh sách/ }).waitFor()
    expect(await deleted.getByRole('button').count()).to.equal(0)
    await visitor.go('/undelivered?status=pending')
    await see('Webhook đang tạm dừng: giao dịch được giữ lại')
    expect(await visitor.page.getByText('Lần tới').count(), 'a next attempt of a paused webhook').to.equal(0)
    await owner.change(`/api/webhooks/${owner.ruleId}`, { is_active: 1 })
    await visitor.page.getByText('Webhook đang tạm dừng').first().waitFor({ state: 'detached' })
  })

  it('groups ten thousand by webhook and kind of error, oldest first, and keeps the filter in the address', async () => {
    await failMany(api.database, api.owner.user_id, [slow, owner.ruleId])
    await visitor.go('/undelivered?status=failed')
    await see('5.000 giao dịch')
    expect((await headings())[0]).to.be.oneOf(['slow', 'shop'])
    await see('Không trả lời trong 10 giây')
    await visitor.page.getByLabel('Webhook', { exact: true }).selectOption({ label: 'slow' })
    await visitor.page.waitForURL(`**/undelivered?status=failed&rule_id=${slow}`)
    await visitor.page.locator('section h2 a', { hasText: 'shop' }).waitFor({ state: 'detached' })
    await visitor.page.reload()
    await visitor.page.locator('section h2 a', { hasText: 'slow' }).waitFor()
    await visitor.page.getByLabel('Loại lỗi').selectOption('dns')
    await see('Không có giao dịch nào chưa báo được khớp bộ lọc này.')
    await visitor.page.getByRole('link', { name: 'Bỏ lọc' }).click()
    await visitor.page.waitForURL('**/undelivered?status=failed')
  })

  it('shows the progress of ten thousand, and stops in the middle', async () => {
    await button('Gửi lại tất cả').click()
    await see(/10\.00\d giao dịch sẽ được gửi/)
    await see(/mất khoảng \d+ phút/)
    await inDialog(/^Gửi 10\.00\d giao dịch$/).click()
    await working(async () => {
      await see(/Đã xếp hàng [1-9][\d.]* trong 10\.00\d giao dịch/)
      await button('Dừng lại').click()
      await see(/Đã dừng sau .* trong 10\.00\d giao dịch/)
    })
    const { status, done, total } = await owner.list<{ status: string; done: number; total: number }>(
      `/api/jobs/${new URL(visitor.page.url()).searchParams.get('job')}`,
    )
    expect(status).to.equal('cancelled')
    expect(total).to.be.at.least(MANY)
    expect(done).to.be.greaterThan(0).and.below(total)
    await eventually(async () => (await visitor.page.locator('progress').count()) === 0)
  })

  it('says what is wrong while the server has an error, and keeps what it shows', async () => {
    await visitor.go('/undelivered')
    await see('5.000 giao dịch')
    await visitor.page.route('**/api/undelivered*', (route) =>
      route.fulfill({ status: 503, json: { success: false, error: 'STORE_UNAVAILABLE', message: '' } }),
    )
    await visitor.page.getByRole('link', { name: 'Đang chờ' }).click()
    await see('Kho dữ liệu đang tạm ngưng.')
    await visitor.page.unroute('**/api/undelivered*')
    await button('Thử lại').click()
    await visitor.page.getByRole('alert').waitFor({ state: 'detached' })
    visitor.forgive(503)
  })
})
