/** The language that is chosen on a page is the account's: of its mails, and of its pages in every browser. */
import { expect } from 'chai'
import { needsChromium } from '../../harness/chromium/install.ts'
import { builtDashboard } from '../../harness/dashboard/build.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../../integration/http/api-under-test.ts'

describe('the language of the dashboard', function () {
  this.timeout(3 * WITHIN)
  needsChromium()
  let api: ApiUnderTest
  let first: Visitor | undefined

  before(async () => {
    api = await openApi({}, 'real', { web: await builtDashboard() })
  })
  after(async () => {
    await first?.close()
    await api?.close()
  })
  const newVisitor = async (): Promise<Visitor> => {
    const visitor = await (first ? first.another() : Visitor.open(api.url))
    first ??= visitor
    await visitor.newPage()
    return visitor
  }
  const kept = async (): Promise<string> =>
    (await api.ask('GET', '/api/account', { key: api.owner.api_key })).body.data.language

  it('is the account’s after the login, and is changed for the account where it is chosen', async () => {
    const one = await newVisitor()
    await one.go('/login')
    await one.page.getByRole('heading', { name: 'Đăng nhập' }).waitFor()
    await one.logIn()
    // The tests' owner has chosen English.
    await one.page.getByRole('heading', { name: 'Today' }).waitFor()
    await one.speak('vi')
    await one.page.getByRole('heading', { name: 'Hôm nay' }).waitFor()
    await eventually(async () => (await kept()) === 'vi')
    const two = await newVisitor()
    await two.go('/login')
    await two.logIn()
    await two.page.getByRole('heading', { name: 'Hôm nay' }).waitFor()
    expect([...one.complaints, ...two.complaints]).to.deep.equal([])
  })

  it('is the one that somebody chose before they logged in or registered', async () => {
    const one = await newVisitor()
    await one.go('/register')
    await one.speak('en')
    await one.page.locator('input[type=email]').fill('reader@example.com')
    await one.page.locator('input[type=password]').fill('long enough for this')
    const [request] = await Promise.all([
      one.page.waitForRequest('**/api/auth/register'),
      one.page.getByRole('button', { name: 'Create the account' }).click(),
    ])
    expect(request.postDataJSON()).to.include({ language: 'en' })
    await one.page.getByText('open the link in the mail to reader@example.com.').waitFor()
    const two = await newVisitor()
    await two.go('/login')
    await two.speak('en')
    await two.page.locator('input[type=email]').fill('owner@baoco.local')
    await two.page.locator('input[type=password]').fill('correct horse battery staple')
    await two.page.keyboard.press('Enter')
    await two.page.getByRole('heading', { name: 'Today' }).waitFor()
    expect(await kept()).to.equal('en')
  })
})
