import { expect } from 'chai'
import type { Arrival } from '../../../../domain/arrival/arrival.ts'
import { notificationEvents } from '../../../../domain/arrival/events.ts'
import { dedupEvents } from '../../../../domain/dedup/events.ts'
import { receivePathOf } from '../../../../domain/arrival/origin.ts'
import { read } from '../../../../domain/reader/reader.ts'
import type { Reading } from '../../../../domain/reader/reading.ts'
import { transactionEvents } from '../../../../domain/transaction/events.ts'
import { appraise, readable, type Appraised, type Movement } from '../../../../domain/transaction/appraisal.ts'
import { captured, ignored, seen, unread } from '../../../../domain/transaction/capture.ts'
import { completed, contradictedBy, isRemembered } from '../../../../domain/transaction/copies.ts'
import { evolveAll, type LiveTransaction } from '../../../../domain/transaction/transaction.ts'
import { accountOf, shownOf } from '../../../harness/accounts.ts'

const TEXT = 'SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref MBVCB.911539506.DH1042'
const AT = new Date('2026-11-20T03:00:10.000Z')

type Given = Partial<Arrival['incoming']> & { device?: number; posted_as?: Arrival['posted_as'] }

const arrivalOf = ({ device = 1, posted_as = 'sms', ...incoming }: Given): Arrival => ({
  credential: shownOf(7, device),
  incoming: { text: TEXT, ...incoming },
  posted_as: device === 0 ? null : posted_as,
  stamp: AT,
  arrived_at: AT,
  raw: '{}',
})

const judged = (given: Given, options: Parameters<typeof accountOf>[1] = {}): Appraised => {
  const account = accountOf(7, options)
  const arrival = readable(arrivalOf(given))
  return appraise(
    account,
    receivePathOf(account, arrival.credential, arrival.arrived_at)!,
    arrival,
    read(arrival.incoming, arrival.arrived_at),
  )
}

const movementOf = (given: Given, options: Parameters<typeof accountOf>[1] = {}): Movement => {
  const appraised = judged(given, options)
  if (appraised.kind !== 'movement') throw new Error(`no movement: ${JSON.stringify(appraised)}`)
  return appraised
}

const reasonOf = (given: Given, options: Parameters<typeof accountOf>[1] = {}): string | null => {
  const appraised = judged(given, options)
  return appraised.kind === 'ignored' ? appraised.reason : null
}

describe('an old notification', () => {
  const old = new Date(AT.getTime() - 2 * 86_400_000)
  const movementAt = (given: Partial<Arrival>, text = TEXT): Movement => {
    const account = accountOf(7)
    const arrival: Arrival = { ...arrivalOf({ sender: 'Vietcombank', text }), ...given }
    const read_ = read(arrival.incoming, arrival.arrived_at)
    const appraised = appraise(
      account,
      receivePathOf(account, arrival.credential, arrival.arrived_at)!,
      arrival,
      read_,
      null,
      86_400_000,
    )
    if (appraised.kind !== 'movement') throw new Error('no movement')
    return appraised
  }

  it('is recorded without rules and marked as held', () => {
    const { data } = captured(1, 7, movementAt({ stamp: old }), null)
    expect(data).to.include({ webhook_status: 'no_match', order_id: 'DH1042', held: 'old_notification' })
    expect(data.rules).to.deep.equal([])
    transactionEvents.TransactionCaptured.strict().parse(data)
  })
  it('is not marked as held if it is a copy, nor is one that arrives in time', () => {
    expect(captured(1, 7, movementAt({}), null).data).to.not.have.property('held')
    expect(captured(2, 7, movementAt({ stamp: old }), 1).data).to.not.have.property('held')
  })
  it('stays skipped if it has no order id', () => {
    const { data } = captured(1, 7, movementAt({ stamp: old }, TEXT.replace('DH1042', 'chuyen tien')), null)
    expect(data).to.include({ webhook_status: 'skipped', held: 'old_notification' })
  })
  it('is not sent after a better copy, and an old copy causes no call', () => {
    const withoutId = TEXT.replace('DH1042', 'chuyen tien')
    const firstAt = (stamp: Date): LiveTransaction => {
      const fact = captured(1, 7, movementAt({ stamp }, withoutId), null)
      return evolveAll(null, [fact], fact.data.created_at) as LiveTransaction
    }
    for (const [first, copy] of [
      [old, AT],
      [AT, old],
    ] as const) {
      const facts = completed(firstAt(first), 2, movementAt({ stamp: copy }))
      expect(facts[0]!.data).to.include({ order_id: 'DH1042', webhook_status: 'no_match', held: 'old_notification' })
      const after = evolveAll(firstAt(first), facts, AT.toISOString()) as LiveTransaction
      expect(after).to.include({ held: 'old_notification', order_id: 'DH1042' })
      expect(after.deliveries.size).to.equal(0)
    }
    expect(completed(firstAt(AT), 2, movementAt({}))[0]!.data).to.include({ webhook_status: 'pending' })
    const late = new Date(AT.getTime() + 8 * 86_400_000)
    expect(completed(firstAt(AT), 2, movementAt({ stamp: late, arrived_at: late }))).to.deep.equal([])
  })
})

