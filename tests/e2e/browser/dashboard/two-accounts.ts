/** Two people use one browser, each in a tab. The cookie belongs to the browser, so the later login counts in all tabs. */
import { expect } from 'chai'
import { captured } from '../../../integration/http/captured.ts'
import { OWNERS_PASSWORD } from '../../../integration/http/api-under-test.ts'
import { WITHIN } from '../../../harness/dashboard/visitor.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const twoAccounts = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows in each tab the account that is logged in now, and its payments as they arrive', async () => {
    const { api } = owner()
    const { page, url } = visitor()
    const email = 'second-tab@example.com'
    const { user_id, api_key: key } = await api.newAccount(email, 'Pro')
    await api.ask('PUT', '/api/account', { key, json: { language: 'vi' } })
    const pay = async (order_id: string) => {
      const id = await api.nextId()
      await api.happened(user_id, id, [captured(user_id, id, { order_id, transaction_date: new Date().toISOString() })])
    }
    await visitor().enter('/transactions')
    const whose = page.locator('.rail > .foot .muted')
    await page.locator('.rail > .foot .live', { hasText: 'trực tiếp' }).waitFor()
    expect(await whose.innerText()).to.equal('owner@baoco.local')
    const other = await page.context().newPage()
    try {
      await other.goto(`${url}/login?next=/transactions`)
      await other.locator('input[type=email]').fill(email)
      await other.locator('input[type=password]').fill(OWNERS_PASSWORD)
      await other.keyboard.press('Enter')
      await other.locator('.shell').waitFor()
      // The first tab now shows the second account, and acts for it.
      await whose.filter({ hasText: email }).waitFor({ timeout: WITHIN / 4 })
      await pay('SECOND1')
      for (const each of [page, other]) await each.getByText('SECOND1').waitFor({ timeout: WITHIN / 4 })
    } finally {
      await other.close()
      await visitor().enter('/')
    }
  })
}
