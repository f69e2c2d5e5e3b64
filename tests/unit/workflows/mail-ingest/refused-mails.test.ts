/** The memory about mails that a server lists but does not return. */
import { expect } from 'chai'
import { openRefusedMails, type RefusedMails } from '../../../../workflows/mail-ingest/refused-mails.ts'

describe('refused mails', () => {
  const given = (...uids: number[]): RefusedMails => {
    const refused = openRefusedMails(1)
    for (const uid of uids) refused.add(uid, 'no', 0)
    return refused
  }

  it('are given up after five tries, after 15 s, 30 s, 1, 2 and 4 minutes', () => {
    const refused = given(3)
    let now = 0
    for (const pause of [15_000, 30_000, 60_000, 120_000, 240_000]) {
      expect(refused.due(now + pause - 1)).to.equal(null)
      now += pause
      const mail = refused.due(now)!
      expect(refused.isGivenUp(mail)).to.equal(false)
      refused.failed(mail, true, 'no', now)
    }
    expect(refused.isGivenUp(refused.due(now)!)).to.equal(true)
  })

  it('are never given up by tries after which the server returned no mail, which are a minute apart', () => {
    const refused = given(3)
    let now = 15_000
    for (let tries = 0; tries < 10; tries++) {
      const mail = refused.due(now)!
      expect(refused.isGivenUp(mail)).to.equal(false)
      refused.failed(mail, false, 'no', now)
      expect(refused.msUntilDue(now)).to.equal(60_000)
      now += 60_000
    }
  })

  it('are at most 20 until one of them was refused while the server returned another mail', () => {
    const refused = given(...Array.from({ length: 19 }, (_, n) => n + 1))
    expect([refused.isServerUnsure(), refused.isFull(), refused.add(20, 'no', 0)]).to.deep.equal([true, false, true])
    expect([refused.isFull(), refused.add(21, 'no', 0)]).to.deep.equal([true, false])
    refused.failed(refused.due(15_000)!, true, 'no', 15_000)
    expect([refused.isFull(), refused.add(21, 'no', 0)]).to.deep.equal([false, true])
  })

  it('keep the position of their mailbox before the first of them', () => {
    const refused = given(7, 4)
    expect([refused.settledUntil(9), refused.settledUntil(2)]).to.deep.equal([3, 2])
    refused.remove(4)
    expect(refused.settledUntil(9)).to.equal(6)
    refused.clear()
    expect([refused.settledUntil(9), refused.isServerUnsure()]).to.deep.equal([9, false])
  })

  it('all wait a minute after a try that broke the connection', () => {
    const refused = given(3, 4)
    refused.putOff(15_000)
    expect([refused.due(74_999), refused.msUntilDue(15_000)]).to.deep.equal([null, 60_000])
  })

  it('take turns, even if each try breaks the connection', () => {
    const refused = given(3, 4)
    const tried: number[] = []
    for (let now = 15_000; tried.length < 4; now += 60_000) {
      const mail = refused.due(now)!
      tried.push(mail.uid)
      refused.failed(mail, false, 'no', now)
      refused.putOff(now)
    }
    expect(tried).to.deep.equal([3, 4, 3, 4])
  })
})