describe('a credit that may have been reported before', () => {
  const DAY = 86_400_000
  const keptOf = (silent: boolean): Arrival['credential'] => ({
    kind: 'kept',
    user_id: 7,
    kept: { notification_id: 1, source: 'device-1:sms', silent },
  })
  const appraised = (
    { reading = {}, ...given }: Partial<Arrival> & { reading?: Partial<Reading> },
    text = TEXT,
  ): Movement => {
    const account = accountOf(7)
    const arrival: Arrival = { ...arrivalOf({ sender: 'Vietcombank', text }), ...given }
    const found = read(arrival.incoming, arrival.arrived_at)
    const path = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const changed = { ...found, reading: { ...found.reading!, ...reading } } as ReturnType<typeof read>
    const movement = appraise(account, path, arrival, changed)
    if (movement.kind !== 'movement') throw new Error('no movement')
    return movement
  }
  const isCompared = (...given: Parameters<typeof appraised>): boolean => appraised(...given).marks.length > 0
  const { printed_time } = read({ text: TEXT, sender: 'Vietcombank' }, AT).reading!
  const after = (days: number) => ({ arrived_at: new Date(Date.parse(printed_time!.at) + days * DAY) })

  it('is not compared with the credits of two years if it prints a date of the last six days', () => {
    expect(isCompared({})).to.equal(false)
    expect(isCompared(after(5.9))).to.equal(false)
    expect(isCompared(after(6.1))).to.equal(true)
  })
  it('is compared if nothing proves the date: without a time, without a year, or where a payer writes it', () => {
    expect(isCompared({ reading: { printed_time: null } })).to.equal(true)
    expect(isCompared({ reading: { printed_time: { ...printed_time!, year_printed: false } } })).to.equal(true)
    expect(isCompared({ reading: { time_in_memo: 'alone' } })).to.equal(true)
    expect(isCompared({ reading: { time_in_memo: 'beside_day' } })).to.equal(false)
  })
  it('is compared if it was kept and is read again, when the deduplication window may have dropped it', () =>
    expect(isCompared({ credential: keptOf(false) })).to.equal(true))
  it('is no debit', () => expect(isCompared(after(6.1), TEXT.replace('+150', '-150'))).to.equal(false))

  it('is held back if it was kept until it was old', () => {
    expect(appraised({ credential: keptOf(false) }).held).to.equal(null)
    expect(appraised({ credential: keptOf(true) }).held).to.equal('old_notification')
  })
})

