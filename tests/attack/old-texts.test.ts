/**
 * Attack: old texts arrive again. A phone that restores an old inbox posts every SMS as new, a mailbox that was paused delivers mails of
 * last week, and anybody can send a text twice. Without rule T5 the shop would be paid a second time.
 */
import { expect } from 'chai'
import { DAY_MS, HOUR_MS, inVietnam } from '../../domain/time.ts'
import { gatherCredits } from '../../workflows/credits/remember-credits.ts'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { openAttacked, type Attacked } from './real-api.ts'

describe('attack: old texts', () => {
  let attacked: Attacked
  let number = 0

  before(async () => {
    attacked = await openAttacked()
  })
  after(() => attacked.close())

  const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS)
  const oldText = (days: number): string => vietcombankText(++number, `DH${1000 + number}`, { at: ago(days) })

  it('send nothing and raise one alert for a restored inbox of 50 texts; a manual retry sends one', async () => {
    const taken: number[] = []
    for (let day = 10; day < 60; day++) {
      // Some forwarders send no timestamp, and some send that of the restore.
      const received_at = day % 3 === 0 ? ago(day) : day % 3 === 1 ? null : new Date()
      const { body } = await attacked.sms(oldText(day), received_at)
      expect(body.data.webhook_status).to.equal('no_match')
      taken.push(body.data.id)
    }
    expect(await attacked.sent()).to.deep.equal([])
    const alerts = await attacked.alerts('old_notification', 1)
    expect(alerts.map(({ subject }) => subject)).to.deep.equal(['device:77'])
    expect(alerts[0]!.text).to.contain(`${taken[0]}`)

    const retried = await attacked.api.ask('POST', `/api/transactions/${taken[7]}/retry`, { key: attacked.key })
    expect(retried.status).to.equal(200)
    expect(await attacked.sent()).to.deep.equal(['DH1008'])
    await eventually(async () => (await attacked.transaction(taken[7]!)).webhook_status === 'pending')
  })

  it('raise an alert about the key of a forwarder under the name that other alerts about it have', async () => {
    const made = { key: attacked.key, json: { name: 'forwarder', scopes: ['receive'] } }
    const { id, api_key: key } = (await attacked.api.ask('POST', '/api/account/api-keys', made)).body.data
    await attacked.api.ask('POST', '/api/receive/sms', { key, json: { sender: 'Vietcombank', text: oldText(10) } })
    const alerts = await attacked.alerts('old_notification', 2)
    expect(alerts.map(({ subject }) => subject)).to.include(`api_key:${id}`)
  })

  it('have the reason in their history', async () => {
    const { id } = (await attacked.sms(oldText(5))).body.data
    const { body } = await attacked.api.ask('GET', `/api/transactions/${id}/history`, { key: attacked.key })
    expect(body.data[0].text).to.contain('held back').and.to.contain('old')
  })

  it('are recognised by an old timestamp if the text prints no time', async () => {
    const before = (await attacked.sent()).length
    const text = (memo: string) => `TK 19033255551111\nSo tien GD:+100,000\nSo du:350,000\n${memo}`
    const old = await attacked.sms(text('DH7001'), ago(2), 'Techcombank')
    expect(old.body.data.webhook_status).to.equal('no_match')
    const fresh = await attacked.sms(text('DH7002').replace('350', '450'), ago(0.5), 'Techcombank')
    expect(fresh.body.data.webhook_status).to.equal('pending')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH7002'])
  })

  it('are not sent because of a better copy, and an old copy sends nothing', async () => {
    const before = (await attacked.sent()).length
    const asPush = (text: string) =>
      text.replace('SD TK', 'Số dư TK VCB').replace('VND luc', ' VND lúc').replace('. SD ', '. Số dư ')
    // The first copy is old. Its better copy has a new timestamp.
    const held = vietcombankText(++number, 'NGUYEN VAN A...', { at: ago(3) })
    const first = (await attacked.sms(held, ago(3))).body.data
    await attacked.push(asPush(held).replace('NGUYEN VAN A...', 'NGUYEN VAN A DH8001'))
    expect(await attacked.transaction(first.id, 'DH8001')).to.include({
      order_id: 'DH8001',
      webhook_status: 'no_match',
    })
    // The first copy arrived in time. The copy with the order id is old.
    const now = new Date()
    const seen = vietcombankText(++number, 'NGUYEN VAN B...', { at: now })
    const second = (await attacked.sms(seen, now)).body.data
    await attacked.push(asPush(seen).replace('NGUYEN VAN B...', 'NGUYEN VAN B DH8002'), ago(2))
    expect(await attacked.transaction(second.id, 'DH8002')).to.include({
      order_id: 'DH8002',
      webhook_status: 'no_match',
    })
    expect((await attacked.sent()).slice(before)).to.deep.equal([])
    await attacked.api.ask('POST', `/api/transactions/${second.id}/retry`, { key: attacked.key })
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH8002'])
  })

  it('are sent as before if they arrive within a day', async () => {
    const before = (await attacked.sent()).length
    const text = oldText(0.9)
    expect((await attacked.sms(text, ago(0.9))).body.data.webhook_status).to.equal('pending')
    expect((await attacked.sent()).length).to.equal(before + 1)
  })

  it('are not those without a year that a server receives whose clock is hours behind', async () => {
    const { hour, minute, day, month } = inVietnam(new Date(Date.now() + 7 * HOUR_MS))
    const [hh, mm, dd, MM] = [hour, minute, day, month].map((part) => String(part).padStart(2, '0'))
    const text = `Agribank: ${hh}h${mm}p ${dd}/${MM} TK 1234567890123: +150,000VND (DH9001). SD: 1,150,000VND.`
    expect((await attacked.sms(text, null, 'Agribank')).body.data.webhook_status).to.equal('pending')
  })
})

