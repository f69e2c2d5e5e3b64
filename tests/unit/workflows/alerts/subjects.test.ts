import { expect } from 'chai'
import { bankAccountIn, bankAccountSubject, ruleSubject, sourceSubject } from '../../../../workflows/alerts/subjects.ts'
import { devicePath, keyPath, mailboxPath, URL_PATH } from '../../../../domain/arrival/receive-paths.ts'

describe('the subject of an alert', () => {
  it('names a source as the API does', () => {
    expect([devicePath(7), keyPath(8), mailboxPath(3), URL_PATH].map(sourceSubject)).to.deep.equal([
      'device:7',
      'api_key:8',
      'mail_account:3',
      'receive_url',
    ])
  })

  it('gives back the bank account that it names', () => {
    expect(bankAccountIn(bankAccountSubject(12))).to.equal(12)
    expect(bankAccountIn(ruleSubject(12))).to.equal(null)
  })
})
