/** Copying where the browser has no clipboard for the page, as at http addresses of another machine, or where the user forbids it. */
import { expect } from 'chai'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

const NO_CLIPBOARD = `Object.defineProperty(navigator, 'clipboard', { value: undefined })`
const NO_COPYING = `${NO_CLIPBOARD}; document.execCommand = () => false`

export const copying = (visitor: () => Visitor, owner: () => Owner): void => {
  it('copies without a clipboard of the page, also in a dialog, and keeps the focus', async () => {
    const { page } = visitor()
    await visitor().beforeScripts(NO_CLIPBOARD)
    await visitor().enter(`/webhooks/${owner().ruleId}`)
    await page.getByRole('button', { name: 'Sao chép mã' }).click()
    const announcement = page.locator('.announcement')
    await announcement.filter({ hasText: 'Đã sao chép.' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Sao chép mã')
    await announcement.click()
    expect(await announcement.innerText()).to.equal('')
    await visitor().open('/try')
    const text = page.getByRole('textbox', { name: /^Tin/ })
    await text.fill('')
    await page.keyboard.press('Control+v')
    expect(await text.inputValue()).to.include('WEBHOOK_SECRET')

    await visitor().open('/sources')
    await page.getByRole('button', { name: 'Ghép điện thoại' }).click()
    await page.getByLabel('Tên điện thoại').fill('Máy chép')
    await page.keyboard.press('Enter')
    const code = await page.locator('dialog .copyable code').innerText()
    await page.getByRole('dialog').getByRole('button', { name: 'Sao chép' }).click()
    await page.getByRole('dialog').getByText('Đã sao chép.').waitFor({ state: 'attached' })
    await page.getByRole('dialog').getByRole('button', { name: 'Đóng' }).click()
    await visitor().open('/try')
    await text.fill('')
    await page.keyboard.press('Control+v')
    expect(await text.inputValue()).to.equal(code)
    const devices = await owner().list<{ id: number; name: string }[]>('/api/devices')
    const { id } = devices.find(({ name }) => name === 'Máy chép')!
    await owner().api.ask('DELETE', `/api/devices/${id}`, { key: owner().api.owner.api_key })
  })

  it('says that nothing could be copied', async () => {
    const { page } = visitor()
    await visitor().beforeScripts(NO_COPYING)
    await visitor().open(`/webhooks/${owner().ruleId}`)
    await page.getByRole('button', { name: 'Sao chép mã' }).click()
    await page.locator('.announcement', { hasText: 'Trình duyệt không cho sao chép.' }).waitFor()
  })
}
