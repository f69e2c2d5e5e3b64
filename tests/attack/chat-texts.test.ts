/**
 * Attack: apps that display other people's words (decisions, "Trust", T3). The title of an SMS app's push may be a stranger's profile
 * name, and a wallet shows chats beside its own notifications. The tests derive whole families of such texts from the corpus.
 */
import { expect } from 'chai'
import type { Arrival } from '../../domain/arrival/arrival.ts'
import { smsApps } from '../../domain/banks/directory.ts'
import { receivePathOf } from '../../domain/arrival/origin.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Incoming } from '../../domain/reader/reading.ts'
import { appraise, readable, type Appraised } from '../../domain/transaction/appraisal.ts'
import { notifications } from '../corpus/corpus.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { accountOf, shownOf } from '../harness/accounts.ts'
import { bankTexts } from './bank-texts-by-memo.ts'
import { vietcombankText } from '../harness/bank-texts.ts'

const AT = new Date('2026-11-20T03:00:10.000Z')
const [SMS_APP] = smsApps as Set<string> as unknown as [string]

const appraised = (incoming: Incoming, kind: 'device' | 'receive_url', withoutSender = false): Appraised => {
  const account = { ...accountOf(7), without_sender: withoutSender }
  const arrival: Arrival = readable({
    credential: shownOf(7, kind === 'device' ? 1 : 0),
    incoming,
    posted_as: kind === 'device' ? 'notification' : null,
    stamp: AT,
    arrived_at: AT,
    raw: '{}',
  })
  const receivePath = receivePathOf(account, arrival.credential, AT)!
  return appraise(account, receivePath, arrival, read(arrival.incoming, AT))
}

/** Bank texts that are read without changes. */
const genuine = notifications.filter(({ expected, channel }) => expected !== null && channel !== 'email')

/** How chats show the author: before the text, or above it. */
const NAMES = ['Minh', 'Nhóm bán hàng: Minh', '12:30 Minh', 'Minh đã gửi', 'Shop 24h', '\u200bMinh']
const MARKS = [': ', ' : ', '：', ':\n']
/** Combines each name with one of the marks, in turn. */
const shapes = (text: string, number: number): string[] =>
  NAMES.map((name, index) => `${name}${MARKS[(index + number) % MARKS.length]}${text}`)

const TPBANK = 'com.tpb.mb.gprsandroid'
const WALLETS = ['com.mservice.momotransfer', 'vn.com.vng.zalopay', 'com.bplus.vtpay']
/** Pushes of banks' apps, each of which is read. */
const pushes = bankTexts
  .map(({ name, of }) => ({ name, incoming: of('DH1042') }))
  .filter(({ incoming }) => incoming.package !== undefined && !WALLETS.includes(incoming.package))

const CHATS = ['com.zing.zalo', 'com.facebook.orca', 'org.telegram.messenger']

const WALLET_SENTENCES = [
  'Ban da nhan 500,000d tu TRAN VAN B. Ma GD: 987654321. So du vi: 1,300,000d',
  'Bạn đã nhận được 50.000đ từ TRAN B. Số dư ví: 100.000đ',
  'Nhận tiền thành công 50.000đ từ TRAN B. Số dư ví: 100.000đ',
]

