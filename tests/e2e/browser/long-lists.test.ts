/** A long list: only what is near the visible part is in the page, and it has every row once, also while payments arrive. */
import { expect } from 'chai'
import { needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { Owner } from '../../harness/dashboard/owner.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { statusChanged } from '../../integration/http/captured.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'

const ROWS = 1_500
/** The visible part has some twenty rows, and as much and a half above and below may be drawn, in pages of thirty. */
const MOST_DRAWN = 240

describe('a long list in a browser', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let api: ApiUnderTest
  let owner: Owner
  let visitor: Visitor

  before(async () => {
    api = await openApi({}, 'real', { web: await builtDashboard() })
    owner = new Owner(api)
    await owner.change('/api/account', { language: 'vi' })
    await owner.payMany(ROWS)
    visitor = await Visitor.open(api.url)
    await visitor.newPage()
    await visitor.enter('/transactions')
    await visitor.page.locator('.rail > .foot .live', { hasText: 'Trực tiếp' }).waitFor()
  })
  after(async () => {
    await visitor?.close()
    await api?.close()
  })

  /** The ids that the page shows, in its order. */
  const drawn = (): Promise<number[]> =>
    visitor.page.evaluate(
      `[...document.querySelectorAll('.ledger tbody a')].map((link) => Number(link.pathname.split('/').pop()))`,
    )
  const inView = (): Promise<number> =>
    visitor.page.evaluate(`[...document.querySelectorAll('.ledger tbody a')].filter((link) => {
      const { top, bottom } = link.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    }).length`)
  /** @returns all ids of the API, the newest first */
  const listed = async (): Promise<number[]> => {
    const ids: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `/api/transactions${cursor ? `?cursor=${cursor}` : ''}`
      const { body } = await api.ask('GET', path, { key: api.owner.api_key })
      ids.push(...(body.data as { id: number }[]).map(({ id }) => id))
      cursor = body.next_cursor as string | null
    }
    return ids
  }
  const isRunOf = (some: readonly number[], all: readonly number[]): boolean =>
    all.slice(all.indexOf(some[0]!)).slice(0, some.length).join() === some.join()

  it('draws only the rows near the visible part, in order and without a gap, down to the last row', async () => {
    const all = await listed()
    expect(all).to.have.length(ROWS)
    const seen = new Set<number>()
    let rows = await drawn()
    while (rows.at(-1) !== all.at(-1)) {
      const last = rows.at(-1)
      expect(rows.length).to.be.within(1, MOST_DRAWN)
      expect(isRunOf(rows, all), 'the rows follow each other').to.equal(true)
      for (const id of rows) seen.add(id)
      await visitor.page.mouse.wheel(0, 1_500)
      await eventually(async () => (rows = await drawn()).at(-1) !== last || (await inView()) > 0)
    }
    for (const id of rows) seen.add(id)
    expect(seen.size).to.equal(ROWS)
  })

  it('is at the same place on the way back from a transaction', async () => {
    const { page } = visitor
    await page.mouse.wheel(0, -3_000)
    await eventually(() => page.evaluate('scrollY < document.documentElement.scrollHeight - innerHeight - 2_900'))
    const placeOf = (path: string): Promise<number> =>
      page.evaluate(`Math.round(document.querySelector('a[href="${path}"]')?.getBoundingClientRect().top ?? NaN)`)
    const path: string = await eventually(() =>
      page.evaluate(`[...document.querySelectorAll('.ledger tbody a')]
        .find((link) => link.getBoundingClientRect().top > 200)?.pathname`),
    )
    const before = await placeOf(path)
    await page.locator(`a[href="${path}"]`).click()
    await page.locator('.timeline').waitFor()
    await page.goBack()
    let after = NaN
    await eventually(async () => Math.abs((after = await placeOf(path)) - before) < 3).catch(() =>
      expect(after).to.equal(before),
    )
  })

  it('says how many payments have arrived above, and goes there', async () => {
    const id = await owner.pay({ order_id: 'DH9001' })
    await visitor.page.getByRole('button', { name: '1 giao dịch mới' }).click()
    await visitor.page.getByRole('link', { name: 'DH9001' }).waitFor()
    await eventually(async () => (await drawn())[0] === id)
    await visitor.page.getByRole('button', { name: '1 giao dịch mới' }).waitFor({ state: 'detached' })
  })

  it('stays as it is a little below its top while more than a page of payments arrives, and is kept current there', async () => {
    await visitor.page.mouse.wheel(0, 300)
    await eventually(async () => Number(await visitor.page.evaluate('scrollY')) > 250)
    const before = await drawn()
    const [newest, deleted, changed] = before
    for (let number = 0; number < 31; number++) await owner.pay({})
    await visitor.page.getByRole('button', { name: '31 giao dịch mới' }).waitFor()
    expect((await drawn()).slice(0, 30)).to.deep.equal(before.slice(0, 30))
    await api.ask('DELETE', `/api/transactions/${deleted}`, { key: api.owner.api_key })
    await api.happened(api.owner.user_id, changed!, [statusChanged(changed!, 'pending', 'failed')])
    await visitor.page.locator(`tr:has([href="/transactions/${changed}"])`, { hasText: 'Lỗi' }).waitFor()
    await eventually(async () => (await drawn()).slice(0, 2).join() === `${newest},${changed}`)
    await visitor.page.getByRole('button', { name: '31 giao dịch mới' }).click()
    const all = await listed()
    await eventually(async () => (await drawn())[0] === all[0] && isRunOf(await drawn(), all))
  })

  it('has every row once while payments arrive and vanish', async () => {
    await visitor.page.mouse.wheel(0, 1_400)
    for (let round = 0; round < 3; round++) {
      await owner.pay({ order_id: `DH910${round}` })
      const [, second] = await drawn()
      await api.ask('DELETE', `/api/transactions/${second}`, { key: api.owner.api_key })
    }
    const all = await listed()
    await eventually(async () => isRunOf(await drawn(), all), { what: 'the rows of the API' })
    await visitor.page.evaluate('scrollTo(0, 0)')
    await eventually(async () => {
      const rows = await drawn()
      return rows[0] === all[0] && isRunOf(rows, all)
    })
    expect(visitor.complaints).to.deep.equal([])
  })

  it('keeps the row with the focus', async () => {
    const first = visitor.page.locator('.ledger tbody a').first()
    await first.focus()
    await visitor.page.mouse.wheel(0, 6_000)
    await eventually(async () => (await inView()) > 0)
    expect(await visitor.page.evaluate('document.activeElement.tagName')).to.equal('A')
  })
})
