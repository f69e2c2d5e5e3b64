/** Takes the pictures of the dashboard in this folder again, of a shop with two weeks of payments: `npm run pictures`. */
import { installChromium } from '../tests/harness/chromium/install.ts'
import { builtDashboard } from '../tests/harness/dashboard/build.ts'
import { Owner } from '../tests/harness/dashboard/owner.ts'
import type { View } from '../tests/harness/dashboard/views.ts'
import { Visitor } from '../tests/harness/dashboard/visitor.ts'
import { openApi } from '../tests/integration/http/api-under-test.ts'

await installChromium()
const api = await openApi({}, 'real', { web: await builtDashboard() })
const owner = new Owner(api)
await owner.openShop('Cửa hàng Hoa Sen')
const visitor = await Visitor.open(api.url)
await visitor.newPage()

/** The whole page: the window is as high as it, so that a bar at its edge covers nothing. @param last  what is drawn last */
const take = async (name: string, language: View['language'], width: number, last: string): Promise<void> => {
  const { page } = visitor
  await visitor.speak(language)
  await page.setViewportSize({ width, height: 760 })
  await page.locator(last).first().waitFor()
  await page.setViewportSize({ width, height: Number(await page.evaluate('document.documentElement.scrollHeight')) })
  await page.screenshot({ path: new URL(`${name}.png`, import.meta.url).pathname })
}

await visitor.enter('/')
await take('dashboard', 'en', 1280, '.ledger tbody tr')
await visitor.open('/undelivered')
await take('undelivered', 'en', 1280, '.lines .button')
const { url } = await owner.make<{ url: string }>('/api/counter')
await visitor.go(new URL(url).pathname)
await take('counter', 'vi', 390, '.lines li')
await visitor.close()
await api.close()
process.exit()
