/** A slow line: what comes late does not move what somebody reads, and a tap shows at once that it was taken. */
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { eventually } from '../../../harness/eventually.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'
import { NARROW } from './narrow.ts'

/** Layout shifts that Chromium calls good are at most this much. */
const MOST_SHIFT = 0.1

const WATCH_SHIFTS = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** The last answer that a screen asks for comes first, and the page draws itself after each. */
const answerBackwards = async (page: Page, isThere: () => Promise<boolean>): Promise<void> => {
  const held: Route[] = []
  const path = /\/api\/(?!account$|stream)/
  await page.route(path, (route) => void held.push(route))
  await page.reload()
  await eventually(() => held.length > 0)
  await eventually(async () => {
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
    await held.pop()?.continue()
    return held.length === 0 && (await isThere())
  })
  await page.unroute(path)
}

export const slowLine = (visitor: () => Visitor): void => {
  it('moves nothing down while the answers arrive, in any order', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.setViewportSize(NARROW)
    await visitor().beforeScripts(WATCH_SHIFTS)
    for (const [path, last] of [
      ['/', '.ledger'],
      ['/sources', 'text=Ghép điện thoại'],
      ['/try', 'text=Hộp thử là'],
      ['/operator', 'text=Thư chưa gửi'],
    ] as const) {
      await visitor().go(path)
      await page.locator('.shell').waitFor()
      // As in a new browser: whether the first steps are done is not known.
      await page.evaluate('localStorage.removeItem("baoco.checklist")')
      await answerBackwards(page, () => page.locator(last).first().isVisible())
      expect(await page.evaluate('shift'), path).to.be.below(MOST_SHIFT)
    }
  })

  it('says at once that a screen is loading, and loads the usual ones before somebody opens them', async () => {
    const { page } = visitor()
    const inAdvance = page.waitForRequest('**/assets/webhooks-*.js')
    await visitor().enter('/settings')
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    await page.route('**/assets/operator-*.js', (route) => arrived.then(() => route.continue()))
    await inAdvance
    await page.locator('.rail nav > a[href="/operator"]').click()
    await page.locator('main[aria-busy=true] > [role=status]', { hasText: 'Đang tải…' }).waitFor()
    await page.getByRole('heading', { name: 'Cài đặt', level: 1 }).waitFor()
    arrive()
    await page.getByRole('heading', { name: 'Vận hành', level: 1 }).waitFor()
    await page.locator('main[aria-busy=false]').waitFor()
    await page.unroute('**/assets/operator-*.js')
  })
}
