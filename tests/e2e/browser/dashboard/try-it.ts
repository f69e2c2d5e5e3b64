/** Trials of the service with texts of one's own. */
import { expect } from 'chai'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const tryIt = (visitor: () => Visitor, owner: () => Owner): void => {
  it('says that a text waits for its bank account, before it is sent and after, and confirms the account there', async () => {
    const { page } = visitor()
    const number = '0099000654321'
    await owner().seeBankAccount(number)
    await visitor().enter('/try')
    const text = page.getByLabel('Tin báo', { exact: true })
    await text.fill((await text.inputValue()).replace(/SD TK \d+/, `SD TK ${number}`))
    await page.getByLabel('Gửi tới các webhook của tôi').check()
    await page.getByText(`Số tài khoản VCB ${number} chưa được xác nhận, nên webhook chỉ được gọi sau`).waitFor()
    await page.getByRole('button', { name: 'Thử', exact: true }).click()
    await page.getByText(`Số tài khoản VCB ${number} chưa được xác nhận, nên giao dịch vào số này đang chờ.`).waitFor()
    await page.getByRole('button', { name: 'Đây là tài khoản của tôi' }).click()
    await page.locator('.announcement', { hasText: 'Đã xác nhận.' }).waitFor()
    await page.getByText('chưa được xác nhận').first().waitFor({ state: 'detached' })
    // The same text is the same payment.
    await page.getByRole('button', { name: 'Thử', exact: true }).click()
    await page.getByText('Tin này đã được gửi rồi').waitFor()
    await page.getByRole('button', { name: 'Tin khác', exact: true }).click()
    await page.getByRole('button', { name: 'Thử', exact: true }).click()
    await page.getByText('Đã ghi giao dịch.').waitFor()
    // So it is for a page that did not send it itself.
    const sent = await text.inputValue()
    await owner().api.database.query(
      `UPDATE read_model.transaction SET created_at = created_at - interval '2 minutes' WHERE account_number = $1`,
      [number],
    )
    await visitor().open('/try')
    await text.fill(sent)
    await page.getByLabel('Gửi tới các webhook của tôi').check()
    await page.getByRole('button', { name: 'Thử', exact: true }).click()
    await page.getByText('Tin này đã được gửi rồi').waitFor()
  })

  it('keeps the button where it is while it reads what a text would call', async () => {
    const { page } = visitor()
    await visitor().open('/try')
    const button = page.getByRole('button', { name: 'Thử', exact: true })
    for (const level of ['Gửi vào hộp thử của tôi', 'Gửi tới các webhook của tôi']) {
      let answer = (): void => {}
      const held = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/api/demo/parse', async (route) => {
        await held
        await route.continue()
      })
      await page.getByRole('button', { name: 'Tin khác', exact: true }).click()
      await page.getByLabel(level).check()
      await page.getByText('được ghi và tính như thật').waitFor()
      const asked = page.waitForResponse('**/api/demo/parse')
      const before = await button.boundingBox()
      answer()
      await (await asked).finished()
      await page.getByText(/^(?:Ngoài hộp thử|Sẽ gọi|Số tài khoản .* chưa được xác nhận)/).waitFor()
      expect(await button.boundingBox(), level).to.deep.equal(before)
      await page.unroute('**/api/demo/parse')
    }
  })
}
