/** Everything that people do with transactions. */
import { expect } from 'chai'
import { vietcombankText } from '../../../harness/bank-texts.ts'
import { eventually } from '../../../harness/eventually.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import { SIZES } from '../../../harness/dashboard/views.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const transactions = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows texts of strangers as text, with marks for invisible characters', async () => {
    const { page } = visitor()
    await visitor().open('/transactions')
    const row = page.locator('.ledger tr', { hasText: '<img' }).filter({ hasText: 'Bỏ qua' })
    await row.waitFor()
    expect(await row.locator('.mark').allInnerTexts()).to.deep.equal(['U+202E', 'U+200B'])
    expect(await page.locator('.ledger img').count()).to.equal(0)
    await row.locator('a').click()
    await page.getByRole('button', { name: 'Hiện tin gốc' }).click()
    await page.locator('pre').first().waitFor()
    expect(await page.locator('pre').first().innerText()).to.include('<img src=x')
    expect(await page.title()).to.match(/^Giao dịch/)
  })

  it('shows the amount beside an order id of any length on a phone', async () => {
    const { page } = visitor()
    const order_id = `HOASENSHOP${'9'.repeat(30)}`
    const id = await owner().pay({ order_id, amount: '2450000.00' })
    await visitor().enter('/transactions')
    await page.setViewportSize({ width: 360, height: 740 })
    try {
      const row = page.locator('.ledger tr', { hasText: order_id })
      const [order, amount] = [await row.locator('.order').boundingBox(), await row.locator('.amount').boundingBox()]
      expect(order!.x + order!.width).to.be.at.most(amount!.x)
    } finally {
      await page.setViewportSize(SIZES.desk)
      await owner().api.ask('DELETE', `/api/transactions/${id}`, { key: owner().api.owner.api_key })
    }
  })

  it('keeps what is written into a filter while payments arrive', async () => {
    const { page } = visitor()
    await visitor().enter('/transactions')
    await page.locator('.rail > .foot .live', { hasText: 'trực tiếp' }).waitFor()
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.keyboard.type('DH19')
    await owner().pay({ order_id: 'DH1901' })
    await page.getByText('DH1901').waitFor()
    expect(await search.inputValue()).to.equal('DH19')
    await page.keyboard.type('01')
    await page.keyboard.press('Enter')
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    // Banks write without the marks of Vietnamese letters, people with them.
    await search.fill('đh1901')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'như ngân hàng thường ghi: “dh1901”' }).click()
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    // People write an amount as the page shows it, or without dots.
    const paid = { description: 'SD TK 0011000415567 +2,718,280VND. Ref DH1901', amount: '2718280.00' }
    await owner().pay({ ...paid, order_id: 'DH1902' })
    for (const amount of ['2.718.280', '+2.718.280 đ', '2718280']) {
      await search.fill(amount)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'như ngân hàng thường ghi: “2,718,280”' }).click()
      await page.getByRole('link', { name: 'DH1902' }).waitFor()
    }
    await page.getByRole('link', { name: 'Tiền vào', exact: true }).click()
    await page.waitForURL('**/transactions?type=credit')
    await eventually(async () => (await search.inputValue()) === '')
  })

  it('keeps the filter in the address, and never goes to another host after the login', async () => {
    const { page } = visitor()
    await visitor().go('//evil.example/')
    expect(new URL(page.url()).origin).to.equal(visitor().url)
    await page.getByRole('link', { name: 'Giao dịch', exact: true }).click()
    await page.getByLabel('Trạng thái').selectOption('failed')
    await page.waitForURL('**/transactions?webhook_status=failed')
    await page.getByLabel('Mã ngân hàng').fill('Vietcombank')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/transactions?webhook_status=failed&bank_code=VCB')
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    await page.reload()
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    expect(await page.locator('.ledger tbody tr').count()).to.equal(1)
  })

  it('shows the chosen days in the language of the page, whatever the format of the browser is', async () => {
    const { page } = visitor()
    await visitor().open('/transactions?date_from=2026-01-02')
    await page.locator('label', { hasText: 'Từ ngày: 02/01/2026' }).waitFor()
    await page.getByLabel('Đến ngày').fill('2026-12-31')
    await page.locator('label', { hasText: 'Đến ngày: 31/12/2026' }).waitFor()
    await visitor().inspect('transactions-days')
  })

  it('shows a payment that arrives, and deletes one after a question', async () => {
    const { page } = visitor()
    await visitor().open('/transactions')
    await page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
    const id = await owner().pay({ order_id: 'DH2077' })
    await page.getByRole('link', { name: 'DH2077' }).click()
    await page.waitForURL(`**/transactions/${id}`)
    await page.getByRole('button', { name: 'Xóa giao dịch' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa giao dịch' }).click()
    await page.waitForURL('**/transactions')
    await page.getByText('DH1001').waitFor()
    expect(await page.getByText('DH2077').count()).to.equal(0)
  })

  it('sends a failed transaction again and a waiting one now, and does not offer what the API would refuse', async () => {
    const { page } = visitor()
    const rule_id = owner().ruleId
    const waiting = await owner().pay({ order_id: 'DH2078', webhook_status: 'pending', rules: [rule_id] })
    await visitor().open(`/transactions/${waiting}`)
    const again = page.getByRole('button', { name: 'Gửi lại ngay' })
    const now = page.getByRole('button', { name: 'Gửi ngay, không chờ' })
    await page.getByRole('heading', { name: 'Các lần gửi' }).waitFor()
    expect((await again.count()) + (await now.count())).to.equal(0)
    await owner().failed(waiting, new Date(Date.now() + 3_600_000))
    await now.click()
    await page.locator('.timeline', { hasText: 'Yêu cầu gửi lại' }).waitFor()
    await visitor().open(`/transactions/${owner().failedId}`)
    const story = page.locator('.timeline')
    await story.getByText('lần 1: Cửa hàng gặp lỗi (HTTP 500)').waitFor()
    await story.getByText('Lỗi', { exact: true }).waitFor()
    await again.click()
    await page.locator('.timeline', { hasText: 'Yêu cầu gửi lại' }).waitFor()
  })

  it('shows that one webhook has a transaction and another does not, and sends a delivered one once more after a question', async () => {
    const { page } = visitor()
    await visitor().open('/transactions')
    await page.locator('tr', { hasText: 'DH1044' }).getByText('1 đã báo, 1 đang gửi lại').waitFor()
    const id = await owner().pay({ order_id: 'DH2079', webhook_status: 'pending', rules: [owner().ruleId] })
    await owner().delivered(id)
    await visitor().open(`/transactions/${id}`)
    await page.getByRole('button', { name: 'Gửi thêm một lần' }).click()
    await page.getByRole('dialog').getByText('X-Webhook-Replay: 1').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Gửi thêm một lần' }).click()
    await page.locator('.timeline', { hasText: 'Yêu cầu gửi lại' }).waitFor()
    await page.locator('.figures').getByText('◐ Đang gửi', { exact: true }).waitFor()
  })

  it('says in lists of a payment whose call is repeated that it is sent again, from the first failure on', async () => {
    const { page } = visitor()
    const payment = { webhook_status: 'pending' as const, rules: [owner().ruleId] }
    await visitor().enter('/transactions')
    await page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
    const [first, second] = [
      await owner().pay({ ...payment, order_id: 'DH2090' }),
      await owner().pay({ ...payment, order_id: 'DH2091' }),
    ]
    const stateOf = (order: string) => page.locator('.ledger tr', { hasText: order }).locator('.status')
    for (const order of ['DH2090', 'DH2091']) await stateOf(order).getByText('◐ Đang gửi', { exact: true }).waitFor()
    await owner().failed(first, new Date(Date.now() + 3_600_000))
    await stateOf('DH2090').getByText('◐ Đang gửi lại', { exact: true }).waitFor()
    await stateOf('DH2091').getByText('◐ Đang gửi', { exact: true }).waitFor()
    await visitor().open(`/transactions/${first}`)
    await page.locator('.figures').getByText('◐ Đang gửi lại', { exact: true }).waitFor()
    for (const id of [first, second])
      await owner().api.ask('DELETE', `/api/transactions/${id}`, { key: owner().api.owner.api_key })
  })

  it('says only of the attempt that still waits that its call is repeated, on both pages that list attempts', async () => {
    const { page } = visitor()
    const rule_id = (await owner().make('/api/webhooks', { name: 'Lúc được lúc không', url: 'https://some.example/' }))
      .id
    const id = await owner().pay({ order_id: 'DH2080', webhook_status: 'pending', rules: [rule_id] })
    const inAnHour = new Date(Date.now() + 3_600_000)
    await owner().failed(id, inAnHour, '', rule_id)
    // An open page learns of the new webhook only a while later.
    await visitor().go(`/transactions/${id}`)
    const states = page.locator('.attempt .status')
    await states.first().waitFor()
    expect(await states.allTextContents()).to.deep.equal(['◐ Đang gửi lại'])
    await page.locator('.attempt').getByText('Lần tới').waitFor()
    await owner().failed(id, inAnHour, '', rule_id)
    await states.nth(1).waitFor()
    expect(await states.allTextContents()).to.deep.equal(['◐ Đang gửi lại', '▲ Lỗi'])
    await owner().delivered(id, true, rule_id)
    await states.nth(2).waitFor()
    expect(await states.allTextContents()).to.deep.equal(['● Đã báo', '▲ Lỗi', '▲ Lỗi'])
    expect(await page.locator('.attempt').getByText('Lần tới').count()).to.equal(0)
    await visitor().open(`/webhooks/${rule_id}`)
    const calls = page.locator('section', { has: page.getByRole('heading', { name: 'Các lần gửi gần đây' }) })
    await calls.locator('.status').nth(2).waitFor()
    expect(await calls.locator('.status').allTextContents()).to.deep.equal(['● Đã báo', '▲ Lỗi', '▲ Lỗi'])
    // The first twenty are shown, the others on request.
    await owner().calledByHour(rule_id, id, [[1, 22, 0]])
    await page.reload()
    const lines = calls.locator('.lines > li')
    await lines.nth(19).waitFor()
    expect(await lines.count()).to.equal(20)
    await calls.getByRole('button', { name: 'Xem thêm' }).click()
    await lines.nth(24).waitFor()
    expect(await lines.count()).to.equal(25)
    await visitor().inspect('webhook-many-attempts')
    await calls.getByRole('link', { name: 'Xem các giao dịch' }).click()
    await page.waitForURL(`**/transactions?rule_id=${rule_id}`)
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    // Nothing is repeated for a webhook that was deleted.
    const other = await owner().pay({ order_id: 'DH2082', webhook_status: 'pending', rules: [rule_id] })
    await owner().failed(other, inAnHour, '', rule_id)
    await owner().api.ask('DELETE', `/api/webhooks/${rule_id}`, { key: owner().api.owner.api_key })
    await visitor().open(`/transactions/${other}`)
    await page.locator('.attempt .status', { hasText: '▲ Lỗi' }).waitFor()
    expect(await page.locator('.attempt').getByText('Lần tới').count()).to.equal(0)
  })

  it('shows each filter that counts, also one that only a link or a bookmark sets', async () => {
    const { page } = visitor()
    const rule_id = String(owner().ruleId)
    const id = await owner().pay({ order_id: 'DH2081', webhook_status: 'pending', rules: [owner().ruleId] })
    await owner().failed(id, null)
    await visitor().enter('/undelivered?status=failed')
    await page.getByRole('link', { name: 'Xem danh sách' }).first().click()
    await page.waitForURL(`**/transactions?webhook_status=failed&rule_id=${rule_id}`)
    const webhook = page.getByLabel('Webhook', { exact: true })
    await webhook.locator(`option[value="${rule_id}"]`).waitFor({ state: 'attached' })
    expect(await webhook.inputValue()).to.equal(rule_id)
    await visitor().inspect('transactions-of-a-webhook')
    await webhook.selectOption('')
    await page.waitForURL('**/transactions?webhook_status=failed')
    // A webhook that was deleted.
    for (const path of ['/transactions', '/undelivered']) {
      await visitor().go(`${path}?rule_id=999999`)
      await webhook.waitFor()
      expect(await webhook.locator('option:checked').innerText(), path).to.equal('Webhook 999999')
    }
    await visitor().go('/transactions?order_id=DH1042&account_number=0011000415567&source_type=sms')
    await page.getByLabel('Mã đơn', { exact: true }).waitFor()
    expect(await page.getByLabel('Mã đơn', { exact: true }).inputValue()).to.equal('DH1042')
    expect(await page.getByLabel('Số tài khoản').inputValue()).to.equal('0011000415567')
    expect(await page.getByLabel('Nhận qua').inputValue()).to.equal('sms')
    await visitor().inspect('transactions-every-filter')
    await owner().api.ask('DELETE', `/api/transactions/${id}`, { key: owner().api.owner.api_key })
  })

  it('says on Today how many deliveries the shop has not accepted yet, even while they are repeated', async () => {
    const { page } = visitor()
    for (const path of ['alerts', 'bank-accounts', 'transactions?webhook_status=failed'])
      await page.route(`**/api/${path}`, (route) => route.fulfill({ json: { data: [], total: 0 } }))
    await visitor().enter('/')
    const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Cần bạn xem' }) })
    await attention.getByText(/^◐ [0-9]+ lượt báo chưa tới được cửa hàng, Baoco đang gửi lại$/).waitFor()
    expect(await attention.getByText('Mọi thứ đang chạy tốt.').count()).to.equal(0)
    await attention.getByRole('link', { name: /^Xem: [0-9]+ lượt báo/ }).click()
    await page.waitForURL('**/undelivered?status=pending')
    await page.unrouteAll()
  })

  it('says by which prefix an order id was found', async () => {
    const { page } = visitor()
    for (const [number, order, why] of [
      [81, 'HS3081', 'Nhận ra mã đơn nhờ tiền tố HS của cửa hàng'],
      [82, 'XQ3082', 'Mã đơn không bắt đầu bằng tiền tố của cửa hàng nào'],
    ] as const) {
      const { body } = await owner().receive('?sender=Vietcombank', vietcombankText(number, order))
      await visitor().open(`/transactions/${body.data.id}`)
      await page.locator('.timeline').getByText(why, { exact: true }).waitFor()
      await owner().api.ask('DELETE', `/api/transactions/${body.data.id}`, { key: owner().api.owner.api_key })
    }
  })

  it('says that an old notification was not sent because of its age, until somebody matches it again', async () => {
    const { page } = visitor()
    // Its account waits for a confirmation too, which would send nothing that is old.
    const order = { order_id: 'DH1050', content: 'chuyen tien DH1050' }
    const id = await owner().pay({ ...order, webhook_status: 'no_match', held: 'old_notification' })
    // One alert tells of all old notifications of a source.
    await visitor().open('/')
    const alert = page.locator('.lines li', { hasText: `Giao dịch ${id} được ghi từ một tin báo đã cũ` })
    await alert.getByRole('link', { name: 'Xem các giao dịch không khớp' }).click()
    await page.locator('.ledger').getByRole('link', { name: 'DH1050' }).click()
    await page.waitForURL(`**/transactions/${id}`)
    await page.getByText('Không gửi, vì tin báo này đã cũ khi Baoco đọc được.').waitFor()
    expect(await page.getByText('chưa được xác nhận').count()).to.equal(0)
    await visitor().inspect('transaction-old')
    await page.getByRole('button', { name: 'So khớp lại' }).click()
    await page.getByText('Số tài khoản VCB 0011000415567 chưa được xác nhận').waitFor()
  })

  it('says that money came back, and lets somebody send it all the same', async () => {
    const { page } = visitor()
    const memo = 'DH1051 HOAN TRA GD LY DO SAI TK'
    const order = { order_id: 'DH1051', content: memo, description: memo }
    // Such an order id belongs to no shop.
    const id = await owner().pay({ ...order, prefix: null, webhook_status: 'no_match' })
    await visitor().open(`/transactions/${id}`)
    await page.getByText('Không gửi, vì nội dung ghi là tiền hoàn trả.').waitFor()
    expect(await page.getByText('Tiền tố các cửa hàng').count()).to.equal(0)
    await page.getByRole('button', { name: 'So khớp lại' }).waitFor()
  })

  it('says that a later copy says that the money came back, and links to it from Today', async () => {
    const { page } = visitor()
    const first = await owner().pay({ order_id: 'DH1053', webhook_status: 'success' })
    const memo = 'DH1053 HOAN TRA GD LY DO SAI TK'
    const copy = { content: memo, description: memo, already_run_of: first, contradicts: 'DH1053' }
    await owner().pay({ ...copy, order_id: 'DH1053', prefix: null, webhook_status: 'already_run' })
    await visitor().open('/')
    const told = `Tin đầu được tính cho đơn DH1053, nhưng tin sau ghi là tiền hoàn trả`
    const alert = page.locator('.lines li', { hasText: told })
    await alert.getByRole('link', { name: 'Xem giao dịch này' }).click()
    await page.waitForURL(`**/transactions/${first}`)
    await page.locator('.block', { hasText: told }).waitFor()
  })

  it('finds pages, webhooks and transactions by Ctrl-K and "/", with the keyboard alone', async () => {
    const { page } = visitor()
    const field = page.getByRole('combobox', { name: 'Trang, webhook' })
    await visitor().open('/')
    await page.locator('.ledger').waitFor()
    await page.keyboard.press('/')
    await field.fill('giao dich')
    await page.getByRole('option', { name: 'Giao dịch Trang' }).and(page.locator('[aria-selected=true]')).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/transactions')
    await page.keyboard.press('Control+k')
    await field.fill('dh1042')
    const selected = page.locator('[aria-selected=true]')
    const wanted = page.getByRole('option', { name: /^DH1042 / })
    await wanted.waitFor()
    await page.keyboard.press('ArrowUp')
    await page.getByRole('option', { name: 'Tìm “dh1042” trong mọi giao dịch' }).and(selected).waitFor()
    while ((await wanted.and(selected).count()) === 0) await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/transactions/${owner().failedId}`)
    // Its heading takes the focus first.
    await page.locator('.timeline').waitFor()
    // A word that an input method composes ends by Enter too. "/" is a letter in a field, and Escape gives the focus back.
    await page.getByRole('button', { name: 'Tìm…' }).focus()
    await page.keyboard.press('Enter')
    await field.fill('giao dich')
    await page.getByRole('option', { name: 'Giao dịch Trang' }).waitFor()
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })
    await field.fill('')
    await page.keyboard.type('/x')
    expect(await field.inputValue()).to.equal('/x')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.className')).to.equal('find')
    // Enter may come before the answer. It opens no transaction that an earlier text has found.
    await page.keyboard.press('/')
    await field.fill('dh10')
    await page.getByRole('option', { name: /^DH10/ }).first().waitFor()
    await field.fill('dh1043')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname !== `/transactions/${owner().failedId}`)
    await page.locator('.pairs', { hasText: 'DH1043' }).waitFor()
  })

  it('holds back new payments while somebody reads further down, and shows them on request', async () => {
    const { page } = visitor()
    await page.setViewportSize({ width: 390, height: 400 })
    await visitor().open('/transactions')
    await page.locator('.ledger').waitFor()
    await page.evaluate('scrollTo(0, 600)')
    const first = page.locator('.ledger tbody tr').first()
    const before = await first.innerText()
    await owner().pay({ order_id: 'DH2090' })
    await owner().pay({ order_id: 'DH2091' })
    await page.getByRole('button', { name: '2 giao dịch mới' }).waitFor()
    expect(await first.innerText()).to.equal(before)
    await page.getByRole('button', { name: '2 giao dịch mới' }).click()
    await page.locator('.ledger tbody tr').first().getByText('DH2091').waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('H1')
    expect(await page.getByText('giao dịch mới').count()).to.equal(0)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('says which prefixes the shops have, or that there is no shop, and that it still matches nothing after it was matched again', async () => {
    const { page } = visitor()
    const unknown = { order_id: 'QQ77', prefix: null, content: 'chuyen tien QQ77', description: 'chuyen tien QQ77' }
    const id = await owner().pay({ ...unknown, account_number: '777', webhook_status: 'no_match' })
    await visitor().enter(`/transactions/${id}`)
    await page.getByRole('button', { name: 'So khớp lại' }).click()
    await page.locator('.announcement', { hasText: 'Vẫn không khớp webhook nào nên chưa gửi gì.' }).waitFor()
    await page.getByText(/Tiền tố các cửa hàng của bạn: .*HS/).waitFor()
    await page.route('**/api/webhooks', (route) => route.fulfill({ json: { success: true, data: [] } }))
    await page.reload()
    await page.getByText('bạn chưa có webhook nào đang bật').waitFor()
    await page.locator('main').getByRole('link', { name: 'Xem các webhook' }).waitFor()
    expect(await page.getByText('Hoặc mã đơn không bắt đầu').count()).to.equal(0)
    await page.unroute('**/api/webhooks')
    await page.route('**/api/systems', (route) => route.fulfill({ json: { success: true, data: [] } }))
    await page.reload()
    await page.getByText('bạn chưa có cửa hàng nào đang bật').waitFor()
    await page.getByRole('link', { name: 'Xem các cửa hàng' }).click()
    await page.getByRole('heading', { name: 'Cửa hàng và mã đơn' }).waitFor()
    await page.unroute('**/api/systems')
  })
}
