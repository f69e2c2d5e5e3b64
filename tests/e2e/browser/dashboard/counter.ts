/** The screen at the counter: payments appear as they arrive, and the link ends when there is a new one. */
import { expect } from 'chai'
import { HOSTILE } from '../../../harness/dashboard/visitor.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const counter = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows payments on a screen of its own as they arrive, also after errors of a proxy, until the link is replaced', async () => {
    const { page, url } = visitor()
    const earlier = await owner().api.nextId()
    await visitor().enter('/settings')
    await page.getByRole('button', { name: 'Tạo liên kết' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Tạo liên kết' }).click()
    const made = await page.getByRole('link', { name: 'Mở màn hình ở quầy' }).getAttribute('href')
    const proxys = { status: 404, contentType: 'text/html', body: '<h1>404 Not Found</h1>' }
    await page.route('**/counter/*/stream', (route) => route.fulfill(proxys), { times: 1 })
    await visitor().go(new URL(made!).pathname)
    const latest = page.getByRole('region', { name: 'Khoản mới nhất' })
    await latest.waitFor()
    // Somebody at the counter uses the keyboard alone.
    await page.getByRole('switch', { name: 'Âm thanh và giọng nói' }).focus()
    await page.keyboard.press('Space')
    await owner().pay({ amount: '150000.00', order_id: HOSTILE })
    await latest.getByText('U+202E').waitFor()
    await owner().pay({ amount: '2450000.00', order_id: 'DH7001' })
    await latest.getByText('Đơn DH7001').waitFor()
    expect(await latest.locator('b').innerText()).to.equal('+2.450.000\u00a0₫')
    await page.getByText('Nhận được 2.450.000 đồng').waitFor({ state: 'attached' })
    await page.locator('.lines > li', { hasText: 'U+202E' }).waitFor()
    // Another process has taken its ids before.
    await owner().pay({ amount: '70000.00', order_id: 'DH7002' }, earlier)
    await latest.getByText('Đơn DH7002').waitFor()
    await page.getByText('Nhận được 70.000 đồng').waitFor({ state: 'attached' })
    await visitor().inspect('counter')
    // A payment that the owner deletes leaves the screen too, without an announcement.
    await owner().api.ask('DELETE', `/api/transactions/${earlier}`, { key: owner().api.owner.api_key })
    await latest.getByText('Đơn DH7001').waitFor()
    expect(await page.getByText('DH7002').count()).to.equal(0)
    await page.getByText('Nhận được 70.000 đồng').waitFor({ state: 'attached' })
    // The page has no login, so nothing of the account is asked for.
    expect(
      await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name).join()'),
    ).not.to.include(`${url}/api/`)
    await owner().make('/api/counter', undefined)
    await page.getByText('Liên kết này không còn dùng được.').waitFor()
    visitor().forgive(404)
    await visitor().inspect('counter-ended')
    await page.reload()
    await page.getByText('Chủ tài khoản tạo được liên kết mới ở trang Cài đặt.').waitFor()
  })
}
