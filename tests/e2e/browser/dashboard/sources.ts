/** Everything that people do with phones and mailboxes. */
import { expect } from 'chai'
import { vietcombankText } from '../../../harness/bank-texts.ts'
import { aMinutePasses, keepMinutes } from '../../../harness/dashboard/minutes.ts'
import { HOSTILE } from '../../../harness/dashboard/visitor.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const sources = (visitor: () => Visitor, owner: () => Owner): void => {
  const api = () => owner().api

  it('pairs a phone, notices that it is silent, and removes it', async () => {
    const { page } = visitor()
    await visitor().open('/sources')
    await page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
    await page.getByRole('button', { name: 'Ghép điện thoại' }).click()
    await page.getByLabel('Tên điện thoại').fill('Máy ở quầy')
    await page.getByRole('button', { name: 'Tạo mã ghép' }).click()
    await page.getByRole('timer').waitFor()
    const code = await page.locator('dialog .copyable code').innerText()
    const paired = await api().ask('POST', '/api/receive/pair', { json: { code, model: HOSTILE } })
    await page.getByText('Đã ghép Máy ở quầy.').waitFor()
    await page.getByRole('button', { name: 'Đóng' }).click()
    const phone = page.locator('.lines > li', { hasText: 'Máy ở quầy' })
    await phone.getByText('Chưa nhận tin nào').waitFor()
    await owner().fellSilent(paired.body.data.device_id)
    await api().ask('POST', '/api/receive/sms', {
      headers: { 'x-device-token': paired.body.data.device_token },
      json: { sender: 'Vietcombank', text: 'hello' },
    })
    await phone.getByText('Không có tin từ').waitFor()
    await phone.getByText('Thường cách nhau không quá 1 giờ.').waitFor()
    await keepMinutes(page)
    await phone.getByRole('button', { name: 'Thử Máy ở quầy' }).click()
    await page.getByText('Đang chờ tin…').waitFor()
    await aMinutePasses(page)
    await page.getByText('Một phút rồi mà chưa có tin.').waitFor()
    expect(await page.getByRole('dialog').locator('ul.steps > li').allInnerTexts()).to.have.lengthOf(4)
    // Baoco still waits, and says so when it comes after all.
    await owner().reports(paired.body.data.device_id)
    await page.getByText('Nguồn này đang hoạt động.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Đóng' }).click()
    await phone.getByLabel('Tin cậy tiêu đề của ứng dụng SMS').click()
    await phone.locator('input:checked:enabled').waitFor()
    await phone.getByRole('button', { name: 'Gỡ Máy ở quầy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Gỡ' }).click()
    await phone.waitFor({ state: 'detached' })
  })

  it('says on Today that texts without a sender were ignored, for a day', async () => {
    const { page } = visitor()
    const old = new Date(Date.now() - 25 * 3_600_000).toISOString()
    const of = (reason: string, received_at = new Date().toISOString()) => ({ reason, received_at })
    const data = [of('unknown_sender'), of('unknown_app'), of('otp'), of('unknown_sender', old)]
    await page.route('**/api/notifications?status=ignored', (route) => route.fulfill({ json: { data } }))
    await visitor().enter('/')
    const line = page.locator('li', { hasText: 'giống tin ngân hàng bị bỏ qua trong 24 giờ qua' })
    await line.getByText(/^– 2 tin/).waitFor()
    await page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
    await page.unroute('**/api/notifications?status=ignored')
    const ignored = await owner().list<{ reason: string }[]>('/api/notifications?status=ignored')
    const before = ignored.filter(({ reason }) => /^unknown_(?:sender|app)$/.test(reason)).length
    await owner().receive('', vietcombankText(71, 'DH3071'))
    await line.getByText(`– ${before + 1} tin`).waitFor()
    await line.getByRole('link').click()
    await page.waitForURL('**/unread?status=ignored')
  })

  it('adds a mailbox, says why it cannot be read, changes it, and removes it', async () => {
    const { page } = visitor()
    await visitor().open('/sources')
    await page.getByRole('button', { name: 'Thêm hộp thư' }).click()
    await page.getByLabel('Nhà cung cấp').selectOption('')
    await page.getByText('Không phải mật khẩu đăng nhập.', { exact: true }).waitFor()
    await page.getByLabel('Địa chỉ email').fill('shop@example.com')
    await page.getByLabel('Mật khẩu ứng dụng').fill('abcd efgh')
    await page.getByLabel('Máy chủ IMAP').fill('127.0.0.1')
    await page.getByLabel('Cổng', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Lưu và thử' }).click()
    await page.locator('.notice.failed', { hasText: 'Không đọc được hộp thư.' }).waitFor()
    await page.getByRole('button', { name: 'Sửa shop@example.com' }).click()
    await page.getByText('Mỗi lần sửa phải nhập lại.').waitFor()
    expect(await page.getByLabel('Máy chủ IMAP').inputValue()).to.equal('127.0.0.1')
    await page.getByLabel('Mật khẩu ứng dụng').fill('x')
    await page.getByLabel('Máy chủ IMAP').fill('localhost')
    await page.getByRole('button', { name: 'Lưu và thử' }).click()
    await page.locator('.lines > li', { hasText: 'localhost' }).locator('.notice.failed').waitFor()
    expect((await owner().list<object[]>('/api/mail-accounts'))[0]).to.include({
      host: 'localhost',
      port: 1,
      tls: true,
    })
    await page.getByRole('button', { name: 'Gỡ shop@example.com' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Gỡ' }).click()
    await page.getByText('Chưa có hộp thư nào.').waitFor()
  })

  it('keeps the user name of a mailbox of a known provider that is not its email address', async () => {
    const { page } = visitor()
    const mailbox = { email: 'orders@shop.vn', host: 'imap.gmail.com', username: 'shop@gmail.com', password: 'x' }
    const { body } = await api().ask('POST', '/api/mail-accounts', { key: api().owner.api_key, json: mailbox })
    await visitor().open('/sources')
    await page.getByRole('button', { name: 'Sửa orders@shop.vn' }).click()
    expect(await page.getByLabel('Tên đăng nhập').inputValue()).to.equal('shop@gmail.com')
    await page.getByLabel('Mật khẩu ứng dụng').fill('abcd efgh ijkl mnop')
    await page.getByRole('button', { name: 'Lưu và thử' }).click()
    await page.getByLabel('Mật khẩu ứng dụng').waitFor({ state: 'detached' })
    expect((await owner().list<object[]>('/api/mail-accounts'))[0]).to.include({
      host: 'imap.gmail.com',
      username: 'shop@gmail.com',
    })
    await api().ask('DELETE', `/api/mail-accounts/${body.data.id}`, { key: api().owner.api_key })
  })
}
