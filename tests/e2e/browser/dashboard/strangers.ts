/** Texts of strangers in places that the usual owner has not: names of devices and mailboxes, alerts, answers of servers, addresses of pages. */
import { expect } from 'chai'
import { HOSTILE, type Visitor } from '../../../harness/dashboard/visitor.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'

export const strangers = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows hostile names of devices and mailboxes, alerts, answers and addresses as text', async () => {
    const { api } = owner()
    const { user_id } = api.owner
    const name = process.env.SCREENSHOTS ? 'Cửa hàng Hoa Sen' : HOSTILE
    const account = (await api.accounts.find(user_id))!
    const device = await owner().make('/api/devices', { name })
    const fields = { email: 'box@example.com', host: '127.0.0.1', port: 1, password: 'x', folder: name }
    const mailbox = await owner().make('/api/mail-accounts', fields)
    const mail_account_id = mailbox.id
    await api.decree(user_id, { type: 'MailAccountPaused', data: { user_id, mail_account_id, reason: name } })
    const { password_hash, token_version } = account
    await api.decree(user_id, {
      type: 'RegistrationReplaced',
      data: { user_id, name, password_hash: password_hash!, token_version, at: new Date().toISOString() },
    })
    const answered = await owner().pay({ order_id: 'DH6666', webhook_status: 'pending', rules: [owner().ruleId] })
    await owner().failed(answered, null, `${name}</pre><script>document.title = 1</script>`)

    const { page } = visitor()
    const encoded = encodeURIComponent(name)
    for (const [screen, path, ready] of [
      ['strangers-today', '/', '.lines h3'],
      ['strangers-sources', '/sources', '.lines .notice, .lines h3'],
      ['strangers-settings', '/settings', '.pairs'],
      ['strangers-answer', `/transactions/${answered}`, '.attempt'],
      ['strangers-webhook', `/webhooks/${owner().ruleId}`, '.lines'],
      ['strangers-filter', `/transactions?search=${encoded}&bank_code=${encoded}`, '.filters'],
      ['strangers-address', `/nowhere/${encoded}`, 'h1'],
    ] as const) {
      await visitor().open(path)
      await page.locator(ready).first().waitFor()
      for (const summary of await page.locator('.attempt summary').all()) await summary.click()
      await visitor().inspect(screen)
      visitor().forgive(400)
    }
    expect(await page.title()).to.match(/ · Baoco$/)
    await api.ask('DELETE', `/api/devices/${device.id}`, { key: api.owner.api_key })
    await api.ask('DELETE', `/api/mail-accounts/${mailbox.id}`, { key: api.owner.api_key })
  })
}
