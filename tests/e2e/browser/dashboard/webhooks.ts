/** Everything that people do with webhooks. */
import { expect } from 'chai'
import { eventually } from '../../../harness/eventually.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const webhooks = (visitor: () => Visitor, owner: () => Owner): void => {
  const api = () => owner().api

  it('shows the current address of a test inbox if a webhook calls a former one, and changes to it', async () => {
    const { page } = visitor()
    const rules = () => owner().list<{ id: number; url: string }[]>('/api/webhooks')
    const urls = async () => (await rules()).map((each) => each.url)
    const [first] = await owner().list<{ url: string }[]>('/api/inbox')
    const { url } = first ?? (await owner().make<{ url: string }>('/api/inbox'))
    const { id } =
      (await rules()).find((each) => each.url === url) ??
      (await owner().make<{ id: number }>('/api/webhooks', { name: 'Hộp thử', url }))
    const former = `https://former.example${new URL(url).pathname}`
    await owner().change(`/api/webhooks/${id}`, { url: former })
    await visitor().enter(`/webhooks/${id}`)
    await page.getByText('Đây là địa chỉ cũ của hộp thử.').waitFor()
    await visitor().inspect('webhook-former-inbox')
    await page.getByRole('button', { name: 'Dùng địa chỉ mới' }).click()
    await page.locator('.announcement', { hasText: 'Webhook đã dùng địa chỉ mới.' }).waitFor()
    await page.getByText('Đây là địa chỉ cũ của hộp thử.').waitFor({ state: 'detached' })
    expect(await urls()).to.include(url)
    expect(await urls()).not.to.include(former)
    // "Try it" takes the webhook that is there, and makes no second one.
    await owner().change(`/api/webhooks/${id}`, { url: former })
    const before = await urls()
    await visitor().open('/try')
    await page.getByLabel('Gửi vào hộp thử của tôi').check()
    await page.getByRole('button', { name: 'Thử', exact: true }).click()
    await page.getByRole('link', { name: 'Xem giao dịch' }).waitFor()
    expect(await urls()).to.have.members(before.map((each) => (each === former ? url : each)))
  })

  it('keeps the typed form of a webhook that is deleted elsewhere, and adds the webhook again', async () => {
    const { page } = visitor()
    const remove = (id: number) => api().ask('DELETE', `/api/webhooks/${id}`, { key: api().owner.api_key })
    const typed = { name: 'Viết dở', url: 'https://xoa.example/' }
    const { id } = await owner().make<{ id: number }>('/api/webhooks', { ...typed, name: 'Bị xóa' })
    await visitor().enter(`/webhooks/${id}/edit`)
    await page.getByLabel('Tên', { exact: true }).fill(typed.name)
    await remove(id)
    await page.getByText('Webhook này đã bị xóa ở nơi khác.').waitFor()
    await visitor().inspect('webhook-deleted-elsewhere')
    expect(await page.getByLabel('Tên', { exact: true }).inputValue()).to.equal(typed.name)
    await page.getByRole('button', { name: 'Thêm webhook' }).click()
    await page.getByRole('heading', { name: typed.name }).waitFor()
    const rules = await owner().list<{ id: number; name: string; url: string }[]>('/api/webhooks')
    const made = rules.find((each) => each.name === typed.name)!
    expect(made).to.include(typed)
    await remove(made.id)
  })

  it('adds a webhook, calls it, replaces its secret, changes it, and deletes it', async () => {
    const { page } = visitor()
    const inbox = await owner().make<{ id: number; url: string }>('/api/inbox')
    const calls = async () =>
      (await api().ask('GET', `/api/inbox/${inbox.id}`, { key: api().owner.api_key })).body.data.calls
    await visitor().open('/webhooks')
    await page.getByRole('link', { name: 'Thêm webhook' }).click()
    await page.getByLabel('Tên').fill('Quán cà phê')
    await page.getByLabel('Địa chỉ nhận').fill(inbox.url)
    await page.getByLabel('Chỉ các ngân hàng').fill('vcb, Techcombank, Vietcombnk')
    await page.getByLabel('Nội dung').selectOption('custom')
    await page.getByLabel('Mẫu JSON').fill('{"who":"","id":{{transaction_id}}}')
    await page.getByText('Mẫu chưa dùng được: không phải JSON hợp lệ.').waitFor()
    visitor().forgive(400)
    await page.getByLabel('Mẫu JSON').fill('{"who":""}')
    await page.getByText('Các tên dùng được').click()
    await page.getByLabel('Mẫu JSON').press('ArrowLeft')
    await page.getByLabel('Mẫu JSON').press('ArrowLeft')
    await page.getByRole('button', { name: 'Chèn counterpart_name' }).click()
    await page.locator('pre', { hasText: '"who": "NGUYEN VAN A"' }).waitFor()
    await page.getByRole('button', { name: 'Thêm webhook' }).click()
    await page.getByText('Không có ngân hàng nào tên là Vietcombnk.').waitFor()
    await page.getByLabel('Chỉ các ngân hàng').fill('vcb, Techcombank')
    await page.getByRole('button', { name: 'Thêm webhook' }).click()
    await page.getByRole('heading', { name: 'Quán cà phê' }).waitFor()
    await page.getByText('VCB, TCB').waitFor()
    await page.getByText('Mẫu của webhook này không có timestamp').waitFor()
    await page.getByText('hãy gửi giao dịch mẫu').waitFor()
    await page.getByRole('button', { name: 'Gửi webhook thử' }).click()
    await page.locator('.notice.done', { hasText: 'trả lời 200' }).waitFor()
    expect((await calls())[0]).to.include({ method: 'POST', verified: true })
    await page.getByRole('button', { name: 'Gửi giao dịch mẫu' }).click()
    await eventually(async () => (await calls()).length === 2)
    const [sample] = await calls()
    expect(sample).to.include({ verified: true })
    expect(sample.headers['x-webhook-event']).to.equal('test')
    expect(JSON.parse(sample.body).who).to.equal('NGUYEN VAN A')
    await page.getByRole('button', { name: 'Hiện khóa' }).click()
    const secret = page.locator('.copyable code', { hasText: /^[0-9a-f]{48}$/ })
    const first = await secret.innerText()
    await page.getByRole('button', { name: 'Thay khóa' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Thay khóa' }).click()
    await page.getByText('Khóa cũ còn ký đến').waitFor()
    expect(await secret.innerText()).not.to.equal(first)
    await page.getByRole('button', { name: 'Ngừng khóa cũ ngay' }).click()
    await page.getByRole('button', { name: 'Thay khóa' }).waitFor()

    await api().ask('PUT', `/api/inbox/${inbox.id}`, { key: api().owner.api_key, json: { answer: 500 } })
    await page.getByRole('button', { name: 'Gửi webhook thử' }).click()
    await page.locator('.notice.failed', { hasText: 'trả lời 500' }).waitFor()
    await page.locator('pre', { hasText: 'AS_TOLD' }).waitFor()

    // The shops cannot be loaded, and another tab changes the template meanwhile: what is not changed here stays.
    const rule = async () =>
      (await owner().list<Record<string, unknown>[]>('/api/webhooks')).find((each) => each.url === inbox.url)!
    const [{ id: system_id }] = await owner().list<[{ id: number }]>('/api/systems')
    const path = `/api/webhooks/${String((await rule()).id)}`
    await owner().change(path, { system_id })
    await page.route('**/api/systems', (route) => route.fulfill({ status: 403, json: { error: 'SCOPE_MISSING' } }))
    await visitor().open(`${path.replace('/api', '')}/edit`)
    expect(await page.getByLabel('Chỉ các ngân hàng').inputValue()).to.equal('VCB, TCB')
    await page.getByRole('alert').first().waitFor()
    expect(await page.getByLabel('Cửa hàng', { exact: true }).count()).to.equal(0)
    await page.route('**/api/webhooks', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    await owner().change(path, { custom_template: '{"who":"{{counterpart_name}}","at":"{{timestamp}}"}' })
    await page.getByLabel('Phương thức').selectOption('PUT')
    await page.getByLabel('Số tiền tối thiểu (đồng)').fill('150.000 ')
    await page.getByLabel('Đang bật').uncheck()
    await page.getByRole('button', { name: 'Lưu' }).click()
    await page.waitForURL(`**${path.replace('/api', '')}`)
    expect(await rule()).to.include({ system_id, min_amount: 150_000, http_method: 'PUT', name: 'Quán cà phê' })
    expect((await rule()).custom_template).to.include('"at"')
    await page.unroute('**/api/systems')
    await page.unroute('**/api/webhooks')
    await page.getByText('Webhook đang tạm dừng').waitFor()
    await page.getByRole('button', { name: 'Bật lại' }).click()
    await page.getByText('Webhook đang tạm dừng').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Tạm dừng' }).click()
    await page.getByRole('dialog').getByText('sẽ không được gửi tới webhook này').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Tạm dừng' }).click()
    await page.getByText('Webhook đang tạm dừng').waitFor()
    expect(await rule()).to.include({ is_active: 0 })
    expect(await page.getByRole('button', { name: 'Tạm dừng' }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Bật lại' }).click()
    await page.getByText('Webhook đang tạm dừng').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Gửi webhook thử' }).click()
    await page.locator('.notice.failed', { hasText: 'trả lời 500' }).waitFor()
    expect((await calls())[0]).to.include({ method: 'PUT', verified: true })

    await page.getByRole('button', { name: 'Xóa webhook' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa webhook' }).click()
    await page.waitForURL('**/webhooks')
    await page.getByRole('link', { name: '<img' }).waitFor()
    expect(await page.getByText('Quán cà phê').count()).to.equal(0)
    visitor().complaints = visitor().complaints.filter((text) => !/status of 403|ERR_FAILED/.test(text))
  })

  it('shows nothing of one webhook or transaction on the page of the next one', async () => {
    const { page } = visitor()
    const next = await owner().make('/api/webhooks', { name: 'Kho hàng', url: 'https://kho.example/hook' })
    const open = async (name: string) => {
      await page.keyboard.press('Control+K')
      await page.locator('dialog[open] input').fill(name)
      await page.getByRole('option', { name }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name }).waitFor()
    }
    await visitor().enter(`/webhooks/${owner().ruleId}`)
    await page.getByRole('button', { name: 'Hiện khóa' }).click()
    await page.getByRole('button', { name: 'Gửi webhook thử' }).click()
    await page.locator('.notice.failed', { hasText: /^Không tìm thấy tên miền\..*DNS của tên miền\.$/s }).waitFor()
    await open('Kho hàng')
    expect(page.url()).to.match(new RegExp(`/webhooks/${next.id}$`))
    expect(await page.locator('.notice.failed').count()).to.equal(0)
    // A secret, and the text of the bank below, are shown only to those who ask for them.
    await page.getByRole('button', { name: 'Hiện khóa' }).waitFor()
    await api().ask('DELETE', `/api/webhooks/${next.id}`, { key: api().owner.api_key })

    const id = await owner().pay({ order_id: 'DH4711', description: 'another text' })
    await visitor().open(`/transactions/${owner().failedId}`)
    // Each attempt names its webhook, which may have to be corrected.
    await page.locator('.attempt h3 a').click()
    await page.waitForURL(`**/webhooks/${owner().ruleId}`)
    await page.goBack()
    await page.getByRole('button', { name: 'Hiện tin gốc' }).click()
    await page.getByRole('button', { name: 'Hiện tin gốc' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+K')
    await page.locator('dialog[open] input').fill('DH4711')
    await page.getByRole('option', { name: /DH4711.*150\.000/ }).click()
    await page.waitForURL(`**/transactions/${id}`)
    await page.getByRole('button', { name: 'Hiện tin gốc' }).waitFor()
    expect(await page.getByText('another text').count()).to.equal(0)
  })

  it('shows the calls of each webhook in the last 24 hours, by hour', async () => {
    const { page } = visitor()
    const make = async (name: string, url: string) => (await owner().make('/api/webhooks', { name, url })).id
    const good = await make('Chạy tốt', 'https://shop.example/paid')
    const bad = await make('Đang lỗi', 'https://stock.example/hook')
    const unused = await make('Mới thêm', 'https://new.example/hook')
    await owner().failsInARow('https://stock.example', 6)
    const paid = await owner().pay({ webhook_status: 'success' })
    const busy = [9, 12, 4, 0, 0, 1, 0, 0, 2, 5, 7, 8].map((calls, index) => [2 * index, calls, index === 7 ? 1 : 0])
    await owner().calledByHour(good, paid, busy.reverse() as [number, number, number][])
    await owner().calledByHour(bad, paid, [
      [9, 3, 0],
      [8, 1, 2],
      [2, 0, 4],
      [1, 0, 2],
    ])
    await visitor().open('/webhooks')
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    const bar = (name: string, label: string | RegExp) => row(name).getByRole('img', { name: label })
    await bar(
      'Chạy tốt',
      /^Có lần gửi trong 9 của 24 giờ qua, có lỗi trong 1 giờ, gần nhất từ .*\d\d:\d\d đến \d\d:\d\d\.$/,
    ).waitFor()
    await bar('Đang lỗi', /^Có lần gửi trong 4 của 24 giờ qua, có lỗi trong 3 giờ/).waitFor()
    await bar('Mới thêm', 'Trong 24 giờ qua không có lần gửi nào.').waitFor()
    await row('Đang lỗi').getByText('12 lần gửi, 8 lỗi, 33% thành công').waitFor()
    await row('Đang lỗi').locator('.status', { hasText: 'Có lỗi' }).waitFor()
    // The columns of the hours with calls have a height, and those of the others a base line only.
    const heights = (name: string, part: string) =>
      row(name)
        .locator(`svg rect.${part}`)
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
    expect((await heights('Đang lỗi', 'bad')).flatMap((high, index) => (high > 1 ? 23 - index : []))).to.deep.equal([
      8, 2, 1,
    ])
    expect((await heights('Đang lỗi', 'base')).every((high) => high >= 0.9)).to.equal(true)
    expect(await heights('Mới thêm', 'good')).to.deep.equal(Array(24).fill(0))
    await visitor().inspect('webhooks-calls')
    await page.getByRole('link', { name: 'Đang lỗi' }).click()
    await page.getByRole('img', { name: /^Có lần gửi trong 4 của 24 giờ qua/ }).waitFor()
    await visitor().inspect('webhook-calls')
    for (const id of [good, bad, unused]) await api().ask('DELETE', `/api/webhooks/${id}`, { key: api().owner.api_key })
  })

  it('goes to the field that was refused, even if the button is far below it', async () => {
    const { page } = visitor()
    await visitor().enter('/webhooks/new')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByLabel('Tên', { exact: true }).fill('Quán phở')
    await page.getByLabel('Địa chỉ nhận').fill('ftp://pho.example/')
    await page.getByRole('button', { name: 'Thêm webhook' }).click()
    const problem = page.getByText('Địa chỉ phải bắt đầu bằng https://.')
    await eventually(async () => (await page.evaluate('document.activeElement.name')) === 'url')
    const { y, height } = (await problem.boundingBox())!
    // Above the bar.
    expect([y > 0, y + height < 740 - 64]).to.deep.equal([true, true])
    await page.getByLabel('Địa chỉ nhận').fill('')
    await page.getByLabel('Tên', { exact: true }).fill('')
    visitor().forgive(400)
  })

  it('shows the preview beside the form on a wide screen, in sight of the template, and below it on a phone', async () => {
    const { page } = visitor()
    await visitor().open('/webhooks/new')
    await page.getByLabel('Nội dung').selectOption('custom')
    const template = page.getByLabel('Mẫu JSON')
    const preview = page.locator('pre', { hasText: '"paid": "150000.00"' })
    const seen = async () => {
      await template.scrollIntoViewIfNeeded()
      await preview.waitFor()
      return { form: (await template.boundingBox())!, shown: (await preview.boundingBox())! }
    }
    const wide = await seen()
    expect(wide.shown.x).to.be.greaterThan(wide.form.x + wide.form.width)
    expect(wide.shown.y).to.be.within(0, 900 - wide.shown.height)
    await page.setViewportSize({ width: 390, height: 844 })
    const narrow = await seen()
    expect(narrow.shown.x).to.equal(narrow.form.x)
    expect(narrow.shown.y).to.be.greaterThan(narrow.form.y + narrow.form.height)
    // The keyboard goes the same way in both: the names, the preview, the next field.
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await template.focus()
      const order = []
      for (let step = 0; step < 3; step++) {
        await page.keyboard.press('Tab')
        order.push(await page.evaluate('document.activeElement.tagName'))
      }
      expect(order).to.deep.equal(['SUMMARY', 'PRE', 'INPUT'])
    }
  })

  it('says why the first attempt of a transaction waits, if its webhook is paused, cut off or sends one after the other', async () => {
    const { page } = visitor()
    const id = await owner().pay({ order_id: 'DH1049', webhook_status: 'pending', rules: [owner().ruleId] })
    const health = { breaker: 'open', failures_in_a_row: 9, open_since: null, next_probe_at: null, not_before: null }
    const whys = {
      'Địa chỉ lỗi liên tục nên đang bị ngắt.': { health },
      'Webhook đang tạm dừng: giao dịch được giữ lại': { is_active: 0 },
      'Có thể giao dịch này đang đợi giao dịch trước xong.': { ordered: 1 },
    }
    const rules = await owner().list<{ id: number }[]>('/api/webhooks')
    for (const [why, state] of Object.entries(whys)) {
      const data = rules.map((rule) => ({ ...rule, ...state }))
      await page.route('**/api/webhooks', (route) => route.fulfill({ json: { success: true, data } }))
      await visitor().enter(`/transactions/${id}`)
      await page.reload()
      await page.locator('.notice', { hasText: why }).waitFor()
      expect(await page.getByText('Lần gửi đầu sắp bắt đầu').count(), why).to.equal(0)
      await page.unroute('**/api/webhooks')
    }
  })
}
