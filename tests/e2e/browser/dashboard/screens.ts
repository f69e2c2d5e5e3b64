/** Every screen, also with texts of strangers wherever they can get. Nothing may be wrong with it: see `Visitor.inspect`. */
import type { Page } from 'playwright-core'
import { aMinutePasses, keepMinutes } from '../../../harness/dashboard/minutes.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

type Screen = readonly [name: string, path: string, ready: (page: Page) => Promise<unknown>]

const seen = (selector: string) => (page: Page) => page.locator(selector).first().waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const openAll = async (page: Page, selector = 'summary'): Promise<void> => {
  for (const summary of await page.locator(selector).all()) await summary.click()
}

export const screensWithoutLogin = (visitor: () => Visitor): void => {
  it('shows every screen without a login', async () => {
    const { page } = visitor()
    await visitor().withoutLogin()
    const screens: Screen[] = [
      ['register', '/register', seen('h1')],
      ['forgot', '/forgot-password', seen('h1')],
      ['reset', '/reset-password?token=x', seen('h1')],
      ['verify', '/verify-email?token=x', seen('.notice.failed')],
      ['login', '/', seen('h1')],
    ]
    for (const [name, path, ready] of screens) {
      await visitor().go(path)
      await ready(page)
      // An invalid link is answered with 400, which the browser reports.
      visitor().forgive(400)
      await visitor().inspect(name)
    }
  })
}

export const screensOf = ({ ruleId, failedId }: Owner): Screen[] => [
  [
    'today',
    '/',
    async (page) => {
      await seen('.ledger')(page)
      await seen('.figures')(page)
    },
  ],
  ['transactions', '/transactions', seen('.ledger')],
  [
    'palette',
    '/transactions',
    async (page) => {
      await seen('.ledger')(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Trang, webhook' }).fill('DH10')
      await page.locator('.found .status').first().waitFor()
    },
  ],
  ['transactions-empty', '/transactions?webhook_status=already_run', seen('.block p')],
  [
    'transaction',
    `/transactions/${failedId}`,
    async (page) => {
      await seen('.attempt')(page)
      await seen('.timeline')(page)
      await openAll(page, '.attempt summary')
      await press(page, 'Hiện tin gốc')
      await seen('pre mark, .columns pre')(page)
    },
  ],
  ['undelivered', '/undelivered', seen('.lines .button')],
  ['undelivered-empty', '/undelivered?status=pending&bank_code=MB', seen('.block p')],
  ['undelivered-delivered', '/undelivered?status=success&date_from=2026-01-01', seen('.button.main')],
  [
    'undelivered-ask',
    '/undelivered?status=failed',
    async (page) => {
      await press(page, 'Gửi lại tất cả')
      await seen('dialog .button.main')(page)
    },
  ],
  [
    'undelivered-job',
    '/undelivered?status=failed',
    async (page) => {
      await press(page, 'Gửi lại tất cả')
      await page.locator('dialog .button.main').click()
      await seen('progress')(page)
    },
  ],
  ['webhooks', '/webhooks', seen('.ledger .right')],
  [
    'webhook',
    `/webhooks/${ruleId}`,
    async (page) => {
      await press(page, 'Hiện khóa')
      await seen('.lines')(page)
      await openAll(page)
      await page.locator('code', { hasText: 'transaction_ref' }).waitFor()
    },
  ],
  [
    'webhook-new',
    '/webhooks/new',
    async (page) => {
      await page.getByLabel('Nội dung').selectOption('custom')
      await openAll(page)
      await page.locator('pre', { hasText: '"paid": "150000.00"' }).waitFor()
    },
  ],
  ['webhook-change', `/webhooks/${ruleId}/edit`, (page) => page.getByLabel('Địa chỉ nhận').waitFor()],
  [
    'try-read',
    '/try',
    async (page) => {
      await press(page, 'Thử')
      await page.locator('mark', { hasText: /^HS\d{4}$/ }).waitFor()
    },
  ],
  [
    'sources',
    '/sources',
    async (page) => {
      await press(page, 'Hiện đường dẫn và mã QR')
      await seen('.qr')(page)
      await page.locator('summary', { hasText: 'Incoming SMS' }).click()
    },
  ],
  [
    'sources-test',
    '/sources',
    async (page) => {
      await keepMinutes(page)
      await press(page, 'Thử đường dẫn riêng')
      await page.getByText('Đang chờ tin…').waitFor()
      await aMinutePasses(page)
      await page.getByText('Một phút rồi mà chưa có tin.').waitFor()
    },
  ],
  [
    'sources-pairing',
    '/sources',
    async (page) => {
      await press(page, 'Ghép điện thoại')
      await page.getByLabel('Tên điện thoại').fill('Pixel')
      await page.keyboard.press('Enter')
      await seen('dialog .qr')(page)
    },
  ],
  [
    'sources-mailbox',
    '/sources',
    async (page) => {
      await press(page, 'Thêm hộp thư')
      await seen('dialog .steps')(page)
    },
  ],
  [
    'unread',
    '/unread',
    async (page) => {
      await press(page, 'Hiện các tin')
      await seen('.lines pre')(page)
    },
  ],
  ['unread-ignored', '/unread?status=ignored', seen('.lines')],
  [
    'exports',
    '/exports',
    async (page) => {
      await seen('.button.main')(page)
      await openAll(page)
      await page.getByLabel('Tên khóa').fill('Chị Lan')
      await press(page, 'Tạo khóa chỉ đọc')
      await seen('.notice code')(page)
    },
  ],
  ['exports-empty', '/exports?month=2025-01', (page) => page.getByText('Tháng này không có giao dịch nào.').waitFor()],
  [
    'settings',
    '/settings',
    async (page) => {
      await seen('.pairs')(page)
      await page.getByLabel('Tên người gửi SMS').waitFor()
    },
  ],
  ['plan', '/settings/plan', (page) => page.getByText('2.000.000').waitFor()],
  [
    'operator',
    '/operator',
    async (page) => {
      await page.getByText('Cơ sở dữ liệu').waitFor()
      await page.getByText('owner@baoco.local').nth(1).waitFor()
    },
  ],
  ['not-found', '/nowhere', seen('h1')],
]

export const screensWithLogin = (visitor: () => Visitor, owner: () => Owner): void => {
  it('shows every screen, also with texts of strangers', async () => {
    const { page } = visitor()
    await visitor().enter('/')
    for (const [name, path, ready] of screensOf(owner())) {
      await visitor().go(path)
      await ready(page)
      await visitor().inspect(name)
    }
  })

  it('shows every screen with calls of the test inbox, also of strangers', async () => {
    const { page } = visitor()
    await visitor().open('/try')
    await page.getByLabel('Gửi vào hộp thử của tôi').check()
    await press(page, 'Thử')
    await page.getByRole('link', { name: 'Xem giao dịch' }).waitFor()
    await owner().callInbox()
    const answer = page.getByLabel('Hộp thử trả lời')
    for (const status of ['500', '200']) await answer.selectOption(status)
    await page.getByText('Chữ ký đúng').first().waitFor()
    await page.getByText('Không có chữ ký đúng').first().waitFor()
    await openAll(page, '.lines summary')
    await visitor().inspect('try-inbox')
  })
}
