/** The operator's own screen. */
import { expect } from 'chai'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

/** Ids above those of real accounts. */
const FIRST_ID = 1_000_000

export const operator = (visitor: () => Visitor, owner: () => Owner): void => {
  const sql = (text: string) => owner().api.database.query<{ number: number }>(text)
  /** The projector of the process that runs does not touch them. */
  const haveAccounts = async (total: number): Promise<void> => {
    await sql(`DELETE FROM read_model.account WHERE user_id > ${FIRST_ID}`)
    await sql(`INSERT INTO read_model.account (user_id, email, locked, operator, plan, revision)
      SELECT ${FIRST_ID} + n, 'page' || n || '@example.com', false, false, 'Free', 0
      FROM generate_series(1, ${total} - (SELECT count(*)::int FROM read_model.account)) n`)
  }

  it('shows a hundred accounts, and a button for the others if there are any', async () => {
    const { page } = visitor()
    const rows = page.locator('section', { hasText: 'Tài khoản' }).locator('.ledger tbody tr')
    const more = page.getByRole('button', { name: 'Xem thêm', exact: true })
    await haveAccounts(100)
    await visitor().enter('/operator')
    await page.getByText('100 tài khoản').waitFor()
    expect(await rows.count()).to.equal(100)
    expect(await more.count()).to.equal(0)
    await haveAccounts(101)
    await visitor().open('/operator')
    await more.click()
    await rows.nth(100).waitFor()
    await more.waitFor({ state: 'detached' })
    await haveAccounts(0)
  })

  it('names leases and their holders in the language of the page, and claims of an account only what it knows', async () => {
    const { page } = visitor()
    await page.route('**/api/operator/status', async (route) => {
      const response = await route.fetch()
      const { data } = (await response.json()) as { data: object }
      const held = { process: 'project, process 7 on shop-1', since: new Date().toISOString() }
      const leases = ['planned work', 'reactions', 'bulk retries', 'projector main', 'projector search', 'relay baoco']
      await route.fulfill({ response, json: { data: { ...data, leases: leases.map((name) => ({ name, ...held })) } } })
    })
    await visitor().enter('/operator')
    const processes = page.locator('section', { hasText: 'Việc chỉ một tiến trình làm' })
    const lease = processes.locator('li', { hasText: 'Việc theo lịch' })
    await lease.getByText('project, tiến trình 7 trên shop-1, từ').waitFor()
    expect(await processes.locator('b').allInnerTexts()).to.include.members([
      'Lệnh sinh từ sự kiện',
      'Gửi lại hàng loạt',
      'Cập nhật danh sách',
      'Cập nhật tìm kiếm',
      'relay baoco',
    ])
    expect(await page.getByText('Bình thường', { exact: true }).count()).to.equal(0)
    await page.unroute('**/api/operator/status')
  })

  it('does not say that all is well with a full disk, a wrong clock, or mails that cannot be sent', async () => {
    const { page } = visitor()
    type Answer = { data: { disk: object; clocks: object[] } }
    await page.route('**/api/operator/status', async (route) => {
      const response = await route.fetch()
      const { data } = (await response.json()) as Answer
      const low = [
        { disk: 'data_folder', free_bytes: 20_000_000, full: true, refusing: true },
        { disk: 'postgres', free_bytes: null, full: true, refusing: false },
        { disk: 'event_store', free_bytes: 900_000_000, full: false, refusing: false },
      ]
      const clocks = [{ process: 'baoco (deliver)', ahead_seconds: -90 }]
      await route.fulfill({ response, json: { data: { ...data, disk: { ...data.disk, low }, clocks } } })
    })
    await page.route('**/api/outbox', async (route) => {
      const mails = [
        { tries: 5, hours: 0 },
        // It is on its way.
        { tries: 1, hours: 0 },
        // The mail server refused it for ever.
        { tries: 1, hours: 1 },
      ].map(({ tries, hours }, id) => {
        const created_at = new Date(Date.now() - hours * 3_600_000).toISOString()
        return { id, to: 'a@b.example', subject: `Thử ${tries} lần`, text: 'text', created_at, tries }
      })
      await route.fulfill({ json: { data: mails } })
    })
    await visitor().enter('/operator')
    const verdict = page.locator('[role=status] .notice.failed')
    await verdict.filter({ hasText: /^Ổ đĩa của thư mục dữ liệu đã đầy \(còn 20 MB\)\. Tin mới bị từ chối/ }).waitFor()
    await verdict.filter({ hasText: /^Ổ đĩa của Postgres đã đầy\. Danh sách và webhook phải chờ/ }).waitFor()
    await verdict.filter({ hasText: 'Ổ đĩa của EventStoreDB sắp đầy (còn 900 MB)' }).waitFor()
    await verdict
      .filter({ hasText: 'Đồng hồ của baoco (deliver) chậm hơn đồng hồ của cơ sở dữ liệu 90 giây.' })
      .waitFor()
    await verdict.filter({ hasText: '2 thư chưa gửi được' }).waitFor()
    await page.locator('li', { hasText: 'Thử 5 lần' }).getByText('đã thử gửi 5 lần').waitFor()
    expect(await page.getByText('Mọi thứ đang chạy tốt.').count()).to.equal(0)
    await page.unroute('**/api/operator/status')
    await page.unroute('**/api/outbox')
  })

  it('says that all is well only if it knows whether mails are sent', async () => {
    const { page } = visitor()
    const good = page.getByText('Mọi thứ đang chạy tốt.')
    await page.route('**/api/operator/status', async (route) => {
      const response = await route.fetch()
      const { data } = (await response.json()) as { data: { disk: object } }
      const well = {
        disk: { ...data.disk, low: [] },
        clocks: [],
        lag: [],
        breakers: [],
        overdue: 0,
        parked: 0,
        audit: null,
      }
      await route.fulfill({ response, json: { data: { ...data, ...well } } })
    })
    await page.route('**/api/outbox', (route) => route.fulfill({ status: 403, json: { error: 'FORBIDDEN' } }))
    await visitor().enter('/operator')
    const outbox = page.locator('section', { hasText: 'Thư chưa gửi' })
    await outbox.getByRole('alert').waitFor()
    expect(await good.count()).to.equal(0)
    // The page also asks again by itself, which would take the button away.
    let allow = (): void => {}
    const allowed = new Promise<void>((resolve) => (allow = resolve))
    await page.route('**/api/outbox', async (route) => {
      await allowed
      await route.fulfill({ json: { data: [] } })
    })
    await outbox.getByRole('alert').getByRole('button').click()
    allow()
    await good.waitFor()
    await page.unroute('**/api/operator/status')
    await page.unroute('**/api/outbox')
    visitor().forgive(403)
  })
}
