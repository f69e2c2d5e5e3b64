/** A login ends while somebody is at work: what they have typed stays, and nothing of it is stored. */
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { captured } from '../../../integration/http/captured.ts'
import { OWNERS_PASSWORD } from '../../../integration/http/api-under-test.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

const TEMPLATE = '{"order": "{{order_id}}", "shop": "Hoa Sen"}'
const STORED = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])'

export const loginEnded = (visitor: () => Visitor, owner: () => Owner): void => {
  const again = () => visitor().page.getByRole('dialog', { name: 'Hãy đăng nhập lại' })
  const logInAgain = async (password = OWNERS_PASSWORD): Promise<void> => {
    await again().getByLabel('Mật khẩu').fill(password)
    await visitor().page.keyboard.press('Enter')
  }
  /** The server no longer knows the cookie. */
  const end = () => visitor().page.context().clearCookies()
  /** Also if the dialog already covers the button, because the page has asked the server for something else since. */
  const click = (button: Locator): Promise<void> => button.dispatchEvent('click')

  it('keeps what was typed when the login ends in the middle of a form', async () => {
    const { page } = visitor()
    await visitor().enter('/webhooks/new')
    await page.getByLabel('Tên', { exact: true }).fill('Cửa hàng Hoa Mai')
    await page.getByLabel('Địa chỉ nhận').fill('https://hoa-mai.example/hook')
    await page.getByLabel('Nội dung', { exact: true }).selectOption('custom')
    await page.getByLabel('Mẫu JSON').fill(TEMPLATE)
    await end()
    await click(page.getByRole('button', { name: 'Thêm webhook' }))
    await again().waitFor()
    expect(await again().getByLabel('Email').inputValue()).to.equal('owner@baoco.local')
    await visitor().inspect('login-again')
    // A PDF would contain the text that is only covered.
    await page.emulateMedia({ media: 'print' })
    for (const place of [page.getByLabel('Mẫu JSON'), page.locator('h1')])
      expect(await place.isVisible(), 'on paper').to.equal(false)
    expect(await again().isVisible()).to.equal(true)
    await page.emulateMedia({ media: 'screen' })
    // There is no way around the login.
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key)
    await logInAgain('a wrong password')
    await again().getByText('Email hoặc mật khẩu không đúng.').waitFor()
    expect(await page.evaluate(STORED)).to.not.match(/Hoa|hoa-mai|password/)
    await logInAgain()
    await again().waitFor({ state: 'detached' })
    await page.locator('.announcement', { hasText: 'Bạn đã đăng nhập lại.' }).waitFor()
    // At first, both the form and the announcement may say so.
    await page.getByText('Phiên đăng nhập đã hết hạn').first().waitFor({ state: 'detached' })
    expect(await page.getByLabel('Mẫu JSON').inputValue()).to.equal(TEMPLATE)
    await page.getByRole('button', { name: 'Thêm webhook' }).click()
    await page.getByRole('heading', { name: 'Cửa hàng Hoa Mai' }).waitFor()
    const rules = await owner().list<{ id: number; name: string; custom_template: string }[]>('/api/webhooks')
    const made = rules.filter(({ name }) => name === 'Cửa hàng Hoa Mai')
    expect(made.map(({ custom_template }) => custom_template)).to.deep.equal([TEMPLATE])
    await owner().api.ask('DELETE', `/api/webhooks/${made[0]!.id}`, { key: owner().api.owner.api_key })
  })

  it('keeps the form in a dialog too, and continues to follow payments afterwards', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.getByRole('button', { name: 'Thêm cửa hàng' }).click()
    const form = page.getByRole('dialog', { name: 'Thêm cửa hàng' })
    await form.getByLabel('Tên cửa hàng').fill('Tiệm bánh')
    await form.getByLabel('Tiền tố mã đơn').fill('TB')
    await end()
    await click(form.getByRole('button', { name: 'Lưu' }))
    await logInAgain()
    await again().waitFor({ state: 'detached' })
    expect(await form.getByLabel('Tên cửa hàng').inputValue()).to.equal('Tiệm bánh')
    await form.getByRole('button', { name: 'Lưu' }).click()
    await page.getByText('Mã đơn: TB và phần sau').waitFor()
    const systems = await owner().list<{ id: number; payment_prefix: string }[]>('/api/systems')
    const { id } = systems.find(({ payment_prefix }) => payment_prefix === 'TB')!
    await owner().api.ask('DELETE', `/api/systems/${id}`, { key: owner().api.owner.api_key })
    await page.locator('.rail nav > a[href="/transactions"]').click()
    await owner().pay({ order_id: 'AGAIN1' })
    await page.getByText('AGAIN1').waitFor()
  })

  it('shows nothing of one account after another one has logged in in the same browser', async () => {
    const { page } = visitor()
    const { api } = owner()
    const email = 'logs-in-there@example.com'
    const { user_id, api_key: key } = await api.newAccount(email, 'Pro')
    await api.ask('PUT', '/api/account', { key, json: { language: 'vi' } })
    const id = await api.nextId()
    await api.happened(user_id, id, [captured(user_id, id, { order_id: 'OTHER1' })])
    await visitor().enter('/try')
    await page.getByRole('textbox', { name: /^Tin/ }).fill('Tin của chủ cửa hàng')
    await page.getByLabel('Gửi vào hộp thử của tôi').check()
    await end()
    await click(page.getByRole('button', { name: 'Thử', exact: true }))
    await again().waitFor()
    await again().getByLabel('Email').fill(email)
    await logInAgain()
    await page.locator('.rail > .foot .muted', { hasText: email }).waitFor()
    await again().waitFor({ state: 'detached' })
    expect(await page.getByText('Tin của chủ cửa hàng').count()).to.equal(0)
    await visitor().enter('/')
  })

  it('shows nothing of a page that the browser has kept, if somebody goes back to it after the login has ended', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.getByText('owner@baoco.local').last().waitFor()
    // The browser of the tests keeps no pages.
    const dispatch = (name: string) =>
      page.evaluate(`dispatchEvent(new PageTransitionEvent('${name}', { persisted: true }))`)
    await dispatch('pagehide')
    expect(await page.locator('.shell').isVisible()).to.equal(false)
    await end()
    await dispatch('pageshow')
    await page.waitForURL('**/login?next=*')
    await visitor().enter('/')
  })

  it('ends the login in all tabs, and says so if the server could not end it', async () => {
    const { page, url } = visitor()
    await visitor().enter('/settings')
    const other = await page.context().newPage()
    try {
      await other.goto(`${url}/webhooks/new`)
      await other.getByLabel('Địa chỉ nhận').fill('https://hoa-mai.example/hook')
      await page.route('**/api/session', (route) =>
        route.fulfill({ status: 503, json: { error: 'STORE_UNAVAILABLE' } }),
      )
      await page.getByRole('button', { name: 'Đăng xuất' }).click()
      await page.locator('.announcement', { hasText: 'Kho dữ liệu đang tạm ngưng.' }).waitFor()
      visitor().forgive(503)
      expect(new URL(page.url()).pathname).to.equal('/settings')
      await page.unroute('**/api/session')
      await page.getByRole('button', { name: 'Đăng xuất' }).click()
      await page.waitForURL('**/login')
      await other.waitForURL('**/login?next=*')
    } finally {
      await other.close()
      await visitor().enter('/')
    }
  })
}