describe('attack: texts of other people in apps', () => {
  it('make no transaction in an app that shows chats, whatever comes before them', () => {
    const texts = [...genuine.map(({ text }) => text), ...WALLET_SENTENCES]
    for (const app of [...WALLETS, TPBANK, ...CHATS])
      for (const text of texts.flatMap(shapes))
        for (const title of [undefined, 'Minh']) {
          const { kind: outcome } = appraised({ text, package: app, ...(title && { title }) }, 'device')
          expect(outcome, `${app} ${title} ${JSON.stringify(text)}`).to.not.equal('movement')
        }
  })

  it('make no transaction under a person’s name, even if they start at the beginning', () => {
    for (const app of WALLETS)
      for (const title of ['Minh', 'Tran Van B', '', '\u200b', 'MoMo Minh', 'Nhận tiền thành công từ Minh nhé'])
        for (const text of WALLET_SENTENCES)
          expect(appraised({ text, package: app, title }, 'device').kind, `${title}: ${text}`).to.not.equal('movement')
  })

  it('are kept, and make no transaction, under a title of a wallet that ends in a name', () => {
    const texts = ['Số tiền 150.000 ₫, kèm lời nhắn: "DH1042".', ...WALLET_SENTENCES]
    for (const app of WALLETS)
      for (const text of texts) {
        const readUnder = (title: string) => read({ package: app, title, text }, AT)
        for (const title of ['Nhận tiền từ NGUYEN VAN A', 'Nhận tiền chuyển khoản từ NGUYEN VAN A'])
          expect(readUnder(title), title).to.deep.equal({ reading: null, reason: 'unparsed' })
        for (const title of ['NGUYEN VAN A', 'Minh: Nhận tiền từ NGUYEN VAN A'])
          expect(readUnder(title), title).to.deep.equal({ reading: null, reason: 'chat' })
      }
  })

  it('make no transaction in the chat of TPBank’s app, and its own pushes are read', () => {
    const push = (text: string, title?: string) =>
      read({ package: TPBANK, text, ...(title !== undefined && { title }) }, AT)
    const own = '(TPBank): 20/11/26;10:00\nTK: xxxx3688261\nPS:+150.000VND\nSD: 23.457.587VND\nND: DH1042'
    for (const title of [undefined, '', 'TPBank', 'TPBank Mobile', 'Biến động số dư', 'Thông báo'])
      expect(push(own, title).reading, title).to.include({ amount: '150000.00', content: 'DH1042' })
    expect(push(own.slice('(TPBank): '.length), 'TPBank').reading).to.include({ amount: '150000.00' })
    for (const title of [
      'NGUYEN VAN A',
      'ChatPay',
      'TPBank ChatPay',
      'Tin nhắn từ TPBank',
      'Yêu cầu giao dịch',
      'Минь',
      '💬',
    ])
      expect(push(own, title), title).to.deep.equal({ reading: null, reason: 'unparsed' })
    for (const words of [
      'Chuyen +150.000VND vao TK 00003688261 nhe, so du: 200.000VND',
      'TK: xxxx3688261 +150.000VND SD: 200.000VND ND: DH1042',
      'Tài khoản xxxx3688261 +150.000VND. ND: DH1042',
      'NGUYEN VAN A yêu cầu bạn chuyển 150.000 VND. Nội dung: DH1042',
    ])
      for (const title of [undefined, 'NGUYEN VAN A', 'ChatPay', 'TPBank'])
        expect(push(words, title).reading, `${title}: ${words}`).to.equal(null)
  })

  it('make no transaction in the app of any bank if they follow a name, or words about a gift or a message', () => {
    const WORDS = [
      'NGUYEN VAN A: ',
      'Minh đã gửi:\n',
      'NGUYEN VAN A đã nhắn cho bạn ',
      'Tin nhắn mới từ NGUYEN VAN A. ',
      'Thông báo: NGUYEN VAN A nhắn ',
      'NGUYEN VAN A gửi bạn một lời chúc. ',
      'Bạn nhận được lì xì từ NGUYEN VAN A với lời nhắn "',
      'Quà tặng từ NGUYEN VAN A. ',
      'NGUYEN VAN A yêu cầu chuyển tiền. ',
      'NGUYEN VAN A nhắc bạn chuyển tiền. Nội dung: ',
      'Nhắc trả nợ\n',
      'NGUYEN VAN A mời bạn chia hóa đơn\n',
      'NGUYEN VAN A đề nghị thanh toán. ',
      'Thông báo:\n> ',
      '"',
    ]
    for (const { name, incoming } of pushes) {
      for (const words of WORDS)
        expect(read({ ...incoming, text: words + incoming.text }, AT).reading, words + name).to.equal(null)
      for (const title of ['Lời chúc từ Minh', 'Minh gửi bạn lì xì', 'Tin nhắn từ NGUYEN VAN A', 'Quà tặng', 'Chat'])
        expect(read({ ...incoming, title }, AT).reading, title + name).to.equal(null)
    }
  })

  it('are distinguished from a bank’s own opening and title', () => {
    const OPENINGS = [
      '',
      'Thông báo:\n',
      'Quý khách có giao dịch mới:\n',
      'Kính gửi Quý khách,\n',
      'Timo gửi bạn thông báo\n',
      'Tin nhắn từ ngân hàng:\n',
    ]
    for (const { name, incoming } of pushes) {
      if (incoming.package === TPBANK || incoming.title?.includes('150')) continue
      for (const opening of OPENINGS)
        for (const title of [undefined, '', 'Thông báo', 'Tin nhắn OTT', 'Quý khách đã gửi tiền', 'NGUYEN VAN A'])
          expect(
            read({ ...incoming, title, text: opening + incoming.text }, AT).reading,
            `${title}: ${opening}${name}`,
          ).to.include({ amount: '150000.00' })
    }
  })

  it('are distinguished from a bank’s text below the name of its sender', () => {
    const text = vietcombankText(1, 'DH1042', { at: AT })
    for (const above of [
      'From: Vietcombank\n',
      'Từ: Vietcombank\n',
      'SMS from Vietcombank:\n',
      'New SMS from Vietcombank\n',
      'Tin nhắn từ Vietcombank: ',
      'Tin nhắn tự động: ',
      'Sender: Vietcombank\nMessage: ',
      'Người gửi: Vietcombank\nNội dung: ',
    ])
      expect(read({ text: above + text }, AT).reading, above).to.include({ bank_code: 'VCB', amount: '150000.00' })
    for (const above of [
      'From: Minh\n',
      'Tin nhắn từ Minh: ',
      'Tin nhắn mới từ Minh\n',
      'Tin nhắn của Minh Vietcombank: ',
      'Sender: Minh\nMessage: ',
      'Minh\nMessage: ',
    ])
      expect(read({ text: above + text }, AT).reason, above).to.equal('chat')
    expect(
      read({ text: 'From: LPBank\nTK 000012345678 +150,000 VND. SD: 5,150,000 VND. ND: DH1042' }, AT).reading,
    ).to.include({
      amount: '150000.00',
      content: 'DH1042',
    })
    expect(
      read({ text: 'Tin nhắn từ Minh: TK 000012345678 +150,000 VND. SD: 5,150,000 VND. ND: DH1042' }, AT).reading,
    ).to.equal(null)
  })

  it('make no transaction without a sender, even if the account allows texts without one', () => {
    for (const text of genuine.flatMap((entry, number) => shapes(entry.text, number)))
      expect(appraised({ text }, 'receive_url', true).kind, JSON.stringify(text)).to.not.equal('movement')
  })

  it('are not taken for a chat, and make no transaction, if a program has wrapped a bank’s text', () => {
    const text = vietcombankText(1, 'DH1042', { at: AT })
    const wrapped = [
      JSON.stringify({ sender: 'Vietcombank', text }),
      `[{ 'text': '${text}' }]`,
      `<sms><text>${text}</text></sms>`,
      `--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n${text}\r\n--b--`,
    ]
    for (const each of wrapped) {
      expect(read({ text: each }, AT), each).to.deep.equal({ reading: null, reason: 'unparsed' })
      expect(appraised({ text: each }, 'receive_url', true).kind, each).to.equal('unread')
    }
    for (const each of [`<Minh> ${text}`, `"${text}"`, `> ${text}`])
      expect(read({ text: each }, AT).reason, each).to.equal('chat')
  })

  it('make no transaction in an SMS of a wallet', () => {
    const sentence = 'Ban da nhan 9,000,000d tu TRAN B. So du vi: 9,000,000d'
    const readAs = (text: string) => read({ sender: 'VIETTELPAY', text }, AT)
    for (const text of [sentence, `Viettel Money: ${sentence}`, `Thong bao: ${sentence}`])
      expect(readAs(text).reading, text).to.include({ transaction_type: 'credit', amount: '9000000.00' })
    for (const before of ['Minh: ', 'NGUYEN VAN A nhan tin: ', 'Loi nhan cua Minh "', 'Minh gui:\n'])
      expect(readAs(before + sentence), before).to.deep.equal({ reading: null, reason: 'chat' })
    expect(readAs('TK 0123456789 +9,000,000VND. SD 9,000,000VND').reading).to.include({ amount: '9000000.00' })
    expect(readAs('Minh: TK 0123456789 +9,000,000VND. SD 9,000,000VND').reading).to.equal(null)
  })

  it('make no transaction because of the title of an SMS app', () => {
    for (const { text, sender } of genuine)
      for (const title of [sender ?? 'Vietcombank', 'Vietcombank', 'MBBANK'])
        for (const given of [{ title }, { title, sender: title }])
          for (const kind of ['device', 'receive_url'] as const)
            expect(appraised({ text, package: SMS_APP, ...given }, kind).kind, text).to.not.equal('movement')
  })

  it('do not prevent genuine pushes of wallets and banks from being read', () => {
    for (const entry of genuine.filter((each) => each.package !== undefined && each.bank !== null)) {
      const { text, title, package: app } = entry
      const { reading } = read({ text, package: app!, ...(title !== undefined && { title }) }, AT)
      if (entry.bank === 'TCB' && reading === null) continue
      expect(reading?.amount, `${entry.id} ${text}`).to.equal(entry.expected!.amount)
    }
  })
})

