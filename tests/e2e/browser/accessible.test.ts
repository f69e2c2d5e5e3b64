/**
 * The dashboard by the keyboard alone, at a zoom of 200 %, and without motion. No action loses the focus, it is always visible, a dialog
 * keeps it and gives it back, and the live region says how each act ended.
 */
import { expect } from 'chai'
import { needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { Owner } from '../../harness/dashboard/owner.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { OWNERS_PASSWORD, openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'
import { screensOf } from './dashboard/screens.ts'

/** More stops than any screen has. */
const MOST_STOPS = 200

interface Stop {
  tag: string
  name: string
  isMarked: boolean
  isInDialog: boolean
}

/** Runs in the page. The element with the focus, by the name that a screen reader says, and whether its place can be seen. */
const STOP = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText ?? ''
  return {
    tag: element.tagName,
    name: name.trim().split('\\n')[0],
    isMarked: outlineStyle !== 'none' && outlineWidth !== '0px',
    isInDialog: element.closest('dialog') !== null,
  }
})()`

/** Runs in the page. Texts that are cut off: they do not fit, and nobody can scroll to the rest. */
const CUT = `[...document.querySelectorAll('body *')].filter((element) => {
  if (!element.checkVisibility() || element.closest('.hidden-text, .clamped, thead, select, svg')) return false
  if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return false
  const { overflowX, overflowY } = getComputedStyle(element)
  const isCut = (overflow, inside, outside) => ['hidden', 'clip'].includes(overflow) && inside > outside + 1
  const { left, right } = element.getBoundingClientRect()
  return isCut(overflowX, element.scrollWidth, element.clientWidth) || isCut(overflowY, element.scrollHeight, element.clientHeight)
    || (!element.closest('pre, .scrolls') && (left < -1 || right > innerWidth + 1))
}).map(({ outerHTML }) => outerHTML.slice(0, 150))`

/** Runs in the page. */
const TEXT_SIZE = 'parseFloat(getComputedStyle(document.querySelector("h1")).fontSize)'

describe('the dashboard for everybody', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let api: ApiUnderTest
  let owner: Owner
  let visitor: Visitor

  before(async () => {
    api = await openApi({}, 'real', { web: await builtDashboard() })
    owner = new Owner(api)
    await owner.openShop('Cửa hàng Hoa Sen')
    visitor = await Visitor.open(api.url)
    await visitor.newPage()
  })
  after(async () => {
    await visitor?.close()
    await api?.close()
  })
  beforeEach(() => visitor.begin())
  afterEach(async () => {
    await visitor.end()
    expect(visitor.complaints).to.deep.equal([])
  })

  const press = (key: string) => visitor.page.keyboard.press(key)
  /** At once, as a keyboard for Vietnamese enters a word. */
  const type = (text: string) => visitor.page.keyboard.insertText(text)
  const stop = (): Promise<Stop> => visitor.page.evaluate(STOP)
  const focused = (what: Partial<Stop>) =>
    eventually(
      async () => {
        const now = await stop()
        expect(now).to.include(what)
        return true
      },
      { what: `the focus on ${JSON.stringify(what)}` },
    )
  /** Goes on by Tab until something with this name has the focus. Every stop can be seen. */
  const tabTo = async (name: string | RegExp, key = 'Tab'): Promise<void> => {
    const passed: string[] = []
    for (let stops = 0; stops < MOST_STOPS; stops++) {
      await press(key)
      const at = await stop()
      // A heading takes the focus when its screen opens. It is no stop.
      if (!['BODY', 'H1'].includes(at.tag))
        expect(at.isMarked, `the focus on ${at.tag} ${at.name} can be seen`).to.equal(true)
      if (typeof name === 'string' ? at.name === name : name.test(at.name)) return
      passed.push(at.name)
    }
    throw new Error(`no ${String(name)} among ${passed.join(' | ')}`)
  }
  const activate = async (name: string | RegExp, key = 'Enter'): Promise<void> => {
    await tabTo(name)
    await press(key)
  }
  const hear = (text: string | RegExp) =>
    visitor.page.locator('[role=status]', { hasText: text }).first().waitFor({ state: 'attached' })
  /** The screen is at rest, and the focus is somewhere. */
  const keepsFocus = async (): Promise<void> => {
    const isAtRest = '!document.querySelector("button:disabled, input:disabled")'
    await eventually(async () => (await visitor.page.evaluate(isAtRest)) && (await stop()).tag !== 'BODY', {
      what: 'a focus that is not lost',
    })
  }

  it('logs in, finds a payment and sends it again by the keyboard alone', async () => {
    await visitor.go('/login')
    await focused({ tag: 'H1', name: 'Đăng nhập' })
    await tabTo('Email')
    await type('owner@baoco.local')
    await tabTo('Mật khẩu')
    await type(OWNERS_PASSWORD)
    await press('Enter')
    await focused({ tag: 'H1', name: 'Hôm nay' })
    await tabTo('Đến nội dung', 'Shift+Tab')
    await press('Enter')
    await focused({ tag: 'MAIN' })
    await activate('Xem tất cả')
    await focused({ tag: 'H1', name: 'Giao dịch' })
    await visitor.page.locator('.ledger').waitFor()
    await activate('DH1042')
    await focused({ tag: 'H1', name: `Giao dịch ${owner.failedId}` })
    await visitor.page.locator('.timeline').waitFor()
    await activate('Gửi lại ngay')
    await hear('Đã xếp hàng gửi lại')
    await keepsFocus()
    await hear(`Giao dịch ${owner.failedId}: `)
    await keepsFocus()
  })

  it('keeps the focus in a dialog, and gives it back', async () => {
    await visitor.go(`/transactions/${owner.failedId}`)
    await visitor.page.locator('.timeline').waitFor()
    await activate('Xóa giao dịch')
    await focused({ isInDialog: true })
    for (let stops = 0; stops < 8; stops++) {
      await press(stops % 3 ? 'Tab' : 'Shift+Tab')
      const at = await stop()
      // Between the last and the first stop is the browser's own bar.
      expect(at.isInDialog || at.tag === 'BODY', at.name).to.equal(true)
    }
    await press('Escape')
    await focused({ tag: 'BUTTON', name: 'Xóa giao dịch', isInDialog: false })
    await press('Enter')
    await focused({ isInDialog: true })
    await tabTo('Hủy')
    await press('Enter')
    await focused({ tag: 'BUTTON', name: 'Xóa giao dịch', isInDialog: false })
    const id = await owner.pay({ order_id: 'DH1077' })
    await visitor.go(`/transactions/${id}`)
    await visitor.page.locator('.timeline').waitFor()
    await activate('Xóa giao dịch')
    await focused({ isInDialog: true })
    await tabTo('Xóa giao dịch')
    await press('Enter')
    await hear('Đã xóa giao dịch')
    await focused({ tag: 'H1', name: 'Giao dịch' })
  })

  it('adds a webhook and calls it by the keyboard alone', async () => {
    await visitor.go('/webhooks')
    await focused({ tag: 'H1', name: 'Webhook' })
    await activate('Thêm webhook')
    await focused({ tag: 'H1', name: 'Thêm webhook' })
    await tabTo('Tên')
    await type('Quán cà phê')
    await tabTo('Địa chỉ nhận')
    await type('https://shop.example/ca-phe')
    await tabTo('Nội dung')
    await press('ArrowDown')
    await tabTo('Đang bật')
    await press('Space')
    await press('Space')
    await press('Enter')
    await focused({ tag: 'H1', name: 'Quán cà phê' })
    await hear('Đã thêm webhook')
    await activate('Hiện khóa')
    await visitor.page.locator('.copyable').first().waitFor()
    await keepsFocus()
    await activate('Xóa webhook')
    await tabTo('Xóa webhook')
    await press('Enter')
    await focused({ tag: 'H1', name: 'Webhook' })
  })

  it('confirms a bank account, and adds and removes entries of the settings, by the keyboard alone', async () => {
    await visitor.go('/settings')
    await visitor.page.getByLabel('Tên người gửi SMS').waitFor()
    await focused({ tag: 'H1', name: 'Cài đặt' })
    await activate(/^Đây là tài khoản/)
    await hear('Đã xác nhận')
    await keepsFocus()
    await focused({ tag: 'H3' })

    await visitor.go('/settings')
    await visitor.page.getByLabel('Tên người gửi SMS').waitFor()
    await tabTo('Tên khóa')
    await type('Kế toán')
    await press('Enter')
    await hear('khóa chỉ hiện một lần')
    await keepsFocus()
    await visitor.go('/settings')
    await visitor.page.getByRole('button', { name: 'Xóa khóa Kế toán' }).waitFor()
    await activate('Xóa khóa Kế toán')
    await focused({ isInDialog: true })
    await tabTo('Xóa')
    await press('Enter')
    await hear('Đã xóa khóa')
    await visitor.page.getByRole('button', { name: 'Xóa khóa Kế toán' }).waitFor({ state: 'detached' })
    await eventually(async () => /^H[23]$/.test((await stop()).tag), { what: 'the focus on a heading' })

    await tabTo('Tên người gửi SMS')
    await type('NGAN HANG')
    await press('Enter')
    await hear('Đã lưu')
    await visitor.page.getByRole('button', { name: 'Bỏ NGAN HANG' }).waitFor()
    await keepsFocus()
    await tabTo('Bỏ NGAN HANG', 'Shift+Tab')
    await press('Enter')
    await visitor.page.getByRole('button', { name: 'Bỏ NGAN HANG' }).waitFor({ state: 'detached' })
    await keepsFocus()
    await tabTo(/^Nhận cả tin không ghi người gửi/)
    await press('Space')
    await hear('Đã lưu')
    await keepsFocus()
    await focused({ tag: 'INPUT' })
  })

  it('opens the menu of a phone by the keyboard, and closes it', async () => {
    await visitor.go('/')
    await focused({ tag: 'H1', name: 'Hôm nay' })
    await visitor.page.setViewportSize({ width: 390, height: 844 })
    await activate('Thêm')
    await tabTo('Cài đặt')
    await press('Escape')
    await focused({ tag: 'BUTTON', name: 'Thêm' })
    await press('Enter')
    await activate('Cài đặt')
    await focused({ tag: 'H1', name: 'Cài đặt' })
    await eventually(async () => visitor.page.evaluate('!document.querySelector(":popover-open")'))
  })

  it('shows everything at a zoom of 200 %, on the narrowest screen, and there with text of twice the size', async function () {
    this.timeout(10 * WITHIN)
    const { page } = visitor
    const settings = await page.context().newCDPSession(page)
    /** As somebody sets it in their browser. */
    const setFontSize = (standard: number) =>
      settings.send('Page.setFontSizes', { fontSizes: { standard, fixed: (standard * 13) / 16 } })
    // The screens of what failed send it again.
    owner.failedId = await owner.pay({ order_id: 'DH1042', webhook_status: 'pending', rules: [owner.ruleId] })
    await owner.failed(owner.failedId, null, 'Cửa hàng Hoa Sen')
    for (const [name, path, ready] of screensOf(owner)) {
      // Half of 1440 × 900.
      await page.setViewportSize({ width: 720, height: 450 })
      await visitor.open(path)
      await ready(page)
      const textBefore = await page.evaluate(TEXT_SIZE)
      for (const [width, font] of [
        [720, 16],
        [320, 16],
        [320, 32],
      ] as const) {
        await page.setViewportSize({ width, height: 450 })
        await setFontSize(font)
        const at = `${name}, ${width} pixels wide, font size ${font}`
        const aside = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(aside, `${at}: nothing to scroll aside`).to.be.at.most(0)
        expect(await page.evaluate(CUT), at).to.deep.equal([])
      }
      expect(await page.evaluate(TEXT_SIZE), `${name}: the text follows the browser`).to.equal(2 * Number(textBefore))
      await setFontSize(16)
    }
  })

  it('shows no animation to people who prefer reduced motion', async () => {
    const { page } = visitor
    const moving = `[...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element)
      return transitionDuration.split(', ').some((each) => parseFloat(each) > 0) || animationName !== 'none' || scrollBehavior === 'smooth'
    }).length`
    await visitor.go('/settings')
    await page.getByLabel('Tên người gửi SMS').waitFor()
    expect(await page.evaluate(moving)).to.equal(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await page.evaluate(moving)).to.be.above(0)
  })
})
