/** The narrowest phone, with the longest amounts, names, addresses and ids that are allowed. */
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { eventually } from '../../../harness/eventually.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const NARROW = { width: 360, height: 740 }
const WIDEST = 'W'.repeat(100)
const AMOUNT = '999999999999999.00'

/** Runs in the page. Texts that are covered by others, and whether the page is wider than the window. */
export const OVERLAPS = `(() => {
  const drawn = []
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode: text } = texts
    if (!text.data.trim() || !text.parentElement.checkVisibility()) continue
    if (text.parentElement.closest('.hidden-text, thead, select, pre, .clamped')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    for (const box of range.getClientRects()) drawn.push({ text, box })
  }
  const over = drawn.flatMap(({ text, box }, index) => drawn.slice(index + 1).flatMap((other) => {
    if (text === other.text) return []
    const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left)
    const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)
    return width > 3 && height > 6 ? [text.data + ' and ' + other.text.data] : []
  }))
  const { scrollWidth } = document.documentElement
  return scrollWidth > innerWidth ? [...over, 'the page is ' + scrollWidth + ' wide'] : over
})()`

/** Runs in the page. @returns what has the focus, if the bar covers a part of it */
const BEHIND_BAR = `(() => {
  const { activeElement } = document
  const bar = document.querySelector('.rail')
  const isBehind = activeElement.getBoundingClientRect().bottom > bar.getBoundingClientRect().top
  return isBehind && activeElement !== document.body && !bar.contains(activeElement) ? activeElement.outerHTML.slice(0, 100) : null
})()`

