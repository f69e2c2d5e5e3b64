/**
 * The dashboard in a real browser, as its owner uses it. All tests share one server, one browser, one page and one login. A message of the browser
 * (an error, a refusal by the policy, a request to another host) fails any test.
 */
import { expect } from 'chai'
import { needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { Owner } from '../../harness/dashboard/owner.ts'
import { HOSTILE, Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'
import { screensWithLogin, screensWithoutLogin } from './dashboard/screens.ts'
import { back } from './dashboard/back.ts'
import { copying } from './dashboard/copying.ts'
import { counter } from './dashboard/counter.ts'
import { exports } from './dashboard/exports.ts'
import { halfWritten } from './dashboard/half-written.ts'
import { loginEnded } from './dashboard/login-ended.ts'
import { midnight } from './dashboard/midnight.ts'
import { missingAnswers } from './dashboard/missing-answers.ts'
import { narrow } from './dashboard/narrow.ts'
import { olderBrowser } from './dashboard/older-browser.ts'
import { operator } from './dashboard/operator.ts'
import { PLANS, plans } from './dashboard/plans.ts'
import { settings } from './dashboard/settings.ts'
import { slowLine } from './dashboard/slow-line.ts'
import { sources } from './dashboard/sources.ts'
import { strangers } from './dashboard/strangers.ts'
import { transactions } from './dashboard/transactions.ts'
import { tryIt } from './dashboard/try-it.ts'
import { twoAccounts } from './dashboard/two-accounts.ts'
import { unknownIds } from './dashboard/unknown-ids.ts'
import { webhooks } from './dashboard/webhooks.ts'

describe('the dashboard in a browser', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let api: ApiUnderTest
  let owner: Owner
  let visitor: Visitor

  before(async () => {
    api = await openApi(PLANS, 'real', { web: await builtDashboard() })
    owner = new Owner(api)
    // The pictures are for people.
    await owner.openShop(process.env.SCREENSHOTS ? 'Cửa hàng Hoa Sen' : HOSTILE)
    visitor = await Visitor.open(api.url)
    // Tests that do not enter by themselves begin with this login, so that each can run alone.
    await visitor.newPage()
    await visitor.enter('/')
  })
  after(async () => {
    await visitor?.close()
    await api?.close()
  })
  beforeEach(() => visitor.begin())
  afterEach(async () => {
    await visitor.end()
    expect(visitor.complaints).to.deep.equal([])
  })

  screensWithoutLogin(() => visitor)
  screensWithLogin(
    () => visitor,
    () => owner,
  )
  for (const flows of [
    transactions,
    webhooks,
    sources,
    tryIt,
    settings,
    plans,
    operator,
    exports,
    strangers,
    counter,
    twoAccounts,
    loginEnded,
    halfWritten,
    back,
    copying,
    unknownIds,
    narrow,
    olderBrowser,
    missingAnswers,
    slowLine,
    midnight,
  ])
    flows(
      () => visitor,
      () => owner,
    )
})
