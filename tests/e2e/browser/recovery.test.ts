/**
 * An open page outlives what happens to its server and its network. While payments arrive, the server is killed, the network goes away, the
 * computer sleeps. Afterwards the page shows what the API has, without a reload: every row once, none missing, each with its state.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { needsChromium } from '../../harness/chromium/install.ts'
import { openLine, type Line } from '../../harness/dashboard/line.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { World } from '../../harness/world.ts'
import { common } from '../../../web/texts/vi/shell.ts'

const KILLS = repetitions(5, 1)
/** Milliseconds between payments. While the server is away, each fails at once. */
const PACE = repetitions(20, 60)

interface Listed {
  id: number
  webhook_status: keyof typeof common.status
}

describe('an open page', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let world: World
  let line: Line
  let visitor: Visitor
  /** A tab beside it, which gets its messages from the first one. */
  let other: Page
  let sent = 0

  before(async () => {
    world = await World.open({ env: { RETRY_SCHEDULE: '0.2', ADMIN_LANGUAGE: 'vi' } })
    await world.addRule(await world.openShop())
    line = await openLine(world.installation.port)
    visitor = await Visitor.open(line.url)
    await visitor.newPage()
    other = visitor.page
    await visitor.newPage()
    // The clock of the page can jump.
    await visitor.page.clock.install()
    await post(40)
    await visitor.go('/login?next=/transactions')
    await visitor.logIn(world.installation)
    await live()
    await visitor.page.evaluate('window.isTheSamePage = true')
    await other.goto(`${line.url}/transactions`)
  })
  after(async () => {
    await visitor?.close()
    await line?.close()
    await world?.close()
  })

  const post = async (number: number): Promise<void> => {
    for (let i = 0; i < number; i++) await world.post(vietcombankText(++sent, `DH${sent}`)).catch(() => null)
  }
  /** Payments arrive until the act is done. */
  const withTraffic = async (act: () => Promise<unknown>): Promise<void> => {
    let isDone = false
    const traffic = (async () => {
      for (; !isDone; await pause(PACE)) await post(1)
    })()
    await act().finally(() => (isDone = true))
    await traffic
  }
  const state = (name: keyof (typeof common)['status'] | 'live' | 'away') =>
    ({ live: 'Trực tiếp', away: 'Mất kết nối' })[name as 'live' | 'away']
  const shows = (name: 'live' | 'away') =>
    visitor.page.locator('.rail > .foot .live', { hasText: state(name) }).waitFor()
  const live = () => shows('live')

  const rowsOf = (page: Page): Promise<string[]> =>
    page.locator('.ledger tbody tr:has(a)').evaluateAll((rows) =>
      (
        rows as unknown as {
          querySelector(selector: string): { getAttribute(name: string): string; innerText: string }
        }[]
      ).map(
        (row) =>
          `${row.querySelector('a').getAttribute('href').split('/').pop()} ${row.querySelector('.status').innerText.slice(2)}`,
      ),
    )
  /** As many of the newest as the page shows. */
  const rowsOfApi = async (number: number): Promise<string[]> => {
    const rows: Listed[] = []
    for (let cursor: unknown = ''; rows.length < number && cursor !== null;) {
      const { body } = await world.api('GET', `/api/transactions${cursor ? `?cursor=${String(cursor)}` : ''}`)
      rows.push(...(body.data as Listed[]))
      cursor = body.next_cursor
    }
    return rows.slice(0, number).map((row) => `${row.id} ${common.status[row.webhook_status]}`)
  }
  const showTheSame = async (): Promise<void> => {
    for (const page of [visitor.page, other]) {
      let shown: string[] = []
      let listed: string[] = []
      await eventually(
        async () => {
          shown = await rowsOf(page)
          listed = await rowsOfApi(shown.length)
          return shown.length >= 40 && shown.join() === listed.join()
        },
        { within: WITHIN },
      ).catch(() => expect(shown).to.deep.equal(listed))
      expect(shown.length).to.be.at.least(40)
      expect(await page.locator('[role=alert]').count()).to.equal(0)
    }
    expect(await visitor.page.evaluate('window.isTheSamePage')).to.equal(true)
    expect(await world.api('GET', '/api/transactions?limit=1'))
      .to.have.nested.property('body.total')
      .that.is.at.least(40)
  }

  it('shows the same as the API while payments arrive', async () => {
    await post(5)
    await showTheSame()
  })

  it(`shows the same as the API after the server was killed and started again, with traffic`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await withTraffic(async () => {
        await eventually(async () => (await rowsOf(visitor.page)).length > 0)
        await post(5)
        await world.baoco.kill()
        await shows('away')
        await world.start()
        await post(5)
      })
      await live()
      await showTheSame()
    }
  })

  it('asks only for what changed when its stream was renewed, although it never had an event', async () => {
    const pages = [visitor.page, other]
    // The first page follows the stream, and begins without an event. The other one gets its messages.
    await other.goto('about:blank')
    await visitor.page.reload()
    await visitor.page.evaluate('window.isTheSamePage = true')
    await live()
    await other.goto(`${line.url}/transactions`)
    await showTheSame()
    const asked: string[] = []
    const note = (request: Request) => void asked.push(new URL(request.url()).pathname)
    for (const page of pages) page.on('request', note)
    const renewed = visitor.page.waitForResponse((response) => response.url().includes('/api/stream'))
    line.cut()
    await renewed
    await post(1)
    await showTheSame()
    expect(asked).to.include('/api/transactions').and.not.include('/api/account')
    for (const page of pages) page.off('request', note)
  })

  it('asks once for what changed while nobody saw it', async () => {
    const { page } = visitor
    const become = (state: 'hidden' | 'visible') =>
      page.evaluate(`{
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      }`)
    await become('hidden')
    const before = await rowsOf(page)
    await post(1)
    // It passes messages on to the other page after it has taken them.
    const sees = async () => {
      const [[newest], [listed]] = await Promise.all([rowsOf(other), rowsOfApi(1)])
      return newest !== before[0] && newest === listed && newest?.endsWith(common.status.success)
    }
    await eventually(sees, { within: WITHIN, what: 'the payment on the other page' })
    expect(await rowsOf(page)).to.deep.equal(before)
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    await become('visible')
    await showTheSame()
    // Longer than the page gathers messages.
    await page.clock.runFor(5_000)
    const lists = asked.filter((url) => url.includes('/api/transactions?') || url.endsWith('/api/transactions'))
    expect(lists).to.not.deep.equal([])
    expect(lists).to.deep.equal([...new Set(lists)])
    page.removeAllListeners('request')
  })

  it('shows the same as the API after the network was away', async () => {
    await visitor.offline(true)
    line.cut()
    await shows('away')
    await post(40)
    await visitor.offline(false)
    await live()
    await showTheSame()
  })

  it('shows the same as the API after a sleep in which its connections were lost without a sign', async () => {
    line.silence()
    await withTraffic(() => post(10))
    const before = await rowsOf(visitor.page)
    await eventually(async () => (await rowsOfApi(before.length)).join() !== before.join(), {
      what: 'new rows in the API',
    })
    await visitor.page.clock.fastForward('08:00:00')
    await showTheSame()
    expect(await rowsOf(visitor.page)).not.to.deep.equal(before)
  })

  it('asks again when an answer does not come', async () => {
    await visitor.page.route('**/api/notifications?*', () => {}, { times: 1 })
    await visitor.page.getByRole('link', { name: 'Tin chưa đọc được', exact: true }).click()
    await visitor.page.getByText('Đang tải…').waitFor()
    await visitor.page.clock.fastForward('01:00')
    await visitor.page.getByText('Không có tin nào chưa đọc được').waitFor()
  })

  it('asks a server on the same machine even if the browser reports no network', async () => {
    await visitor.page.evaluate(`dispatchEvent(new Event('offline'))`)
    await visitor.page.getByRole('link', { name: 'Cài đặt', exact: true }).click()
    await visitor.page.getByText('Chưa có khóa nào').waitFor()
  })

  it('goes to the login at once when a password reset has ended its session', async () => {
    const { page } = visitor
    await other.goto(`${line.url}/forgot-password`)
    await other.locator('input[type=email]').fill(world.installation.email)
    await other.keyboard.press('Enter')
    const link = await eventually(async () => {
      const mails = (await world.api('GET', '/api/outbox')).body.data as { subject: string; text: string }[]
      const [found] = mails.flatMap(({ text }) => /\/reset-password\?token=\S+/.exec(text) ?? [])
      if (!found)
        throw new Error(`no link among ${JSON.stringify(mails.map(({ subject }) => subject))}; ${other.url()}`)
      return found
    })
    await other.goto(line.url + link)
    await other.locator('input[type=password]').fill('another long password')
    await other.getByLabel('Có người khác từng vào tài khoản').check()
    await other.getByRole('button', { name: 'Đổi mật khẩu' }).click()
    await other.getByText('Mật khẩu đã đổi').waitFor()
    await other.getByText('hãy xem lại từng webhook').waitFor()
    await page.waitForURL('**/login?next=*')
  })
})