describe('attack: the title of an SMS app', function () {
  let api: ApiUnderTest
  let number = 0
  before(async () => {
    api = await openApi({}, 'real')
  })
  after(() => api.close())

  const push = async (more: { sender?: string } = {}) => {
    const json = { package: SMS_APP, title: 'Vietcombank', text: vietcombankText(++number, `DH${number}`), ...more }
    return (await api.ask('POST', `/api/receive/u/${api.owner.receive_token}`, { json })).body.data as object
  }

  it('counts as the sender only while the owner allows it, and not beside another sender', async () => {
    const key = api.owner.api_key
    const trust = async (trust_sms_app_titles: boolean) => {
      const { status, body } = await api.ask('PUT', '/api/receive-url', { key, json: { trust_sms_app_titles } })
      expect(status).to.equal(200)
      expect(body.data).to.include({ trust_sms_app_titles })
    }
    expect((await api.ask('GET', '/api/receive-url', { key })).body.data).to.include({ trust_sms_app_titles: false })
    expect(await push()).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    await trust(true)
    expect(await push()).to.have.property('id')
    for (const sender of ['+84901234567', 'Minh', ''])
      expect(await push({ sender }), sender).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    await trust(false)
    expect(await push()).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
  })

  it('is a setting of each phone', async () => {
    const key = api.owner.api_key
    const invited = (await api.ask('POST', '/api/devices', { key, json: { name: 'phone' } })).body.data
    const paired = await api.ask('POST', '/api/receive/pair', { json: { code: invited.pairing_code } })
    const { device_token } = paired.body.data
    const post = async () => {
      const json = { package: SMS_APP, title: 'Vietcombank', text: vietcombankText(++number, `DH${number}`) }
      const answer = await api.ask('POST', '/api/receive/notification', {
        json,
        headers: { 'x-device-token': device_token },
      })
      return answer.body.data as object
    }
    expect(await post()).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    const path = `/api/devices/${invited.id}`
    expect((await api.ask('PUT', path, { key, json: { trust_sms_app_titles: true } })).body.data).to.include({
      name: 'phone',
      trust_sms_app_titles: true,
    })
    expect(await post()).to.have.property('id')
    expect((await api.ask('GET', '/api/devices', { key })).body.data[0]).to.include({ trust_sms_app_titles: true })
  })
})
