/** A half-written form is not lost by a tap on something else: its owner is asked first. */
import { expect } from 'chai'
import type { Dialog } from 'playwright-core'
import { eventually } from '../../../harness/eventually.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const halfWritten = (visitor: () => Visitor, owner: () => Owner): void => {
  const question = () => visitor().page.getByRole('dialog', { name: 'Bỏ phần chưa lưu?' })
  const path = () => new URL(visitor().page.url()).pathname
  const name = () => visitor().page.getByLabel('Tên', { exact: true })
  const answer = async (button: 'Viết tiếp' | 'Bỏ phần chưa lưu'): Promise<void> => {
    await question().getByRole('button', { name: button }).click()
    await question().waitFor({ state: 'detached' })
  }
  const back = () => visitor().page.evaluate('history.back()')

  it('asks before a link, the search, the log-out or Back leaves it, and keeps it if its owner wants to', async () => {
    const { page } = visitor()
    await visitor().enter('/webhooks')
    await page.getByRole('link', { name: 'Thêm webhook' }).click()
    await name().fill('Viết dở')
    const toSettings = page.locator('.rail nav > a[href="/settings"]')
    const search = async (): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill('xuất dữ')
      await page.keyboard.press('Enter')
    }
    const logOut = page.locator('.rail > .foot').getByRole('button', { name: 'Đăng xuất' })
    for (const leave of [() => toSettings.click(), search, () => logOut.click(), back, back]) {
      await leave()
      await question().waitFor()
      if (leave === search) await visitor().inspect('leave-question')
      await answer('Viết tiếp')
      expect([path(), await name().inputValue()]).to.deep.equal(['/webhooks/new', 'Viết dở'])
    }
    // Back answers the question too.
    await toSettings.click()
    await question().waitFor()
    await back()
    await question().waitFor({ state: 'detached' })
    expect(await name().inputValue()).to.equal('Viết dở')
    await back()
    await answer('Bỏ phần chưa lưu')
    await page.getByRole('link', { name: 'Thêm webhook' }).waitFor()
    expect(path()).to.equal('/webhooks')
    await page.getByRole('link', { name: 'Thêm webhook' }).click()
    await name().fill('Viết dở')
    await toSettings.click()
    await answer('Bỏ phần chưa lưu')
    await page.getByRole('heading', { name: 'Cài đặt' }).waitFor()
  })

  it('asks before a long press on Back leads over several screens', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    const rail = page.locator('.rail nav')
    await rail.locator('> a[href="/transactions"]').click()
    await page.locator('.ledger').waitFor()
    await rail.locator('> a[href="/webhooks"]').click()
    await page.getByRole('link', { name: 'Thêm webhook' }).click()
    await name().fill('Viết dở')
    const toSettings = (entries: number) => page.evaluate(`history.go(-${entries})`)
    // Over the form's own entry, the webhooks and the transactions.
    await toSettings(4)
    await answer('Viết tiếp')
    expect([path(), await name().inputValue()]).to.deep.equal(['/webhooks/new', 'Viết dở'])
    await back()
    await answer('Viết tiếp')
    expect([path(), await name().inputValue()]).to.deep.equal(['/webhooks/new', 'Viết dở'])
    await toSettings(2)
    await answer('Bỏ phần chưa lưu')
    await page.getByRole('heading', { name: 'Cài đặt' }).waitFor()
    expect(path()).to.equal('/settings')
  })

  it('lets the browser ask before a reload', async () => {
    const { page } = visitor()
    await visitor().enter('/webhooks/new')
    await name().fill('Viết dở')
    const asked: string[] = []
    const dismiss = (dialog: Dialog): void => {
      asked.push(dialog.type())
      void dialog.dismiss()
    }
    page.on('dialog', dismiss)
    try {
      await page.evaluate('location.reload()')
      await eventually(() => asked.length === 1)
      expect(asked).to.deep.equal(['beforeunload'])
      expect(await name().inputValue()).to.equal('Viết dở')
      await name().fill('')
      await page.reload()
      expect(asked).to.have.lengthOf(1)
    } finally {
      page.off('dialog', dismiss)
    }
  })

  it('asks nothing if nothing would be lost', async () => {
    const { page } = visitor()
    const made = await owner().make('/api/webhooks', { name: 'Để sửa', url: 'https://sua.example/' })
    await visitor().enter('/webhooks/new')
    await name().fill('Viết dở')
    await page.getByRole('link', { name: 'Hủy' }).click()
    await page.getByRole('link', { name: 'Thêm webhook' }).waitFor()
    await visitor().open(`/webhooks/${made.id}/edit`)
    await name().fill('Đã sửa')
    await name().fill('Để sửa')
    await page.locator('.rail nav > a[href="/settings"]').click()
    await page.getByLabel('Gửi thêm tới địa chỉ này').fill('https://alerts.example/')
    await page.getByRole('button', { name: 'Lưu', exact: true }).click()
    await page.getByText('Đã lưu.').first().waitFor()
    await page.locator('.rail nav > a[href="/webhooks"]').click()
    await page.getByRole('link', { name: 'Để sửa' }).click()
    await page.getByRole('link', { name: 'Sửa', exact: true }).click()
    await name().fill('Đã sửa')
    await page.getByRole('button', { name: 'Lưu' }).click()
    await page.getByRole('heading', { name: 'Đã sửa' }).waitFor()
    await page.locator('.rail nav > a[href="/transactions"]').click()
    await page.locator('.ledger').waitFor()
    // The link says what it discards.
    await visitor().open('/webhooks/new')
    await name().fill('Viết dở')
    await page.getByLabel('Địa chỉ nhận').fill('https://do.example/')
    const add = page.getByRole('button', { name: 'Thêm webhook' })
    await add.waitFor()
    await page.context().clearCookies()
    // A click could fail: the page may request something by itself, and then the login already covers the button.
    await add.dispatchEvent('click')
    await page.getByRole('link', { name: 'Bỏ nội dung đã nhập' }).click()
    await page.waitForURL('**/login')
    await visitor().enter('/')
    await owner().api.ask('DELETE', `/api/webhooks/${made.id}`, { key: owner().api.owner.api_key })
    await owner().change('/api/account/alerts', { webhook_url: null })
  })

  it('asks before Escape or Back closes a dialog in which a form is half-written', async () => {
    const { page } = visitor()
    await visitor().enter('/settings')
    await page.getByRole('button', { name: 'Thêm cửa hàng' }).click()
    const shop = page.getByRole('dialog', { name: 'Thêm cửa hàng' })
    await shop.getByLabel('Tên cửa hàng').fill('Viết dở')
    for (const close of [() => page.keyboard.press('Escape'), back]) {
      await close()
      await answer('Viết tiếp')
      expect(await shop.getByLabel('Tên cửa hàng').inputValue()).to.equal('Viết dở')
    }
    await page.keyboard.press('Escape')
    await answer('Bỏ phần chưa lưu')
    await shop.waitFor({ state: 'detached' })
    await page.locator('.rail nav > a[href="/webhooks"]').click()
    await page.getByRole('link', { name: 'Thêm webhook' }).waitFor()
  })
}
