/** What the operator finds on their own screen. */
import { expect } from 'chai'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

/** Ids above those of real accounts. */
const FIRST_ID = 1_000_000

export const operator = (visitor: () => Visitor, owner: () => Owner): void => {
  const sql = (text: string) => owner().api.database.query<{ number: number }>(text)
  /** The projector of the process that runs does not touch them. */
  const haveAccounts = async (total: number): Promise<void> => {
    await sql(`DELETE FROM read_model.account WHERE user_id > ${FIRST_ID}`)
    await sql(`INSERT INTO read_model.account (user_id, email, locked, operator, plan, revision)
      SELECT ${FIRST_ID} + n, 'page' || n || '@example.com', false, false, 'Free', 0
      FROM generate_series(1, ${total} - (SELECT count(*)::int FROM read_model.account)) n`)
  }

  it('shows a hundred accounts, and the others by a button that is there only for them', async () => {
    const { page } = visitor()
    const rows = page.locator('section', { hasText: 'Tài khoản' }).locator('.ledger tbody tr')
    const more = page.getByRole('button', { name: 'Xem thêm', exact: true })
    await haveAccounts(100)
    await visitor().enter('/operator')
    await page.getByText('100 tài khoản').waitFor()
    expect(await rows.count()).to.equal(100)
    expect(await more.count()).to.equal(0)
    await haveAccounts(101)
    await visitor().go('/operator')
    await more.click()
    await rows.nth(100).waitFor()
    await more.waitFor({ state: 'detached' })
    await haveAccounts(0)
  })
}
