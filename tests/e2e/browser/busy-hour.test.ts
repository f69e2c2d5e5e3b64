/**
 * An hour with many payments. The calls of an account in an hour are limited, those of its pages too, so an open page must not use them up: its
 * owner could open no screen until the hour ends.
 */
import { expect } from 'chai'
import { readSettings } from '../../../cmd/settings/settings.ts'
import { needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { Owner } from '../../harness/dashboard/owner.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'

const PER_HOUR = 100
/** Milliseconds. The page has one other timer as long: answers that no screen shows are forgotten after five minutes. */
const LONG = 100_000
const FORGOTTEN = 300_000

describe('a page in a busy hour', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let api: ApiUnderTest
  let owner: Owner
  let visitor: Visitor

  before(async () => {
    const { rateLimits } = readSettings({})
    api = await openApi({ rateLimits, abusePerHour: PER_HOUR }, 'real', { web: await builtDashboard() })
    owner = new Owner(api)
    visitor = await Visitor.open(api.url)
    await visitor.newPage()
  })
  after(async () => {
    await visitor?.close()
    await api?.close()
  })

  const pay = (order_id: string) => owner.pay({ order_id, webhook_status: 'success' })
  const row = (order_id: string) => visitor.page.getByRole('link', { name: order_id }).waitFor()
  /** Reads as another device of the owner does. @returns how many calls are left in this hour */
  const left = (): Promise<number> =>
    visitor.page.evaluate(`fetch('/api/account').then(({ headers }) => Number(headers.get('RateLimit-Remaining')))`)

  it('asks less often when the calls of the hour run short, and leaves some for what its owner opens', async () => {
    await visitor.beforeScripts(`{
      // The page passes what it hears to other tabs, and to this listener.
      globalThis.received = new Set()
      new BroadcastChannel('baoco.live').onmessage = ({ data }) => data.message && globalThis.received.add(data.message.id)
      const set = setTimeout
      globalThis.isSaving = false
      globalThis.setTimeout = (act, delay, ...rest) => {
        if (delay > ${LONG} && delay !== ${FORGOTTEN}) globalThis.isSaving = true
        return set(act, delay, ...rest)
      }
    }`)
    await visitor.enter('/transactions')
    await pay('DH1001')
    await row('DH1001')
    while ((await left()) > 20);
    let payments = 1001
    let last = 0
    await eventually(
      async () => {
        last = await pay(`DH${++payments}`)
        return visitor.page.evaluate<boolean>('globalThis.isSaving')
      },
      { within: WITHIN, what: 'a page that saves calls' },
    )
    expect(await left()).to.be.greaterThan(5)
    // The screen that it opens is current: it shows everything that the page has received.
    const hasReceived = () => visitor.page.evaluate<boolean>(`globalThis.received.has(${last})`)
    await eventually(hasReceived, { within: WITHIN, what: 'the message about the last payment' })
    await visitor.open('/undelivered')
    await visitor.page.getByRole('heading', { level: 1, name: 'Undelivered' }).waitFor()
    await visitor.open('/transactions')
    await row(`DH${payments}`)
    expect(visitor.complaints).to.deep.equal([])
  })
})
