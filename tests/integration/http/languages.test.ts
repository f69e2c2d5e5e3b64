/** Mails, alerts and pages speak the language of the account: Vietnamese, unless it has chosen English. */
import { expect } from 'chai'
import { greeting } from '../../../cmd/process/greeting.ts'
import { TEXTS } from '../../../workflows/texts/texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'
import { captured } from './captured.ts'

describe('the language of an account', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi({}, 'real')
  })
  after(async () => {
    await api.close()
  })

  const mail = (email: string, subject: string) =>
    eventually(async () => (await api.outbox.list()).find((each) => each.to === email && each.subject === subject), {
      what: `the mail “${subject}”`,
    })
  const register = (email: string, more: object = {}) =>
    api.ask('POST', '/api/auth/register', { json: { email, password: OWNERS_PASSWORD, ...more } })
  const speak = (key: string, language: string) => api.ask('PUT', '/api/account', { key, json: { language } })
  const alertsOf = async (key: string): Promise<{ kind: string; text: string }[]> =>
    (await api.ask('GET', '/api/alerts', { key })).body.data

  it('is Vietnamese at first, and then the one that the account chooses', async () => {
    await register('moi@example.com')
    const { text } = await mail('moi@example.com', 'Xác nhận địa chỉ email của bạn')
    expect(text)
      .to.include('trong vòng 24 giờ')
      .and.match(/^https:\/\/baoco\.example\/verify-email\?token=\S+$/m)

    const { api_key: key } = await api.newAccount('chu@example.com')
    expect((await speak(key, 'vi')).body.data).to.include({ email: 'chu@example.com', language: 'vi' })
    expect((await api.ask('GET', '/api/account', { key })).body.data.language).to.equal('vi')
    await api.ask('POST', '/api/auth/forgot-password', { json: { email: 'chu@example.com' } })
    await mail('chu@example.com', 'Đặt lại mật khẩu')
    await register('chu@example.com')
    await mail('chu@example.com', 'Bạn đã có tài khoản')

    await speak(key, 'en')
    await api.ask('POST', '/api/auth/forgot-password', { json: { email: 'chu@example.com' } })
    await mail('chu@example.com', 'Choose a new password')
    expect((await speak(key, 'fr')).status).to.equal(400)
    expect((await api.ask('GET', '/api/account', { key })).body.data.language).to.equal('en')
  })

  it('is chosen at registration, and by the newest of repeated ones', async () => {
    await register('new@example.com', { language: 'en' })
    await mail('new@example.com', 'Confirm your email address')
    await register('new@example.com', { language: 'vi' })
    const { text } = await mail('new@example.com', 'Xác nhận địa chỉ email của bạn')
    expect(text).to.include('đăng ký tài khoản Baoco thêm một lần nữa')
    expect((await register('bad@example.com', { language: 'fr' })).status).to.equal(400)
  })

  it('cannot be changed by a stranger who registers a confirmed address again', async () => {
    const { api_key: key } = await api.newAccount('giu@example.com')
    await register('giu@example.com', { language: 'vi' })
    await mail('giu@example.com', 'You already have an account')
    expect((await api.ask('GET', '/api/account', { key })).body.data.language).to.equal('en')
  })

  it('is used for alerts, for their mails and for the page behind the link in them', async () => {
    for (const [language, kind, subject, button, done] of [
      [
        'vi',
        'Một tin báo nhắc đến tài khoản ngân hàng',
        'có tài khoản ngân hàng mới',
        'Đây là tài khoản của tôi',
        'Đã xác nhận tài khoản ngân hàng',
      ],
      [
        'en',
        'A notification named a bank account',
        'a new bank account was seen',
        'This account is mine',
        'Bank account confirmed',
      ],
    ] as const) {
      const email = `${language}@example.com`
      const { api_key: key, user_id } = await api.newAccount(email)
      await speak(key, language)
      const [bank_account_id, transaction_id] = [await api.nextId(), await api.nextId()]
      const seen = { user_id, bank_account_id, bank_code: 'VCB', account_number: '0011000415567', transaction_id }
      await api.decree(user_id, { type: 'BankAccountSeen', data: { ...seen, waits: true } })
      const [alert] = await eventually(async () => {
        const all = await alertsOf(key)
        return all.length > 0 && all
      })
      expect(alert!.text).to.include(kind).and.include('5567')
      const { text } = await mail(email, `Baoco: ${subject}`)
      expect(text).to.include(alert!.text)
      const link = new URL(/^https:\S+confirm\S*$/m.exec(text)![0])
      const page = await api.ask('GET', link.pathname + link.search)
      expect(page.body).to.include(`<html lang="${language}">`).and.include(button)
      expect((await api.ask('POST', link.pathname + link.search)).body).to.include(done)
    }
  })

  it('is used for alerts about transactions', async () => {
    const { api_key: key, user_id } = await api.newAccount('old@example.com')
    await speak(key, 'vi')
    const id = await api.nextId()
    const given = { held: 'old_notification', source: 'device-7:sms' } as const
    await api.happened(user_id, id, [captured(user_id, id, given)])
    const alert = await eventually(async () => (await alertsOf(key)).find((each) => each.kind === 'old_notification'))
    expect(alert.text).to.include(`Giao dịch ${id} được ghi từ một tin báo đã cũ`)
  })

  it('is used for the greeting of the first start', () => {
    const fresh = { user_id: 1, email: 'a@b.vn', api_key: 'K', receive_token: 'T', password: 'P' }
    const of = (language: 'vi' | 'en') => greeting('http://localhost:8080', fresh, new Date(), language)
    expect(of('vi')).to.include('Đây là lần chạy đầu tiên')
    expect(of('en')).to.include('This is the first start')
    // Programs read the labels.
    for (const language of ['vi', 'en'] as const)
      expect(of(language))
        .to.match(/^ {2}address +http:\/\/localhost:8080$/m)
        .and.match(/^ {2}e-mail +a@b\.vn$/m)
        .and.match(/^ {2}password +P$/m)
        .and.match(/^ {2}API key +K$/m)
        .and.match(/^ {2}personal URL +http:\/\/localhost:8080\/api\/receive\/u\/T$/m)
    for (const language of ['vi', 'en'] as const) expect(of(language)).to.match(/^curl .*sender=BIDV'$/m)
    expect(greeting('http://localhost:8080', null, new Date(), 'vi')).to.equal('  address       http://localhost:8080')
  })

  it('has a Vietnamese text wherever there is an English one', () => {
    const { alerts: vi } = TEXTS.vi
    expect(vi.endpointFailing('https://shop.example', 10, 500)).to.include('lần cuối trả lời 500')
    expect(vi.endpointFailing('https://shop.example', 10, 'timeout')).to.include('lần cuối không trả lời (timeout)')
    expect(vi.endpointFailing('https://shop.example', 10, null)).not.to.include('lần cuối')
    expect(vi.sourceSilent(vi.sources.device('Máy ở quầy'), 180)).to.match(
      /^Điện thoại “Máy ở quầy” đã 3 giờ không gửi/,
    )
    expect(vi.sourceSilent(vi.sources.url, 4_320)).to.include('3 ngày')
    expect(vi.storeWentBack(2, '7, 9', true)).to.include('Thiếu 2 giao dịch đã biết: 7, 9, …')
    expect(TEXTS.en.alerts.storeWentBack(1, '7', false)).to.include('1 known transaction is missing: 7.')
    expect(vi.storeWentBack(0, '', false)).to.include('Không rõ thiếu')
    expect(vi.rulePaused(5, 'Kho'))
      .to.include('Webhook “Kho” (số 5)')
      .and.include('410')
      .and.include('Giao dịch đến trước lúc đó không được gửi')
    expect(TEXTS.en.alerts.rulePaused(5, 'Kho')).to.include('Payments that arrive before are not sent')
    expect(vi.mailboxPaused('a@b.vn', 'Too much.')).to.include('Too much.')
    expect(vi.quota(80, 100, '2026-11')).to.include('80 trên 100')
    expect(vi.unsafe(7, 'duplicate_key')).to.include('Tin 7').and.include('hai lần')
    expect(vi.contradicting(1, 2, 'DH1', 'DH2'))
      .to.include('Chỉ DH1 được tính')
      .and.include('đối soát')
    const { text, subject } = TEXTS.vi.letters.quota({
      email: 'a@b.vn',
      user_id: 1,
      plan: 'Free',
      month: '2026-11',
      transactions: 80,
      limit: 100,
    })
    expect(subject).to.include('80%')
    expect(text).to.include('gói Free')
  })

  it('shows times, months and numbers as readers of the language write them', () => {
    const of = (language: 'vi' | 'en') => {
      const { letters, alerts } = TEXTS[language]
      return [
        letters.alert.since('2026-11-24T07:05:09.123Z', 'mail'),
        letters.alert.ended('https://shop.example', '2026-12-31T17:00:00.000Z').text,
        alerts.quota(4_000, 5_000, '2026-11'),
        alerts.diskLow(2_048, 4.96, 1_024),
      ].join('\n')
    }
    expect(of('en'))
      .to.include('Since 14:05 on 24 November 2026 (Vietnam time).')
      .and.include('since 00:00 on 1 January 2027 (Vietnam time).')
      .and.include('4,000 of the 5,000 transactions that your plan includes in November 2026')
      .and.include('2,048 MB left, 5.0%. Below 1,024 MB')
    expect(of('vi'))
      .to.include('Từ 14:05 ngày 24/11/2026.')
      .and.include('từ 00:00 ngày 01/01/2027.')
      .and.include('4.000 trên 5.000 giao dịch mà gói của bạn có trong tháng 11/2026')
      .and.include('2.048 MB, tức 5,0%. Khi còn dưới 1.024 MB')
  })
})