describe('the payment of a plan', () => {
  const PLANS = { prefix: 'BC', bank_code: 'VCB', account_number: '0011000415567', account_name: 'BAOCO' }
  const appraised = (memo: string, { stamp = AT, prefixes = ['DH'] } = {}): Movement => {
    const account = { ...accountOf(7, { prefixes }), operator: true }
    const arrival = { ...arrivalOf({ sender: 'Vietcombank', text: TEXT.replace('DH1042', memo) }), stamp }
    const path = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const movement = appraise(account, path, arrival, read(arrival.incoming, arrival.arrived_at), PLANS)
    if (movement.kind !== 'movement') throw new Error('no movement')
    return movement
  }

  it('names its order, unless the money comes back or the notification is old', () => {
    expect(appraised('BC0042').plan_order_id).to.equal(42)
    expect(appraised('HOAN TRA GD BC0042').plan_order_id).to.equal(null)
    expect(appraised('BC0042', { stamp: new Date(AT.getTime() - 2 * 86_400_000) }).plan_order_id).to.equal(null)
  })
  it('fires no rule, and is not marked as held', () => {
    const paid = { webhook_status: 'plan_upgraded', already_run_of: null } as const
    const held = { ...appraised('DH1042'), held: 'unconfirmed_account' as const }
    const { data } = captured(1, 7, held, null, paid)
    expect(data).to.deep.include({ ...paid, rules: [] })
    expect(data).not.to.have.property('held')
  })
  it("has the order id of the plan, unless one of the operator's own shops is named", () => {
    expect(appraised('BC0042').matched).to.include({ order_id: 'BC0042', prefix: 'BC', webhook_status: 'no_match' })
    expect(appraised('DH1042 BC0042').matched).to.include({ order_id: 'DH1042', webhook_status: 'pending' })
  })
})

describe('a bank account that is first seen weeks after the registration', () => {
  const heldFor = (text: string) => {
    const account = { ...accountOf(7), registered_at: '2026-11-01T00:00:00.000Z' }
    const arrival = arrivalOf({ sender: 'Vietcombank', text })
    const path = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const appraised = appraise(account, path, arrival, read(arrival.incoming, arrival.arrived_at))
    return appraised.kind === 'movement' ? appraised.held : appraised.kind
  }
  it('holds a credit back until its owner confirms it', () => expect(heldFor(TEXT)).to.equal('unconfirmed_account'))
  it('holds no debit back', () => expect(heldFor(TEXT.replace('+150', '-150'))).to.equal(null))
})

describe('money that comes back', () => {
  const matchedIn = (memo: string) => {
    const text = `SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref ${memo}`
    return movementOf({ sender: 'Vietcombank', text }).matched
  }

  it('pays no order, although its memo repeats the order id of the transfer that failed', () => {
    for (const memo of [
      'HOAN TRA GD NGAY 19112026 Hoan tien don hang DH1042',
      '(B/O NGAN HANG TMCP QUAN DOI) HOAN TRA LCC 10005950NGAY 08092025 LY DO SAI TK DH1042',
      'Hoan tra giao dich chuyen tien nhanh. DH1042',
      'hoàn tiền giao dịch DH1042',
      'HOAN TRA LENH CHUYEN TIEN DH1042 DO SAI SO TAI KHOAN',
      'Giao dich bi hoan tra. DH1042',
      'HOAN TRA DH1042 LY DO SAI TEN',
      'REVERSAL OF FT26323111111 DH1042',
      'Refund DH1042',
      'RETURNED PAYMENT DH1042',
    ])
      expect(matchedIn(memo), memo).to.deep.equal({
        order_id: 'DH1042',
        prefix: null,
        rules: [],
        webhook_status: 'no_match',
      })
  })

  it('is not what a payer pays back, nor a name', () => {
    for (const memo of [
      'hoan tra khoan vay DH1042',
      'NGUYEN VAN HOAN chuyen tien DH1042',
      'LE THI HOAN TRA TIEN HANG DH1042',
      'Hoan tra DH1042',
      'HOAN CK DH1042',
      'hoan tat DH1042',
      'LE HOAN TIEN mua hang DH1042 tu vi TK 0912345678',
      'HOANG TIEN DH1042',
      // VietinBank writes this before payments from other banks, and ACB behind every memo.
      'So GD goc: 10001234 DH1042',
      'DH1042 hoan tra GD 6181SGTTH2MAPRUW 300626-21:14:53',
      'DH1042 LE HOAN TIEN GD 929275-011524 15:08:43',
    ])
      expect(matchedIn(memo).prefix, memo).to.equal('DH')
  })

  it('pays no order that only a copy names, which shows just a part of the memo', () => {
    const of = (memo: string) =>
      movementOf({
        sender: 'Vietcombank',
        text: `SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref ${memo}`,
      })
    const fact = captured(1, 7, of('HOAN TRA GD NGAY 19112026 Hoan tien don h...'), null)
    const first = evolveAll(null, [fact], fact.data.created_at) as LiveTransaction
    expect(first.webhook_status).to.equal('skipped')
    expect(completed(first, 2, of('Hoan tien don hang DH1042'))).to.deep.equal([])
    expect(completed(first, 2, of('HOAN TRA GD NGAY 19112026 Hoan tien don hang DH1042'))[0]!.data).to.include({
      order_id: 'DH1042',
      prefix: null,
      webhook_status: 'no_match',
    })
  })

  it('contradicts the order that the first notification names, unless that one says so too', () => {
    const of = (memo: string) => movementOf({ sender: 'Vietcombank', text: TEXT.replace('DH1042', memo) })
    const firstOf = (memo: string): LiveTransaction => {
      const fact = captured(1, 7, of(memo), null)
      return evolveAll(null, [fact], fact.data.created_at) as LiveTransaction
    }
    const back = 'DH1042 HOAN TRA GD LY DO SAI TK'
    expect(contradictedBy(firstOf('DH1042'), of(back))).to.equal('DH1042')
    expect(contradictedBy(firstOf('DH1042'), of('DH1042 hoan'))).to.equal(null)
    expect(contradictedBy(firstOf(back), of(back))).to.equal(null)
    // Somebody has sent it by hand.
    expect(contradictedBy({ ...firstOf(back), prefix: 'DH' }, of(back))).to.equal(null)
  })

  it('is not sent by the confirmation of its bank account', () => {
    const account = { ...accountOf(7), registered_at: '2026-11-01T00:00:00.000Z' }
    const arrival = arrivalOf({ sender: 'Vietcombank', text: TEXT.replace('DH1042', 'HOAN TRA GD DH1042') })
    const path = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const appraised = appraise(account, path, arrival, read(arrival.incoming, arrival.arrived_at))
    expect(appraised).to.include({ kind: 'movement', held: null })
  })
})

