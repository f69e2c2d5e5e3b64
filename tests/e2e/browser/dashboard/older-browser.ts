/** A phone that gets no newer browser, such as an iPhone 7 or 8. */
import { expect } from 'chai'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'
import { NARROW } from './narrow.ts'

/** Safari has these since the versions 16 to 17.4. */
const MISSING = `
  delete AbortSignal.any
  delete URL.canParse
  delete HTMLElement.prototype.popover
  delete HTMLElement.prototype.hidePopover
  delete Element.prototype.checkVisibility
  delete Array.prototype.toSorted
  delete Navigator.prototype.locks
`

export const olderBrowser = (visitor: () => Visitor): void => {
  it('works on a phone with an older browser, which has a menu without popovers', async () => {
    const { page } = visitor()
    await visitor().beforeScripts(MISSING)
    await page.setViewportSize(NARROW)
    await visitor().enter('/transactions')
    await page.locator('.ledger tbody a').first().waitFor()
    const [button, menu] = [page.getByRole('button', { name: 'Thêm' }), page.locator('#menu')]
    await button.click()
    expect(await button.getAttribute('aria-expanded')).to.equal('true')
    await page.mouse.click(100, 20)
    await menu.waitFor({ state: 'hidden' })
    await button.click()
    await menu.getByRole('link', { name: 'Nguồn' }).click()
    await page.getByRole('heading', { name: 'Nguồn' }).waitFor()
    await menu.waitFor({ state: 'hidden' })
  })
}
