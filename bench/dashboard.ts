/**
 * Measures the dashboard in Chromium: the time until the first screens can be used on a phone (4 × slower CPU, 1.6 Mbit/s, 40 ms round trip,
 * empty cache, median of five), and the longest task while a list of ten thousand rows is scrolled from its first row to its last.
 */
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core'
import { BROWSER } from '../tests/harness/chromium/install.ts'
import { callApi } from '../tests/harness/baoco-process.ts'
import { fillLists } from './support/fill.ts'
import { onDatabase, startBench } from './support/installation.ts'
import { percentile } from './support/load.ts'
import { addRules } from './support/shops.ts'

const ROWS = Number(process.env.COUNT ?? 10_000)
const RUNS = Number(process.env.RUNS ?? 5)
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const KBIT = 1_000 / 8
const LINE = { offline: false, latency: 40, downloadThroughput: 1_600 * KBIT, uploadThroughput: 1_600 * KBIT }
/** Milliseconds. */
const [USABLE_WITHIN, LONGEST_TASK] = [1_500, 50]

/** The element of each screen that can be used once it is there. */
const SCREENS = [
  ['login', '/login', 'input[type=password]'],
  ['today', '/', '.figures'],
  ['transactions', '/transactions', '.ledger tbody a'],
] as const

const throttled = async (page: Page): Promise<CDPSession> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', LINE)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return devtools
}

/** @returns milliseconds from the start of the navigation until the selector is drawn */
const usableAfter = async (browser: Browser, cookies: object[], url: string, selector: string): Promise<number> => {
  const context = await browser.newContext(PHONE)
  await context.addCookies(cookies as never)
  const page = await context.newPage()
  await throttled(page)
  // The page's policy forbids code made from text, so the page calls instead of being asked.
  const usable = new Promise<number>((done) => void page.exposeFunction('usableAt', done))
  await page.addInitScript(`
    const look = () => document.querySelector('${selector}')
      ? requestAnimationFrame(() => setTimeout(() => usableAt(performance.now())))
      : requestAnimationFrame(look)
    look()`)
  await page.goto(url, { waitUntil: 'commit' })
  const at = await usable
  await context.close()
  return at
}

/** Scrolls to the last row. @returns the tasks over 50 ms, and the largest number of rows in the page */
const scroll = async (page: Page, last: string): Promise<{ tasks: number[]; most: number; seconds: number }> => {
  await page.evaluate(`
    globalThis.tasks = []
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })`)
  const began = performance.now()
  const most = (await page.evaluate(`new Promise((done) => {
    let most = 0
    const step = () => {
      most = Math.max(most, document.querySelectorAll('.ledger tbody tr').length)
      if (document.querySelector('a[href="${last}"]')) return done(most)
      scrollBy(0, 120)
      requestAnimationFrame(step)
    }
    step()
  })`)) as number
  return { tasks: (await page.evaluate('tasks')) as number[], most, seconds: (performance.now() - began) / 1_000 }
}

const bench = await startBench({ accounts: 1 })
const browser = await chromium.launch(BROWSER)
const { baseUrl } = bench.baoco
try {
  await onDatabase(bench.installation, async (database) => {
    const me = (await callApi(bench.baoco, bench.installation.apiKey, 'GET', '/api/account')).body.data as {
      id: number
    }
    const [rule] = await addRules(bench.baoco, bench.shops, 'https://shop.example/')
    // A fifth of the rows belong to the user.
    await fillLists(database, { user: me.id, rule: rule!.id, count: ROWS * 5 }, () => {})
  })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const { email, password } = bench.installation
  await page.goto(`${baseUrl}/login`)
  await page.locator('input[type=email]').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.locator('.shell').waitFor()
  const cookies = await context.cookies()

  for (const [name, path, selector] of SCREENS) {
    const times: number[] = []
    for (let run = 0; run < RUNS; run++)
      times.push(await usableAfter(browser, name === 'login' ? [] : cookies, baseUrl + path, selector))
    console.log(
      `${name}: usable after ${percentile(times, 0.5).toFixed(0)} ms in the median of ${RUNS} ` +
        `(${times.map((each) => each.toFixed(0)).join(', ')}; at most ${USABLE_WITHIN})`,
    )
  }

  await page.goto(`${baseUrl}/transactions`)
  await page.locator('.ledger tbody a').first().waitFor()
  let cursor: string | null = ''
  let last = 0
  while (cursor !== null) {
    const answer = await callApi(
      bench.baoco,
      bench.installation.apiKey,
      'GET',
      `/api/transactions${cursor && `?cursor=${cursor}`}`,
    )
    const { data, next_cursor } = answer.body as unknown as { data: { id: number }[]; next_cursor: string | null }
    last = data.at(-1)?.id ?? last
    cursor = next_cursor
  }
  const { tasks, most, seconds } = await scroll(page, `/transactions/${last}`)
  console.log(
    `${ROWS} rows scrolled in ${seconds.toFixed(0)} s: ${tasks.length} tasks over ${LONGEST_TASK} ms` +
      `${tasks.length > 0 ? ` (the longest ${Math.max(...tasks)} ms)` : ''}; at most ${most} rows in the page`,
  )
} finally {
  await browser.close()
  await bench.end()
}