describe('the trust check', () => {
  it('accepts an SMS from a sender of the bank', () => expect(reasonOf({ sender: 'Vietcombank' })).to.equal(null))
  it('refuses an SMS from any other sender', () =>
    expect(reasonOf({ sender: '0912345678' })).to.equal('unknown_sender'))
  it('refuses an SMS from a sender of another bank', () =>
    expect(judged({ sender: 'MBBANK' }).kind).to.not.equal('movement'))
  it('accepts an SMS from a sender that the user trusts', () =>
    expect(reasonOf({ sender: 'My Gateway' }, { trustedSenders: ['mygateway'] })).to.equal(null))
  it('refuses an SMS without a sender from a phone', () => expect(reasonOf({})).to.equal('unknown_sender'))
  it('refuses an empty sender or app', () => {
    for (const device of [0, 1]) {
      expect(reasonOf({ device, sender: '' })).to.equal('unknown_sender')
      expect(reasonOf({ device, package: '' }), 'package').to.equal('unknown_app')
      expect(reasonOf({ device, sender: 'Vietcombank', package: '' }), 'both').to.equal('unknown_app')
      expect(reasonOf({ device, posted_as: 'notification', sender: '', package: 'com.VCB' })).to.equal('unknown_sender')
    }
  })
  it('refuses an empty sender even if the trusted list contains a blank', () =>
    expect(reasonOf({ sender: '' }, { trustedSenders: [' '] })).to.equal('unknown_sender'))
  it('accepts a push of the app of the bank with any title, but not with a phone number as sender', () => {
    const push = { posted_as: 'notification', package: 'com.VCB' } as const
    for (const title of ['', 'VCB Digibank', 'Zalo']) expect(reasonOf({ ...push, title })).to.equal(null)
    expect(reasonOf({ ...push, sender: '3' }), 'a count of notifications').to.equal(null)
    expect(reasonOf({ ...push, sender: '+84 912 345 678' })).to.equal('unknown_sender')
  })
  it('accepts a push of the app of the bank', () =>
    expect(reasonOf({ posted_as: 'notification', package: 'com.VCB' })).to.equal(null))
  it('refuses a push of another app', () =>
    expect(reasonOf({ posted_as: 'notification', package: 'com.evil.bank' })).to.equal('unknown_app'))
  it('refuses a push without an app from a phone', () =>
    expect(reasonOf({ posted_as: 'notification' })).to.equal('unknown_app'))
  it('refuses a post without a sender on the personal URL unless its owner allows it', () => {
    expect(reasonOf({ device: 0 })).to.equal('unknown_sender')
    expect(reasonOf({ device: 0 }, { withoutSender: true })).to.equal(null)
    expect(reasonOf({ device: 1 }, { withoutSender: true }), 'a phone').to.equal('unknown_sender')
    for (const given of [{ sender: '' }, { package: '' }, { title: '' }, { title: 'VCB Digibank' }])
      expect(reasonOf({ device: 0, ...given }, { withoutSender: true }), JSON.stringify(given)).to.match(/^unknown_/)
  })
  it('refuses an unknown sender on the personal URL', () =>
    expect(reasonOf({ device: 0, sender: '0912345678' })).to.equal('unknown_sender'))
  it('accepts an SMS app by its title if the owner enabled it for that phone', () => {
    const app = { posted_as: 'notification', package: 'com.google.android.apps.messaging' } as const
    const enabled = { smsAppTitles: true }
    expect(reasonOf({ ...app, title: 'Vietcombank' })).to.equal('unknown_sender')
    expect(reasonOf({ ...app, title: 'Vietcombank', device: 2 }, enabled)).to.equal('unknown_sender')
    expect(reasonOf({ ...app, title: 'Vietcombank' }, enabled)).to.equal(null)
    expect(reasonOf({ ...app, title: '0912345678' }, enabled)).to.equal('unknown_sender')
    expect(reasonOf({ ...app, title: '' }, enabled)).to.equal('unknown_sender')
    expect(reasonOf({ ...app, title: 'Vietcombank', sender: '0912345678' }, enabled)).to.equal('unknown_sender')
    expect(reasonOf({ ...app, title: '0912345678', sender: 'Vietcombank' }, enabled)).to.equal('unknown_sender')
  })
  it('keeps an unread text only from a trusted sender', () => {
    const text = 'tra em 150,000 nhe'
    expect(reasonOf({ text, sender: '0912345678' })).to.not.equal(null)
    expect(judged({ text: 'TK 0011000415567 thay doi 150,000 VND gi do', sender: 'Vietcombank' }).kind).to.equal(
      'unread',
    )
    expect(reasonOf({ text: 'TK 0011000415567 thay doi 150,000 VND gi do', sender: 'X' })).to.equal('unknown_sender')
  })
})