export const narrow = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows the longest amounts, names, addresses and order ids on a phone of 360 pixels', async () => {
    const { page } = visitor()
    const longest = {
      name: WIDEST,
      url: `https://${'a'.repeat(60)}.example/${'p'.repeat(1_900)}`,
      min_amount: Number.MAX_SAFE_INTEGER,
      max_per_minute: 1_000_000,
      filter_banks: Array.from({ length: 30 }, (_, index) => `BANK${String(index).padStart(16, '0')}`),
    }
    const rule = await owner().make('/api/webhooks', longest)
    const { id: device } = await owner().make('/api/devices', { name: WIDEST })
    const given = { amount: AMOUNT, counterpart_name: WIDEST, transaction_ref: WIDEST, balance_after: `-${AMOUNT}` }
    for (const order_id of ['DH', 'HS', 'DH']) await owner().pay({ ...given, order_id: order_id + '9'.repeat(30) })
    const paid = await owner().pay({ ...given, order_id: 'DH1', currency: 'USD', amount: '999999999999999.99' })
    const { url } = await owner().make<{ url: string }>('/api/counter')
    await visitor().enter('/')
    await page.setViewportSize(NARROW)
    for (const [path, ready] of [
      ['/', '.ledger'],
      ['/transactions', '.ledger'],
      [`/transactions/${paid}`, '.timeline'],
      ['/undelivered', '.lines'],
      ['/webhooks', '.ledger .right'],
      [`/webhooks/${rule.id}`, '.pairs'],
      [`/webhooks/${rule.id}/edit`, '.preview pre'],
      ['/sources', '.lines'],
      ['/settings', '.lines'],
      ['/settings/plan', '.lines'],
      [new URL(url).pathname, '.latest'],
    ] as const) {
      await (path.startsWith('/counter') ? visitor().go(path) : visitor().open(path))
      await page.locator(ready).first().waitFor()
      for (const summary of await page.locator('main summary').all()) await summary.click()
      expect(await page.evaluate(OVERLAPS), path).to.deep.equal([])
    }
    await page.locator('.sum', { hasText: '+999.999.999.999.999,99' }).waitFor()
    await owner().api.ask('DELETE', `/api/webhooks/${rule.id}`, { key: owner().api.owner.api_key })
    await owner().api.ask('DELETE', `/api/devices/${device}`, { key: owner().api.owner.api_key })
  })

  it('gives the button of the filters a row of its own, and both days one row, on a phone', async () => {
    const { page } = visitor()
    const rowOf = async (field: Locator) => {
      const { y, height } = (await field.boundingBox())!
      return y + height
    }
    await visitor().enter('/')
    await page.setViewportSize(NARROW)
    for (const path of ['/transactions', '/undelivered']) {
      await visitor().open(path)
      const button = page.locator('.fold')
      await button.click()
      const fields = await page.locator('.filters > .fold ~ * :is(input, select)').all()
      expect(fields.length, path).to.be.at.least(5)
      const rows = await Promise.all(fields.map(rowOf))
      expect(rows, path).to.not.include(await rowOf(button))
      expect(await rowOf(page.getByLabel('Từ ngày')), path).to.equal(await rowOf(page.getByLabel('Đến ngày')))
    }
  })

  it('shows the result of an act in sight on a phone, and not behind the bar', async () => {
    const { page } = visitor()
    const rule = await owner().make('/api/webhooks', { name: 'Nowhere', url: 'https://127.0.0.1:1/hook' })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const notice = (text: string) => page.locator('.notice', { hasText: text }).last()
    const acts: [path: string, act: () => Promise<void>, result: Locator][] = [
      [
        '/settings',
        async () => {
          await page.getByLabel('Tên khóa').fill('Sổ sách')
          await press('Tạo khóa')
        },
        notice('Đây là khóa mới.'),
      ],
      [
        '/sources',
        async () => {
          await press('Thêm hộp thư')
          await page.getByLabel('Nhà cung cấp').selectOption('')
          await page.getByLabel('Địa chỉ email').fill('narrow@example.com')
          await page.getByLabel('Mật khẩu ứng dụng').fill('abcd efgh')
          await page.getByLabel('Máy chủ IMAP').fill('127.0.0.1')
          await page.getByLabel('Cổng', { exact: true }).fill('1')
          await press('Lưu và thử')
        },
        notice('Không đọc được hộp thư.'),
      ],
      [`/webhooks/${rule.id}`, () => press('Gửi webhook thử'), notice('Máy chủ từ chối kết nối')],
      ['/settings', () => page.getByLabel('Gửi thêm tới địa chỉ này').press('Enter'), notice('Đã lưu.')],
      ['/try', () => press('Thử'), page.getByText('Thời gian', { exact: true })],
      [
        '/exports',
        async () => {
          const made = page.locator('.copyable code', { hasText: 'curl' })
          await page.getByLabel('Tên khóa').fill('Kế toán')
          await press('Tạo khóa chỉ đọc')
          const first = await made.innerText()
          await page.getByLabel('Tên khóa').fill('Kiểm toán')
          await press('Tạo khóa chỉ đọc')
          await eventually(async () => (await made.innerText()) !== first)
        },
        notice('Đây là khóa mới.'),
      ],
      [
        '/settings',
        async () => {
          await page.route('**/trusted-senders', (route) => route.fulfill({ status: 500 }))
          await page.getByLabel('Tên người gửi SMS').fill('ACB')
          await page.keyboard.press('Enter')
        },
        notice('Máy chủ gặp lỗi.'),
      ],
    ]
    await visitor().enter('/')
    await page.setViewportSize(NARROW)
    for (const [path, act, result] of acts) {
      await visitor().open(path)
      await page.locator('main h1').waitFor()
      await eventually(async () => (await page.locator('main').getByText('Đang tải…').count()) === 0)
      await act()
      await result.waitFor()
      await eventually(
        async () => {
          const [box, bar] = [(await result.boundingBox())!, (await page.locator('.rail').boundingBox())!]
          expect(box.y).to.be.at.least(0)
          expect(box.y + box.height).to.be.at.most(bar.y)
          return true
        },
        { what: `the result of ${path} in sight` },
      )
    }
    visitor().forgive(500)
    const key = owner().api.owner.api_key
    await owner().api.ask('DELETE', `/api/webhooks/${rule.id}`, { key })
    for (const { id } of await owner().list<{ id: number }[]>('/api/mail-accounts'))
      await owner().api.ask('DELETE', `/api/mail-accounts/${id}`, { key })
    for (const { id, name } of await owner().list<{ id: number; name: string }[]>('/api/account/api-keys'))
      if (name === 'Sổ sách') await owner().api.ask('DELETE', `/api/account/api-keys/${id}`, { key })
  })

  it('shows what has the focus above the bar of a phone', async () => {
    const { page } = visitor()
    await visitor().open('/settings')
    await page.getByLabel('Tên người gửi SMS').waitFor()
    await page.setViewportSize(NARROW)
    await page.getByLabel('Tên khóa').focus()
    for (let stops = 0; stops < 30; stops++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate(BEHIND_BAR)).to.equal(null)
    }
  })

  it('opens the part of a screen that a link names, and puts the keyboard there', async () => {
    const { page } = visitor()
    const given = { order_id: 'QQ78', prefix: null, account_number: '778', webhook_status: 'no_match' } as const
    const unmatched = await owner().pay(given)
    await visitor().enter('/')
    await page.setViewportSize(NARROW)
    for (const [from, link, part] of [
      [`/transactions/${unmatched}`, 'Xem các cửa hàng', 'Cửa hàng và mã đơn'],
      ['/unread?status=ignored', 'Cách cài ứng dụng chuyển tiếp', 'Cài ứng dụng chuyển tiếp'],
    ] as const) {
      await visitor().open(from)
      await page.getByRole('link', { name: link }).first().click()
      const heading = page.getByRole('heading', { name: part })
      await heading.and(page.locator(':focus')).waitFor()
      const { y } = (await heading.boundingBox())!
      expect(y, part).to.be.within(0, NARROW.height / 2)
    }
    // After a reload too, such as one for a login in between.
    await visitor().go('/settings#senders')
    const senders = page.getByRole('heading', { name: 'Người gửi tin cậy' })
    await senders.and(page.locator(':focus')).waitFor()
    expect((await senders.boundingBox())!.y).to.be.within(0, NARROW.height)
  })

  it('opens the page of a row by a tap anywhere on it', async () => {
    const { page } = visitor()
    const id = await owner().pay({ order_id: 'DH4321' })
    await visitor().enter('/transactions')
    await page.setViewportSize(NARROW)
    for (const [path, name, part, target] of [
      ['/transactions', 'DH4321', '.amount', `/transactions/${id}`],
      ['/webhooks', 'shop.example', '.calls', `/webhooks/${owner().ruleId}`],
    ] as const) {
      await visitor().open(path)
      const { x, y, width, height } = (await page
        .getByRole('row')
        .filter({ hasText: name })
        .first()
        .locator(part)
        .boundingBox())!
      await page.mouse.click(x + width / 2, y + height / 2)
      await page.waitForURL(`**${target}`)
    }
  })

  it('prints dark ink on paper, without the rail, also from a dark screen', async () => {
    const { page } = visitor()
    await visitor().enter('/transactions')
    await page.locator('.ledger').waitFor()
    await page.locator('.rail select').last().selectOption('dark')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.evaluate('getComputedStyle(document.querySelector("td")).color')).to.equal('rgb(28, 27, 24)')
    expect(await page.locator('.rail').isVisible()).to.equal(false)
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
    await page.locator('.rail select').last().selectOption('system')
  })

  it('shows that a balance is below zero', async () => {
    const { page } = visitor()
    const id = await owner().pay({ order_id: 'DH8', balance_after: '-93785984.00' })
    await visitor().enter(`/transactions/${id}`)
    await page.getByRole('button', { name: 'Hiện tin gốc' }).click()
    await page.locator('dd', { hasText: '\u221293.785.984' }).waitFor()
  })
}
