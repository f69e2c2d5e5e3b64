/** Addresses whose id is none, or names nothing: the page says so and offers a way back. */
import { expect } from 'chai'
import { eventually } from '../../../harness/eventually.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

const TRANSACTIONS = '← Giao dịch'
const WEBHOOKS = '← Webhook'

export const unknownIds = (visitor: () => Visitor): void => {
  it('says that there is no such page if the id is invalid or unknown, with a way back', async () => {
    const { page } = visitor()
    const says = page.getByRole('heading', { name: 'Không có trang này', level: 1 })
    await visitor().enter('/')
    for (const [path, back] of [
      ['/transactions/abc', TRANSACTIONS],
      ['/transactions/0', TRANSACTIONS],
      ['/transactions/1e1', TRANSACTIONS],
      ['/transactions/-7', TRANSACTIONS],
      ['/transactions/50%', null],
      ['/transactions/99999999999999999999', TRANSACTIONS],
      ['/transactions/999999999', TRANSACTIONS],
      ['/webhooks/abc', WEBHOOKS],
      ['/webhooks/999999999', WEBHOOKS],
      ['/webhooks/abc/edit', WEBHOOKS],
      ['/webhooks/999999999/edit', WEBHOOKS],
    ] as const) {
      await visitor().open(path)
      await says.waitFor()
      await eventually(async () => (await page.title()) === 'Không có trang này · Baoco')
      expect(await page.getByRole('alert').count(), path).to.equal(0)
      await page.getByRole('link', { name: 'Về trang Hôm nay' }).waitFor()
      if (back === null) continue
      await page.getByRole('link', { name: back, exact: true }).click()
      await page.getByRole('heading', { name: back.slice(2), level: 1 }).waitFor()
    }
    // As a bookmark, too.
    for (const path of ['/transactions/50%', '/webhooks/abc']) {
      await visitor().go(path)
      await says.waitFor()
    }
    await visitor().inspect('unknown-id')
  })
}