describe('the source of a notification', () => {
  const sourceOf = (given: Given) => {
    const { source, source_type } = movementOf(given, { smsAppTitles: true }).origin
    return [source, source_type]
  }
  it('is the phone for an SMS', () =>
    expect(sourceOf({ sender: 'Vietcombank' })).to.deep.equal(['device-1:sms', 'sms']))
  it('is the same if an SMS app shows the SMS', () =>
    expect(
      sourceOf({ posted_as: 'notification', package: 'com.samsung.android.messaging', title: 'Vietcombank' }),
    ).to.deep.equal(['device-1:sms', 'sms']))
  it('is the phone and the app for a push', () =>
    expect(sourceOf({ device: 2, posted_as: 'notification', package: 'com.VCB' })).to.deep.equal([
      'device-2:com.VCB',
      'notification',
    ]))
  it('is the personal URL with the sender or the app', () => {
    expect(sourceOf({ device: 0, sender: 'vietcom bank' })).to.deep.equal(['url:VIETCOMBANK', 'sms'])
    expect(sourceOf({ device: 0, package: 'com.VCB' })).to.deep.equal(['url:com.VCB', 'notification'])
    expect(movementOf({ device: 0 }, { withoutSender: true }).origin.source_type).to.equal('api')
  })
  it('gives an SMS the same fingerprint if an SMS app shows it', () => {
    const app = { posted_as: 'notification', package: 'com.android.mms', title: 'Vietcombank' } as const
    const shown = movementOf(app, { smsAppTitles: true })
    expect(shown.sighting.fingerprint).to.equal(movementOf({ sender: 'Vietcombank' }).sighting.fingerprint)
  })
  it('includes the title of a push in the fingerprint, because some banks print the amount only there', () => {
    const push = { posted_as: 'notification', package: 'com.VCB' } as const
    const [one, other] = ['one', 'other'].map((title) => movementOf({ ...push, title }).sighting.fingerprint)
    expect(one).to.not.equal(other)
  })
  it('gives the same fingerprint for texts that are equal after normalisation', () => {
    const odd = TEXT.normalize('NFD').replaceAll(' ', '\u00a0 ').replace('+', '\u200b+')
    expect(movementOf({ text: odd, sender: 'Vietcombank' }).sighting.fingerprint).to.equal(
      movementOf({ sender: 'Vietcombank' }).sighting.fingerprint,
    )
  })
})

