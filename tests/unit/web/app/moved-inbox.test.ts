import { expect } from 'chai'
import { movedInbox } from '../../../../web/app/moved-inbox.ts'

const INBOXES = [{ url: null }, { url: 'https://new.example/inbox/bci_1.aB-9' }]
const presentOf = (url: string) => movedInbox({ url }, INBOXES)

describe('the former address of a test inbox', () => {
  it('leads to the current one with the same token', () => {
    expect(presentOf('https://former.example/inbox/bci_1.aB-9')).to.equal('https://new.example/inbox/bci_1.aB-9')
    expect(presentOf('http://localhost:8080/inbox/bci_1.aB-9')).to.equal('https://new.example/inbox/bci_1.aB-9')
  })
  it('leads to none if it is current, of another inbox, or of a shop', () => {
    for (const url of [
      'https://new.example/inbox/bci_1.aB-9',
      'https://former.example/inbox/bci_1.other',
      'https://shop.example/hook',
      'https://shop.example/inbox/',
    ])
      expect(presentOf(url)).to.equal(null)
  })
})