describe('attack: credits that arrive again within two years', () => {
  let attacked: Attacked
  let position: StorePosition | null = null
  let number = 0

  before(async () => {
    attacked = await openAttacked()
  })
  after(() => attacked.close())

  const start = new Date()
  /** Days after the start of the test. */
  const day = (days: number): Date => new Date(start.getTime() + days * DAY_MS)
  const itIs = (at: Date): void => {
    attacked.api.clock.at = at
  }
  /** Does what the scheduled work does once a day. */
  const gather = () => {
    const { store, clock } = attacked.api
    const save = (saved: StorePosition) => Promise.resolve(void (position = saved))
    return gatherCredits(
      { store, clock, checkpoint: { load: () => Promise.resolve(position), save } },
      new AbortController().signal,
    )
  }
  /** Techcombank prints no date. */
  const techcombank = (reference: string | null, memo: string, amount = '100,000'): string =>
    `TK 19033255551111\nSo tien GD:+${amount}\nSo du:${350 + ++number},000\n${reference ? `${reference} ` : ''}${memo}`
  const sms = async (text: string, received_at?: Date | null) =>
    (await attacked.sms(text, received_at, text.startsWith('TK') ? 'Techcombank' : 'Vietcombank')).body.data

  it('pay nothing twice if a restored inbox has new timestamps and no dates', async () => {
    itIs(day(0))
    const texts = Array.from({ length: 20 }, (_, n) => techcombank(`FT2632012345${1_000 + n}`, `DH${6000 + n}`))
    const first = []
    for (const text of texts) first.push(await sms(text))
    expect(new Set(first.map(({ webhook_status }) => webhook_status))).to.deep.equal(new Set(['pending']))
    const before = (await attacked.sent()).length
    itIs(day(1))
    expect(await gather()).to.equal(20)

    for (const days of [8, 100, 700]) {
      itIs(day(days))
      for (const [n, text] of texts.entries()) {
        const again = await sms(text, n % 2 === 0 ? day(days) : null)
        expect(again.webhook_status, `day ${days}`).to.equal('already_run')
        expect(again.id).to.not.equal(first[n].id)
        expect(await attacked.transaction(again.id)).to.include({ already_run_of: first[n].id })
      }
    }
    expect((await attacked.sent()).slice(before)).to.deep.equal([])
  })

  it('pay nothing if the repeated text shows another order id', async () => {
    itIs(day(710))
    const before = (await attacked.sent()).length
    const again = await sms(techcombank('FT26320123451005', 'DH9999'))
    expect(again.webhook_status).to.equal('already_run')
    expect((await attacked.sent()).slice(before)).to.deep.equal([])
    const [alert] = await attacked.alerts('contradicting_copy', 1)
    expect(alert!.text).to.contain('DH6005').and.to.contain('DH9999')
  })

  it('are sent as before if they are new, have no reference, or another amount or account', async () => {
    itIs(day(720))
    const before = (await attacked.sent()).length
    // One of the texts names another bank account, and would be held.
    expect((await attacked.api.ask('POST', '/api/bank-accounts/learn', { key: attacked.key })).status).to.equal(200)
    const unseen = [
      techcombank('FT26320123459999', 'DH6100'),
      techcombank(null, 'DH6101'),
      techcombank('FT26320123451006', 'DH6102', '100,001'),
      techcombank('FT26320123451007', 'DH6103').replace('19033255551111', '19033255552222'),
      techcombank('Trace 123456', 'DH6104'),
    ]
    for (const text of unseen) expect((await sms(text)).webhook_status, text).to.equal('pending')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH6100', 'DH6101', 'DH6102', 'DH6103', 'DH6104'])
  })

  it('are sent if they print a new time, although the payer repeats a memo with a bank’s reference', async () => {
    const bidv = (at: Date, order: string): string => {
      const [date = '', time = ''] = new Date(at.getTime() + 7 * 3_600_000).toISOString().split('T')
      const printed = `${time.slice(0, 5)} ${date.split('-').reverse().join('/')}`
      return `TK8832123000 tai BIDV +150,000VND vao ${printed}. So du:${350 + ++number},000VND. ND: MBVCB.911539506.${order}`
    }
    itIs(day(722))
    expect((await attacked.api.ask('POST', '/api/bank-accounts/learn', { key: attacked.key })).status).to.equal(200)
    const before = (await attacked.sent()).length
    const text = bidv(day(722), 'DH6110')
    const first = (await attacked.sms(text, day(722), 'BIDV')).body.data
    expect(first.webhook_status).to.equal('pending')
    await eventually(async () => {
      const { body } = await attacked.api.ask('GET', '/api/bank-accounts', { key: attacked.key })
      return (body.data as { account_number: string }[]).some(({ account_number }) => account_number === '8832123000')
    })
    await gather()
    itIs(day(732))
    const next = (await attacked.sms(bidv(day(732), 'DH6110'), day(732), 'BIDV')).body.data
    expect(next.webhook_status).to.equal('pending')
    expect((await attacked.sent()).slice(before)).to.deep.equal(['DH6110', 'DH6110'])
    const again = (await attacked.sms(text, day(732), 'BIDV')).body.data
    expect(await attacked.transaction(again.id)).to.include({ already_run_of: first.id })
  })

  it('stay deleted if their owner deleted them', async () => {
    itIs(day(733))
    const text = techcombank('FT26320123458888', 'DH6200')
    const { id } = await sms(text)
    await gather()
    const gone = await attacked.api.ask('DELETE', `/api/transactions/${id}`, { key: attacked.key })
    expect(gone.status).to.equal(200)
    itIs(day(742))
    expect(await sms(text)).to.deep.equal({ ignored: true, reason: 'deleted' })
  })

  it('are not completed by a better copy after the deduplication window', async () => {
    itIs(day(752))
    const first = await sms(techcombank('FT26320123457777', 'NGUYEN VAN A'))
    expect(first.webhook_status).to.equal('skipped')
    await gather()
    itIs(day(762))
    const before = (await attacked.sent()).length
    expect((await sms(techcombank('FT26320123457777', 'NGUYEN VAN A DH6300'))).webhook_status).to.equal('already_run')
    expect((await attacked.sent()).slice(before)).to.deep.equal([])
  })
})