describe('a recorded event', () => {
  const movement = movementOf({ sender: 'Vietcombank' })

  it('matches its schema', () => {
    transactionEvents.TransactionCaptured.strict().parse(captured(1, 7, movement, null).data)
    dedupEvents.NotificationSeen.strict().parse(seen(1, movement, null).data)
    dedupEvents.NotificationSeen.strict().parse(seen(2, movement, 1).data)
    notificationEvents.NotificationUnread.strict().parse(unread(1, 7, movement).data)
    notificationEvents.NotificationIgnored.strict().parse(ignored(1, 7, movement, 'promotion').data)
  })

  it('contains no text in the deduplication window', () => {
    const kept = JSON.stringify(seen(1, movement, null).data)
    for (const secret of ['SD TK', 'luc', 'Ref']) expect(kept).to.not.include(secret)
  })

  it('has the status for a matching rule, no rule, no prefix, no order id and a copy', () => {
    const statusOf = (given: Given, options = {}, copyOf: number | null = null) => {
      const { order_id, rules, webhook_status } = captured(
        1,
        7,
        movementOf({ sender: 'Vietcombank', ...given }, options),
        copyOf,
      ).data
      return [order_id, rules, webhook_status]
    }
    expect(statusOf({})).to.deep.equal(['DH1042', [20], 'pending'])
    expect(statusOf({}, { rules: false })).to.deep.equal(['DH1042', [], 'no_match'])
    expect(statusOf({}, { prefixes: ['SHOP'] })).to.deep.equal(['DH1042', [], 'no_match'])
    expect(statusOf({ text: TEXT.replace('DH1042', 'chuyen tien') })).to.deep.equal([null, [], 'skipped'])
    expect(statusOf({}, {}, 5)).to.deep.equal(['DH1042', [], 'already_run'])
  })

  it('contains the fields and the body of an ignored notification, unless a one-time password is among them', () => {
    const { sender, title, raw_data } = ignored(1, 7, movement, 'chat').data
    expect({ sender, title, raw_data }).to.deep.equal({
      sender: 'Vietcombank',
      title: null,
      raw_data: movement.arrival.raw,
    })
    const withOtp = { ...movement, arrival: { ...movement.arrival, raw: '{"note":"ma OTP 123456"}' } }
    expect(ignored(1, 7, withOtp, 'chat').data).to.not.have.property('raw_data')
    expect(ignored(1, 7, withOtp, 'otp').data).to.not.have.property('sender')
  })

  it('contains the text of an ignored notification, but never of a one-time password or a deleted one', () => {
    expect(ignored(1, 7, movement, 'promotion').data.text).to.equal(TEXT)
    for (const reason of ['otp', 'deleted'] as const) expect(ignored(1, 7, movement, reason).data.text).to.equal(null)
  })

  it('has a description of at most 32 KB', () => {
    const { description } = captured(
      1,
      7,
      movementOf({ text: `${TEXT} ${'ồ'.repeat(40_000)}`, sender: 'Vietcombank' }),
      null,
    ).data
    expect(Buffer.byteLength(description)).to.be.within(32 * 1024 - 3, 32 * 1024)
    expect(description.endsWith('ồ')).to.equal(true)
  })
})

