import { expect } from 'chai'
import { alertLink } from '../../../../web/app/alert-link.ts'

describe('the link of an alert', () => {
  const linkOf = (kind: string, subject = '') => alertLink({ kind, subject })

  it('leads to the screen where the owner can act, if there is one', () => {
    expect(linkOf('rule_paused', 'rule:1012')).to.deep.equal({ screen: 'webhook', path: '/webhooks/1012' })
    expect(linkOf('mailbox_failing', 'mail_account:3')).to.deep.equal({ screen: 'sources', path: '/sources#mailboxes' })
    expect(linkOf('source_silent', 'device:3')?.path).to.equal('/sources#phones')
    expect(linkOf('source_silent', 'receive_url')?.path).to.equal('/sources')
    expect(linkOf('endpoint_failing')?.path).to.equal('/undelivered')
    expect(linkOf('quota_80')?.path).to.equal('/settings/plan')
    expect(linkOf('contradicting_copy', 'transaction:1012')).to.deep.equal({
      screen: 'transaction',
      path: '/transactions/1012',
    })
    expect(linkOf('old_notification', 'transaction:7')?.path).to.equal('/transactions/7')
    expect(linkOf('old_notification', 'device:7')).to.deep.equal({
      screen: 'unmatched',
      path: '/transactions?webhook_status=no_match',
    })
    expect(linkOf('disk_low')).to.equal(null)
  })
})
