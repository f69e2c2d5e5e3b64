/** What people do with transactions. */
import { expect } from 'chai'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const transactions = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows texts of strangers as text, with marks for invisible characters', async () => {
    const { page } = visitor()
    await visitor().go('/transactions')
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

  it('keeps the filter in the address, and never goes to another host after the login', async () => {
    const { page } = visitor()
    await visitor().enter('//evil.example/')
    expect(new URL(page.url()).origin).to.equal(visitor().url)
    await page.getByRole('link', { name: 'Giao dịch', exact: true }).click()
    await page.getByLabel('Trạng thái').selectOption('failed')
    await page.waitForURL('**/transactions?webhook_status=failed')
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    await page.reload()
    await page.getByText('1 giao dịch, mới nhất trước').waitFor()
    expect(await page.locator('.ledger tbody tr').count()).to.equal(1)
  })

  it('shows a payment that arrives, and deletes one after a question', async () => {
    const { page } = visitor()
    await visitor().go('/transactions')
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
    await visitor().go(`/transactions/${waiting}`)
    const again = page.getByRole('button', { name: 'Gửi lại ngay' })
    const now = page.getByRole('button', { name: 'Gửi ngay, không chờ' })
    await page.getByRole('heading', { name: 'Các lần gửi' }).waitFor()
    expect((await again.count()) + (await now.count())).to.equal(0)
    await owner().failed(waiting, new Date(Date.now() + 3_600_000))
    await now.click()
    await page.locator('.timeline', { hasText: 'Yêu cầu gửi lại' }).waitFor()
    await visitor().go(`/transactions/${owner().failedId}`)
    await again.click()
    await page.locator('.timeline', { hasText: 'Yêu cầu gửi lại' }).waitFor()
  })
}