describe('a better copy', () => {
  const firstWith = (memo: string, options = {}): LiveTransaction => {
    const facts = [
      captured(1, 7, movementOf({ text: TEXT.replace('DH1042', memo), sender: 'Vietcombank' }, options), null),
    ]
    return evolveAll(null, facts, AT.toISOString()) as LiveTransaction
  }
  const better = movementOf({ sender: 'Vietcombank' })

  it('completes a first notification without an order id', () => {
    expect(completed(firstWith('NGUYEN VAN...'), 2, better)).to.deep.equal([
      {
        type: 'TransactionCompleted',
        data: {
          transaction_id: 1,
          completed_by: 2,
          order_id: 'DH1042',
          prefix: 'DH',
          rules: [20],
          webhook_status: 'pending',
        },
      },
      { type: 'WebhookStatusChanged', data: { transaction_id: 1, from: 'skipped', to: 'pending' } },
    ])
  })
  it('completes one whose order id was a guess', () =>
    expect(completed(firstWith('ABC123'), 2, better)[0]?.data).to.include({ order_id: 'DH1042' }))
  it('does not complete one that has an order id with a prefix of the user', () =>
    expect(completed(firstWith('DH1042', { rules: false }), 2, better)).to.deep.equal([]))
  it('does not complete one that was already sent', () =>
    expect(completed({ ...firstWith('ABC123'), webhook_status: 'success' }, 2, better)).to.deep.equal([]))
  it('completes nothing if it has no order id itself', () =>
    expect(
      completed(firstWith('NGUYEN...'), 2, movementOf({ text: TEXT.replace('DH1042', 'x'), sender: 'Vietcombank' })),
    ).to.deep.equal([]))
  it('completes no order id of another system, and no guess by another guess or by the same id', () => {
    const shop = (memo: string) => movementOf({ text: TEXT.replace('DH1042', memo), sender: 'Vietcombank' })
    expect(completed(firstWith('DH7', { rules: false }), 2, better)).to.deep.equal([])
    expect(completed(firstWith('ABC123'), 2, shop('ABD124'))).to.deep.equal([])
    // The prefix is newer than the first notification.
    expect(completed(firstWith('DH1042', { prefixes: ['SHOP'] }), 2, better)).to.deep.equal([])
  })
  it('sends nothing for a bank account that is switched off, nor for a guess that stays unmatched', () => {
    const none = { rules: [], webhook_status: 'no_match' }
    expect(completed(firstWith('ABC123'), 2, better, null, true).map(({ data }) => data)).to.deep.equal([
      { transaction_id: 1, completed_by: 2, order_id: 'DH1042', prefix: 'DH', ...none },
    ])
  })
  it('is the payment of a plan, which fires no rule and is not held', () => {
    const first: LiveTransaction = { ...firstWith('ABC123'), held: 'unconfirmed_account' }
    const [fact] = completed(first, 2, better, { webhook_status: 'plan_upgraded', already_run_of: null })
    expect(fact!.data).to.deep.include({ webhook_status: 'plan_upgraded', rules: [] })
    expect(fact!.data).not.to.have.property('held')
  })

  it('contradicts an order id that matched a prefix, and only by another one that does', () => {
    const of = (memo: string) => movementOf({ text: TEXT.replace('DH1042', memo), sender: 'Vietcombank' })
    expect(contradictedBy(firstWith('DH7'), better)).to.equal('DH7')
    expect(contradictedBy(firstWith('DH1042'), better)).to.equal(null)
    expect(contradictedBy(firstWith('DH7'), of('ABC123')), 'a guess').to.equal(null)
    expect(contradictedBy(firstWith('ABC123'), better), 'of a guess').to.equal(null)
  })
})

describe('a credit that is remembered', () => {
  const credit = movementOf({ sender: 'Vietcombank' })
  const first = evolveAll(null, [captured(1, 7, credit, null)], AT.toISOString()) as LiveTransaction

  it('is the one with the same bank and amount, whose account number does not differ', () => {
    expect(isRemembered(first, credit)).to.equal(true)
    expect(isRemembered({ ...first, account_number: 'xxxx5567' }, credit)).to.equal(true)
    expect(isRemembered({ ...first, account_number: null }, credit)).to.equal(true)
    const unnamed = { ...credit, reading: { ...credit.reading, account_number: null } }
    expect(isRemembered(first, unnamed)).to.equal(true)
  })

  it('is not one of another bank, amount, direction or account', () => {
    for (const other of [
      { bank_code: 'MB' },
      { amount: '150001.00' as typeof first.amount },
      { transaction_type: 'debit' as const },
      { account_number: '0011000415568' },
    ])
      expect(isRemembered({ ...first, ...other }, credit), JSON.stringify(other)).to.equal(false)
  })
})
