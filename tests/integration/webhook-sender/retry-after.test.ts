/** What an endpoint asks for with `Retry-After`. */
import { expect } from 'chai'
import { askedToWait, LONGEST_WAIT } from '../../../domain/webhook/endpoint.ts'
import { status } from '../../harness/shop.ts'
import { callTo, never, openedForTests } from './setting.ts'

describe('the webhook sender', () => {
  const { closing, sender, shop } = openedForTests()

  it('reads Retry-After as seconds and as a date', async () => {
    const { url, answer } = await shop(status(429, '', { 'retry-after': '120' }))
    expect((await sender().send(callTo(url), never)).retry_after_s).to.equal(120)
    answer(status(503, '', { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }))
    expect((await sender().send(callTo(url), never)).retry_after_s).to.be.within(55, 61)
    // The schedule cuts it to 24 hours, so a number of any length counts.
    for (const digits of ['99999999999999', '9'.repeat(400)]) {
      answer(status(503, '', { 'retry-after': digits }))
      expect(askedToWait(await sender().send(callTo(url), never)), digits).to.equal(LONGEST_WAIT)
    }
    answer(status(503, '', { 'retry-after': 'soon' }))
    expect((await sender().send(callTo(url), never)).retry_after_s).to.equal(null)
  })

  it('reads a Retry-After with a fraction, and reads only texts with a time of day as a date', async () => {
    const { url, answer } = await shop()
    const waitOf = async (text: string) => {
      answer(status(503, '', { 'retry-after': text }))
      return (await sender().send(callTo(url), never)).retry_after_s
    }
    for (const [text, seconds] of [
      ['40.2', 41],
      ['3000.5', 3001],
      [' 0.65 ', 1],
    ] as const)
      expect(await waitOf(text), text).to.equal(seconds)
    for (const text of ['wait 49', '45-1', 'May 2050', '-5', '1e3']) expect(await waitOf(text), text).to.equal(null)
  })

  it('reads a date in Retry-After by the clock of the server', async () => {
    const theirs = Date.now() + 7 * 3_600_000
    const [date, then] = [theirs, theirs + 60_000].map((at) => new Date(at).toUTCString())
    const { url, answer } = await shop(status(503, '', { date: date!, 'retry-after': then! }))
    expect((await sender().send(callTo(url), never)).retry_after_s).to.equal(60)
    answer(status(503, '', { date: 'today', 'retry-after': new Date(Date.now() + 60_000).toUTCString() }))
    expect((await sender().send(callTo(url), never)).retry_after_s).to.be.within(55, 61)
  })

  it('reads a date in Retry-After without a time zone as UTC', async () => {
    const zone = process.env.TZ
    closing.push(() => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)))
    process.env.TZ = 'America/New_York'
    const { url, answer } = await shop()
    const then = new Date(Date.now() + 60_000)
    const [day, date, month, year, time] = then.toUTCString().replace(',', '').split(' ')
    // The first form is that of C's asctime (RFC 9110, section 5.6.7).
    for (const text of [`${day} ${month} ${date} ${time} ${year}`, then.toISOString().slice(0, 19)]) {
      answer(status(503, '', { 'retry-after': text }))
      expect((await sender().send(callTo(url), never)).retry_after_s, text).to.be.within(55, 61)
    }
  })
})
