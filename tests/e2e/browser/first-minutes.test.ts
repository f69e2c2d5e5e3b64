/**
 * The first five minutes. A newcomer has started Baoco and knows only what it printed and what its pages say. The test presses what the pages
 * offer, and otherwise acts only as the phone and as the shop.
 */
import { expect } from 'chai'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { needsChromium } from '../../harness/chromium/install.ts'
import { Visitor, WITHIN } from '../../harness/dashboard/visitor.ts'
import { eventually } from '../../harness/eventually.ts'
import { textOfQr } from '../../harness/qr-code.ts'
import type { Shop } from '../../harness/shop.ts'
import { World } from '../../harness/world.ts'
import type { Device, LastSeen } from '../../../web/api/types.ts'

describe('the first five minutes in a browser', function () {
  this.timeout(5 * WITHIN)
  needsChromium()
  let world: World
  let shop: Shop
  let visitor: Visitor

  before(async () => {
    // A delivery fails after one more attempt, and not after a day and a half.
    world = await World.open({ env: { RETRY_SCHEDULE: '0.2', ADMIN_LANGUAGE: 'vi' } })
    shop = await world.openShop()
    visitor = await Visitor.open(world.baoco.baseUrl)
    await visitor.newPage()
  })
  after(async () => {
    await visitor?.close()
    await world?.close()
  })

  const follow = (name: string) => visitor.page.getByRole('link', { name, exact: true }).first().click()
  const press = (name: string) => visitor.page.getByRole('button', { name, exact: true }).click()
  const see = (text: string | RegExp) => visitor.page.getByText(text).first().waitFor()
  const ticked = (step: string) =>
    visitor.page.locator('li', { hasText: step }).locator('.status.success').waitFor({ state: 'visible' })
  const post = async (path: string, json: object, headers = {}) => {
    const body = JSON.stringify(json)
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const response = await fetch(world.baoco.baseUrl + path, request)
    expect(response.status, path).to.be.oneOf([200, 201])
    return ((await response.json()) as { data: Record<string, string> }).data
  }

  it('begin with the printed link, once, or with the printed password, and a list of first steps', async () => {
    const { pathname, hash } = new URL(world.installation.signInLink)
    await visitor.go(pathname + hash)
    await visitor.page.locator('.shell').waitFor()
    await visitor.go(pathname + hash)
    await see(`Trình duyệt này vẫn đang đăng nhập với ${world.installation.email}.`)
    await follow('Về trang Hôm nay')
    await visitor.page.getByRole('button', { name: 'Đăng xuất' }).click()
    await visitor.page.waitForURL('**/login')
    await visitor.go(pathname + hash)
    await see('Liên kết đăng nhập này không còn dùng được')
    expect(visitor.page.url()).to.match(/\/login$/)
    visitor.forgive(400)
    await visitor.go('/')
    await visitor.logIn(world.installation)
    await see('Những bước đầu tiên')
    await see('Chưa có khoản tiền nào trong 14 ngày này.')
    // The first account has a shop from the start.
    await ticked('Khai báo tiền tố mã đơn')
    expect(await visitor.page.locator('li .status.success').count()).to.equal(1)
    await follow('Giao dịch')
    await see('Chưa có giao dịch nào.')
    for (const [name, path] of [
      ['Kết nối điện thoại', '/sources'],
      ['Dùng thử', '/try'],
    ])
      await visitor.page.locator(`main a[href="${path}"]`, { hasText: name! }).waitFor()
    await follow('Hôm nay')
  })

  it('show a text from the bank become a call with a valid signature', async () => {
    await follow('Gửi vào hộp thử')
    await visitor.page.getByLabel('Gửi vào hộp thử của tôi').check()
    await see('Kết quả sẽ hiện ở đây khi bạn bấm Thử.')
    await press('Thử')
    await see('Đã ghi giao dịch.')
    await visitor.page.locator('section', { hasText: '3. Kết quả' }).getByText('Đã báo').waitFor()
    await see('Chữ ký đúng')
    await follow('Hôm nay')
    await ticked('Gửi thử một tin báo')
    await ticked('Xem webhook được gửi')
  })

  it('pair a phone by its QR code, and show what the phone sends', async () => {
    await follow('Kết nối điện thoại')
    // It is started as the README says, so a phone would look for Baoco on itself.
    await see(/^Điện thoại không tới được địa chỉ này\./)
    await press('Ghép điện thoại')
    await visitor.page.getByLabel('Tên điện thoại').fill('Máy ở quầy')
    await press('Tạo mã ghép')
    const drawn = await visitor.page.locator('dialog .qr').getAttribute('src')
    const link = new URL(textOfQr(decodeURIComponent(drawn!.slice(drawn!.indexOf(',') + 1)))!)
    const { device_token } = await post('/api/receive/pair', { code: link.searchParams.get('code'), model: 'Pixel' })
    await see('Đã ghép Máy ở quầy.')
    await press('Đóng')
    const sms = { sender: 'Vietcombank', text: vietcombankText(1, 'DH2001') }
    await post('/api/receive/sms', sms, { 'x-device-token': device_token })
    await follow('Giao dịch')
    await see('DH2001')
    await follow('Hôm nay')
    await ticked('Kết nối nguồn tin báo')
  })

  it('connect an app by the personal URL, which a trial on the page does not', async () => {
    const read = async <Value>(path: string) => (await world.api('GET', path)).body.data as Value
    const hasReported = async () => (await read<LastSeen>('/api/receive-url')).last_heard_at !== null
    const phone = async () => (await read<[Device]>('/api/devices'))[0]
    // The sources are written in the order in which they reported.
    await eventually(async () => (await phone()).last_heard_at !== null, { what: 'the report of the phone' })
    expect(await hasReported()).to.equal(false)
    await world.api('DELETE', `/api/devices/${(await phone()).id}`)
    await follow('Kết nối điện thoại')
    await world.post(vietcombankText(2, 'DH2002'))
    await eventually(hasReported, { what: 'the report of the app' })
    await follow('Hôm nay')
    await ticked('Kết nối nguồn tin báo')
  })

  it('add a webhook of the shop, which the page can call, and the list of steps is done', async () => {
    await follow('Thêm webhook')
    await visitor.page.getByLabel('Tên').fill('Quán cà phê')
    await visitor.page.getByLabel('Địa chỉ nhận').fill(shop.url)
    await press('Thêm webhook')
    await press('Gửi webhook thử')
    await see('Cửa hàng đã nhận.')
    expect(shop.calls).to.have.length(1)
    await follow('Hôm nay')
    await see('Xong cả rồi.')
    await press('Ẩn')
    await visitor.page.getByText('Những bước đầu tiên').waitFor({ state: 'detached' })
  })

  it('send a failed delivery again', async () => {
    await follow('Dùng thử')
    const isSet = visitor.page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await visitor.page.getByLabel('Hộp thử trả lời').selectOption('500')
    await isSet
    await visitor.page.getByLabel('Gửi tới các webhook của tôi').check()
    await see(/Sẽ gọi: .*Hộp thử/)
    await press('Thử')
    const result = visitor.page.locator('section', { hasText: '3. Kết quả' })
    await result.getByText('Lỗi').waitFor()
    await visitor.page.getByLabel('Hộp thử trả lời').selectOption('200')
    await result.getByRole('link', { name: 'Xem giao dịch' }).click()
    await press('Gửi lại ngay')
    await visitor.page.locator('.figures').getByText('Đã báo').waitFor()
    await eventually(() => shop.calls.length === 2, { what: 'the call of the shop, and no second one' })
    expect(visitor.complaints).to.deep.equal([])
  })
})
