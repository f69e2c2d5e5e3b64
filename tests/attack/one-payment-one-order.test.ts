/**
 * Attack: two channels report one payment with different order ids. A payer writes the order id, and some channels truncate it, so that
 * `DH1042` in the SMS is `DH10` in the push. Without rule T4 one transfer would pay both orders.
 */
import { expect } from 'chai'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { openAttacked, type Attacked } from './real-api.ts'

describe('one payment pays one order', () => {
  let attacked: Attacked
  let number = 0

  before(async () => {
    attacked = await openAttacked()
  })
  after(() => attacked.close())

  /** The push of the same event as an SMS, with another memo. */
  const pushOf = (sms: string, memo: string): string =>
    sms
      .replace('SD TK', 'Số dư TK VCB')
      .replace('VND luc', ' VND lúc')
      .replace('. SD ', '. Số dư ')
      .replace(/DH\d+$/, memo)

  const alertAbout = (id: number) =>
    eventually(async () => {
      const alerts = await attacked.alerts('contradicting_copy', 0)
      return alerts.find(({ subject }) => subject === `transaction:${id}`)
    })

  it('if references are equal, whatever order ids the copies show', async () => {
    const text = vietcombankText(++number, 'DH1042')
    const first = (await attacked.sms(text)).body.data
    expect(first.webhook_status).to.equal('pending')
    const copy = (await attacked.push(pushOf(text, 'DH10'))).body.data
    expect(copy.webhook_status).to.equal('already_run')
    expect(copy.id).to.not.equal(first.id)
    expect(await attacked.sent()).to.deep.equal(['DH1042'])
    expect(await attacked.transaction(copy.id)).to.include({ already_run_of: first.id, order_id: 'DH10' })
    expect(await attacked.transaction(first.id)).to.include({ order_id: 'DH1042', webhook_status: 'pending' })
    const [alert] = await attacked.alerts('contradicting_copy', 1)
    expect(alert!.subject).to.equal(`transaction:${first.id}`)
    expect(alert!.text).to.contain('DH1042').and.to.contain('DH10')
  })

  it('if balance and second are equal', async () => {
    const before = (await attacked.sent()).length
    const withoutReference = vietcombankText(++number, 'DH2042').replace(/MBVCB\.\d+\./, '')
    await attacked.sms(withoutReference)
    const copy = (await attacked.push(pushOf(withoutReference, 'DH2055'))).body.data
    expect(copy.webhook_status).to.equal('already_run')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH2042'])
    await attacked.alerts('contradicting_copy', 2)
  })

  it('if copies arrive in the same millisecond', async () => {
    const before = (await attacked.sent()).length
    const text = vietcombankText(++number, 'DH3042')
    const memos = ['DH30', 'DH304', 'DH3055', 'DH3066']
    await Promise.all([attacked.sms(text), ...memos.map((memo) => attacked.push(pushOf(text, memo)))])
    expect((await attacked.sent()).slice(before)).to.have.length(1)
  })

  it('even if a copy adds the order id that the first lacked; a further copy changes nothing', async () => {
    const before = (await attacked.sent()).length
    const at = new Date()
    const text = vietcombankText(++number, 'NGUYEN VAN A', { at }).replace(/$/, '...')
    const first = (await attacked.sms(text)).body.data
    expect(first.webhook_status).to.equal('skipped')
    await attacked.push(
      text
        .replace('SD TK', 'Số dư TK VCB')
        .replace('VND luc', ' VND lúc')
        .replace('. SD ', '. Số dư ')
        .replace(/NGUYEN.*$/, 'DH4042'),
    )
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH4042'])
    await attacked.sms(vietcombankText(number, 'DH4055', { at }))
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH4042'])
    await attacked.alerts('contradicting_copy', 3)
  })

  it('if a cut memo shows one id, and the whole memo a better one', async () => {
    const json = { name: 'Other shop', type: 'custom', payment_prefix: 'SHOP' }
    expect((await attacked.api.ask('POST', '/api/systems', { key: attacked.key, json })).status).to.equal(201)
    const before = (await attacked.sent()).length
    const [, time] = / luc (\S+ \d\d:\d\d)/.exec(vietcombankText(++number, ''))!
    const at = time!.replaceAll('-', '/')
    const memo = `SHOPAB thanh toan cho cua hang ${'x'.repeat(40)}`
    const sms = `VietinBank:${at}|TK:104870340000|GD:+150,000VND|SDC:222,772,047VND|ND:${memo}~`
    const push = `Thời gian: ${at}\nTài khoản: 104870340000\nGiao dịch: +150,000 VND\nSố dư hiện tại: 222,772,047 VND\nNội dung: ${memo} SHOP77`
    expect((await attacked.sms(sms, undefined, 'VietinBank')).body.data.webhook_status).to.equal('pending')
    const app = { package: 'com.vietinbank.ipay', title: 'Biến động số dư' }
    expect((await attacked.push(push, undefined, app)).body.data.webhook_status).to.equal('already_run')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['SHOPAB'])
  })

  it('if a long SMS shows one id, and the push another one after it, although the SMS has no mark of a cut', async () => {
    const before = (await attacked.sent()).length
    const [, time] = / luc (\S+ \d\d:\d\d)/.exec(vietcombankText(++number, ''))!
    const [day = '', clock] = time!.split(' ')
    const head = `TK 4240xxxx4584|GD: +150,000VND ${day.slice(0, 6)}${day.slice(8)} ${clock}`.replaceAll('-', '/')
    const memo = 'DH6042 thanh toan cho cua hang xxxxxxx xxx xxxxxxx xxxxxxxxx xxx xxxxxxxx'
    const sms = `${head}|SD:222,772,047VND|ND: ${memo.replace(/.{35}/g, '$& ')}`
    const push = `${head} |SD: 222,772,047VND|TU: NGUYEN VAN A - 0011004177|ND: ${memo} SHOP88`
    expect((await attacked.sms(sms, undefined, 'MBBANK')).body.data.webhook_status).to.equal('pending')
    const app = { package: 'com.mbmobile', title: 'MB Bank' }
    expect((await attacked.push(push, undefined, app)).body.data.webhook_status).to.equal('already_run')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH6042'])
  })

  it('even if the push prints no time, like those of Techcombank and VPBank', async () => {
    expect((await attacked.api.ask('POST', '/api/bank-accounts/learn', { key: attacked.key })).status).to.equal(200)
    const before = (await attacked.sent()).length
    const memo = `DH7042 thanh toan cho cua hang ${'x '.repeat(30)}`
    const body = '19033255551111\nSo tien GD:+150,000\nSo du:222,772,047\n'
    const sms = `TK ${body}${memo}`.slice(0, 140)
    expect((await attacked.sms(sms, undefined, 'Techcombank')).body.data.webhook_status).to.equal('pending')
    const app = { package: 'vn.com.techcombank.bb.app', title: '+ VND 150,000' }
    const push = `Tài khoản: 19033255551111\nSố dư: VND 222,772,047\n${memo} SHOP89`
    expect((await attacked.push(push, undefined, app)).body.data.webhook_status).to.equal('already_run')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH7042'])
  })

  it('and its owner gets an alert if a later copy says that the money came back', async () => {
    const text = vietcombankText(++number, 'DH8042')
    const first = (await attacked.sms(text)).body.data
    const back = pushOf(text, 'DH8042 HOAN TRA GD LY DO SAI TK')
    const copy = (await attacked.push(back)).body.data
    expect(copy.webhook_status).to.equal('already_run')
    const alert = await alertAbout(first.id)
    expect(alert.text).to.contain('DH8042').and.to.contain(`${copy.id}`).and.to.contain('the money came back')
    const { body } = await attacked.api.ask('GET', `/api/transactions/${copy.id}/history`, { key: attacked.key })
    expect(body.data[0].facts).to.include({ copy_of: first.id, came_back: true })
  })

  it('but not if the first notification says so too, because it has paid nothing', async () => {
    const before = (await attacked.sent()).length
    const text = vietcombankText(++number, 'DH8043')
    const memo = 'DH8043 HOAN TRA GD LY DO SAI TK'
    const first = (await attacked.sms(text.replace(/DH\d+$/, memo))).body.data
    expect(first.webhook_status).to.equal('no_match')
    const shown = await attacked.api.ask('GET', `/api/transactions/${first.id}/history`, { key: attacked.key })
    expect(shown.body.data[0].facts).to.deep.equal({ rules: [], came_back: true })
    expect((await attacked.push(pushOf(text, memo))).body.data.webhook_status).to.equal('already_run')
    const other = vietcombankText(++number, 'DH8044')
    const paid = (await attacked.sms(other)).body.data
    await attacked.push(pushOf(other, 'DH80'))
    await alertAbout(paid.id)
    const alerts = await attacked.alerts('contradicting_copy', 0)
    expect(alerts.map(({ subject }) => subject)).to.not.include(`transaction:${first.id}`)
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH8044'])
  })

  it('but two transfers of one amount pay two orders', async () => {
    const before = (await attacked.sent()).length
    await attacked.sms(vietcombankText(++number, 'DH5042'))
    await attacked.sms(vietcombankText(++number, 'DH5055'))
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH5042', 'DH5055'])
  })
})
