/** What people do with unread texts and settings. */
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
    await visitor().go('/unread')
    const other = page.locator('.lines > li', { hasText: 'Không bộ đọc nào' }).last()
    await other.getByRole('button', { name: /^Đọc lại/ }).click()
    await page.locator('.announcement', { hasText: 'Vẫn chưa đọc được.' }).waitFor()
    const forged = page.locator('.lines > li', { hasText: 'Một trường có hai lần' })
    await forged.getByRole('button', { name: 'Tin này là thật' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tin này là thật' }).click()
    await forged.waitFor({ state: 'detached' })
    await visitor().go('/transactions')
    await page.getByText('DH3002').waitFor()
    await visitor().go('/unread?status=ignored')
    await page.getByRole('link', { name: 'Sửa người gửi tin cậy' }).click()
    await page.waitForURL('**/settings')
  })

  it('creates an API key that is shown once, deletes it, and trusts a sender', async () => {
    const { page } = visitor()
    await visitor().go('/settings')
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
