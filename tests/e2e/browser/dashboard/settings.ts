/** Everything that people do with unread texts and settings. */
import { expect } from 'chai'
import { vietcombankText } from '../../../harness/bank-texts.ts'
import { eventually } from '../../../harness/eventually.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const settings = (visitor: () => Visitor, owner: () => Owner): void => {
  const api = () => owner().api

  it('confirms a text that may be forged, and shows that another one is still not understood', async () => {
    const { page } = visitor()
    const text = vietcombankText(2, 'DH3002')
    const broken = `{"sender":"Vietcombank","sender":"Vietcombank2","text":"${text}"}`
    await owner().receive('', broken, { 'content-type': 'application/json' })
    await visitor().open('/unread')
    const other = page.locator('.lines > li', { hasText: 'Baoco chưa đọc được mẫu tin này' }).last()
    await other.getByRole('button', { name: /^Đọc lại/ }).click()
    await page.locator('.announcement', { hasText: 'Vẫn chưa đọc được.' }).waitFor()
    const forged = page.locator('.lines > li', { hasText: 'Một trường có hai lần' })
    await forged.getByRole('button', { name: 'Tin này là thật' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tin này là thật' }).click()
    await forged.waitFor({ state: 'detached' })
    await visitor().open('/transactions')
    await page.getByText('DH3002').waitFor()
  })

  it('leads from an empty list of texts that were not read to those that were ignored', async () => {
    const { page } = visitor()
    await page.route('**/api/notifications?status=unparsed*', (route) =>
      route.fulfill({ json: { success: true, data: [], total: 0, next_cursor: null } }),
    )
    await visitor().go('/unread')
    await page.getByRole('link', { name: 'Xem tin bị bỏ qua' }).click()
    await page.getByText('Người gửi không phải của ngân hàng này').first().waitFor()
  })

  it('trusts a sender with one button, and then counts its texts', async () => {
    const { page } = visitor()
    const text = vietcombankText(1, 'DH3001')
    await visitor().open('/unread?status=ignored')
    await page.getByRole('button', { name: 'Tin cậy STRANGER' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tin cậy STRANGER' }).click()
    await page.locator('.announcement', { hasText: 'Từ nay tin của STRANGER được tính.' }).waitFor()
    await page.getByRole('button', { name: 'Tin cậy STRANGER' }).waitFor({ state: 'detached' })
    await owner().receive('?sender=STRANGER', text)
    await visitor().open('/transactions')
    await page.getByText('DH3001').waitFor()
  })

  it('confirms a bank account with one tap, and switches it off', async () => {
    const { page } = visitor()
    await owner().seeBankAccount('0099000123456')
    const numbers = () => owner().list<object[]>('/api/bank-accounts')
    await visitor().open('/')
    const asked = page.locator('li', { hasText: '0099000123456' })
    await asked.getByRole('button', { name: 'Đây là tài khoản của tôi' }).click()
    await page.locator('.announcement', { hasText: 'Đã xác nhận.' }).waitFor()
    await asked.waitFor({ state: 'detached' })
    await visitor().open('/settings')
    const line = page.locator('li', { hasText: '0099000123456' })
    await line.getByText('Tài khoản của bạn').waitFor()
    await line.getByLabel('Báo cho cửa hàng khi tiền vào VCB 0099000123456').click()
    await eventually(async () => {
      const all = (await numbers()) as { account_number: string; is_active: number; confirmed: boolean }[]
      return all.some((each) => each.account_number === '0099000123456' && each.confirmed && each.is_active === 0)
    })
    await page.getByRole('button', { name: 'Tôi sắp thêm tài khoản mới' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tôi sắp thêm tài khoản mới' }).click()
    await page.locator('.announcement', { hasText: 'Tài khoản mới được nhận ngay đến' }).waitFor()
  })

  it('lets the second click of a double click press nothing that was not there before, and send no form again', async () => {
    const { page } = visitor()
    const clickAgain = async (): Promise<void> => {
      await page.mouse.down({ clickCount: 2 })
      await page.mouse.up({ clickCount: 2 })
    }
    // A question.
    const rules = async () => (await owner().list<{ id: number }[]>('/api/webhooks')).length
    const before = await rules()
    await visitor().enter(`/webhooks/${owner().ruleId}`)
    await page.getByRole('button', { name: 'Xóa webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Xóa webhook' }).hover()
    await clickAgain()
    await dialog.getByRole('button', { name: 'Hủy' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await rules()).to.equal(before)
    // The next of several lines.
    type Bank = { confirmed: boolean }
    const waiting = async () => (await owner().list<Bank[]>('/api/bank-accounts')).filter((each) => !each.confirmed)
    for (const number of ['0088000000001', '0088000000002']) await owner().seeBankAccount(number)
    const asked = (await waiting()).length
    await visitor().open('/')
    const mine = page.getByRole('button', { name: 'Đây là tài khoản của tôi: VCB 0088000000002' })
    await mine.click()
    await mine.waitFor({ state: 'detached' })
    await clickAgain()
    // A form.
    await visitor().open('/exports')
    const keys = async () => (await owner().list<object[]>('/api/account/api-keys')).length
    const made = await keys()
    const create = page.getByRole('button', { name: 'Tạo khóa chỉ đọc' })
    const line = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
    await page.getByLabel('Tên khóa').fill('Khóa trước')
    await create.click()
    await line('Khóa trước')
    await create.hover()
    await clickAgain()
    await page.getByLabel('Tên khóa').fill('Khóa sau')
    await create.click()
    await line('Khóa sau')
    expect(await keys()).to.equal(made + 2)
    expect((await waiting()).length).to.equal(asked - 1)
  })

  it('keeps the sections after many bank accounts near, and every waiting account in sight', async () => {
    const { page } = visitor()
    type Bank = { id: number; account_number: string; confirmed: boolean }
    const waiting = async () => (await owner().list<Bank[]>('/api/bank-accounts')).filter((each) => !each.confirmed)
    const numbers = Array.from({ length: 12 }, (_, index) => `00770000${1000 + index}`)
    for (const number of numbers) await owner().seeBankAccount(number)
    const before = (await waiting()).filter((each) => !numbers.includes(each.account_number)).length
    const mine = page.getByRole('button', { name: 'Đây là tài khoản của tôi' })
    await visitor().enter('/')
    await page.getByRole('link', { name: `Còn ${9 + before} tài khoản chờ bạn xác nhận` }).click()
    await page.getByRole('button', { name: 'Đây là tài khoản của tôi: VCB 007700001000', exact: true }).waitFor()
    expect(await mine.count()).to.equal(12 + before)
    for (const { id } of await waiting()) await owner().change(`/api/bank-accounts/${id}`, { confirmed: 1 })
    await mine.first().waitFor({ state: 'detached' })
    const lines = page.locator('section', { hasText: 'Tài khoản ngân hàng' }).locator('.lines > li')
    await eventually(async () => (await lines.count()) === 10)
    await page.getByRole('button', { name: /^Xem thêm \d+ tài khoản$/ }).click()
    await lines.nth(11).waitFor()
  })

  it('adds a shop with its prefix, changes it, switches it off, and deletes it', async () => {
    const { page } = visitor()
    const shop = async () =>
      (await owner().list<{ payment_prefix: string; is_active: number }[]>('/api/systems')).find(
        ({ payment_prefix }) => payment_prefix === 'CF',
      )
    await visitor().open('/settings')
    await page.getByText('Muốn xóa tài khoản và mọi dữ liệu của nó, hãy liên hệ người vận hành.').waitFor()
    await page.getByRole('button', { name: 'Thêm cửa hàng' }).click()
    await page.getByLabel('Tên cửa hàng').fill('Quán cà phê')
    await page.getByLabel('Tiền tố mã đơn').fill('TK')
    await page.getByRole('dialog').getByRole('button', { name: 'Lưu' }).click()
    await page.getByText('Chính ngân hàng cũng in chữ này').waitFor()
    visitor().forgive(400)
    await page.getByLabel('Tiền tố mã đơn').fill('CF')
    await page.getByRole('dialog').getByRole('button', { name: 'Lưu' }).click()
    await page.getByText('Mã đơn: CF và phần sau').waitFor()
    await page.getByRole('button', { name: 'Sửa Quán cà phê' }).click()
    await page.getByLabel('Loại cửa hàng').selectOption('haravan')
    await page.getByRole('dialog').getByRole('button', { name: 'Lưu' }).click()
    await page.getByLabel('Tìm mã đơn bắt đầu bằng CF').click()
    await eventually(async () => (await shop())?.is_active === 0)
    expect(await shop()).to.include({ type: 'haravan' })
    await page.getByRole('button', { name: 'Xóa cửa hàng Quán cà phê' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa' }).click()
    await page.getByText('Mã đơn: CF và phần sau').waitFor({ state: 'detached' })
    expect(await shop()).to.equal(undefined)
  })

  it('sends alerts to an address too, signed with a secret that it shows', async () => {
    const { page } = visitor()
    const section = page.locator('section', { hasText: 'Gửi thêm tới địa chỉ này' })
    await visitor().enter('/settings')
    await page.getByLabel('Gửi thêm tới địa chỉ này').fill('https://ops.example/alerts')
    await section.getByRole('button', { name: 'Lưu' }).click()
    await section.getByText('Đã lưu.').waitFor()
    await section.getByRole('button', { name: 'Hiện khóa ký' }).click()
    const { webhook_url, secret_key } = await owner().list<Record<string, string>>('/api/account/alerts')
    expect(webhook_url).to.equal('https://ops.example/alerts')
    expect(await section.locator('.copyable code').innerText()).to.equal(secret_key)
    await page.getByLabel('Gửi thêm tới địa chỉ này').fill('')
    // The present value of the field is not saved.
    await section.getByText('Đã lưu.').waitFor({ state: 'detached' })
    await section.getByRole('button', { name: 'Lưu' }).click()
    await section.locator('.copyable').waitFor({ state: 'detached' })
  })

  it('creates an API key that is shown once, deletes it, and trusts a sender', async () => {
    const { page } = visitor()
    await visitor().open('/settings')
    await page.getByLabel('Tên khóa').fill('Kế toán')
    await page.getByLabel('Xem giao dịch và báo cáo').uncheck()
    await page.getByRole('button', { name: 'Tạo khóa' }).click()
    await page.getByText('Chọn ít nhất một quyền.').waitFor()
    await page.getByLabel('Xem giao dịch và báo cáo').check()
    await page.getByLabel('Hết hạn vào ngày').fill('2099-12-31')
    await page.getByRole('button', { name: 'Tạo khóa' }).click()
    const key = await page.locator('.copyable code').innerText()
    expect((await api().ask('GET', '/api/transactions', { key })).status).to.equal(200)
    expect((await api().ask('POST', '/api/inbox', { key })).status).to.equal(403)
    await page.locator('.lines > li', { hasText: 'hết hạn 31/12/2099' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Xóa khóa Kế toán' }).click()
    expect(await page.getByText(key).count()).to.equal(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa' }).click()
    await page.getByRole('button', { name: 'Xóa khóa Kế toán' }).waitFor({ state: 'detached' })
    expect((await api().ask('GET', '/api/transactions', { key })).status).to.equal(401)

    await page.getByLabel('Tên người gửi SMS').fill('NGAN HANG')
    await page.getByRole('button', { name: 'Thêm', exact: true }).click()
    await page.getByRole('button', { name: 'Bỏ NGAN HANG' }).waitFor()
    await page.getByLabel('Nhận cả tin không ghi người gửi').click()
    const trusted = () =>
      owner().list<{ trusted_senders: string[]; without_sender: boolean }>('/api/account/trusted-senders')
    await eventually(async () => (await trusted()).without_sender)
    expect((await trusted()).trusted_senders).to.include('NGAN HANG')
    await page.getByRole('button', { name: 'Bỏ NGAN HANG' }).click()
    await page.getByRole('button', { name: 'Bỏ NGAN HANG' }).waitFor({ state: 'detached' })
    await page.getByLabel('Nhận cả tin không ghi người gửi').click()
    await eventually(async () => (await trusted()).without_sender === false)
  })
}
