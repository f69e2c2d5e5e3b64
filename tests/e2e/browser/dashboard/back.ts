/** The browser's Back, as Android's button, first closes what lies on the page. */
import { expect } from 'chai'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'
import { NARROW } from './narrow.ts'

export const back = (visitor: () => Visitor, owner: () => Owner): void => {
  const path = () => new URL(visitor().page.url()).pathname
  const goBack = () => visitor().page.evaluate('history.back()')

  it('closes a dialog, the search or the menu by Back, which then leads to the screen before', async () => {
    const { page } = visitor()
    await visitor().enter('/transactions')
    await page.setViewportSize(NARROW)
    await page.locator('.ledger').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Webhook' }).click()
    await page.locator('.ledger .right').first().waitFor()
    await visitor().page.locator(`.ledger a[href="/webhooks/${owner().ruleId}"]`).click()
    const menu = page.locator('#menu')
    const dialog = page.getByRole('dialog')
    const more = page.getByRole('button', { name: 'Thêm', exact: true })
    for (const [open, layer] of [
      [() => page.getByRole('button', { name: 'Xóa' }).click(), dialog],
      [() => page.keyboard.press('Control+k'), dialog],
      [() => more.click(), menu],
      // A dialog that was closed in another way leaves no entry in the browser's history.
      [
        () =>
          page
            .getByRole('button', { name: 'Xóa' })
            .click()
            .then(() => page.keyboard.press('Escape')),
        null,
      ],
    ] as const) {
      await open()
      await layer?.waitFor()
      if (layer) await goBack()
      await dialog.waitFor({ state: 'hidden' })
      await menu.waitFor({ state: 'hidden' })
      expect(path()).to.equal(`/webhooks/${owner().ruleId}`)
    }
    await goBack()
    await page.waitForURL('**/webhooks')
    // A screen that the menu or the search has opened is one step further.
    await more.click()
    await menu.getByRole('link', { name: 'Cài đặt' }).click()
    await page.getByRole('heading', { name: 'Cài đặt' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('xuất dữ')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/exports')
    for (const before of ['/settings', '/webhooks', '/transactions']) {
      await goBack()
      await page.waitForURL(`**${before}`)
    }
    await page.evaluate('history.forward()')
    await page.waitForURL('**/webhooks')
  })

  it('leads past the login to the page before it', async () => {
    const { page } = visitor()
    await visitor().withoutLogin()
    await visitor().go('/forgot-password')
    await visitor().go('/settings')
    await page.waitForURL('**/login?next=*')
    await visitor().logIn()
    await page.waitForURL('**/settings')
    await page.goBack()
    await page.waitForURL('**/forgot-password')
  })
}
