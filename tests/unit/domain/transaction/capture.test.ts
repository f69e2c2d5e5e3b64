import { expect } from 'chai'
import type { Arrival } from '../../../../domain/arrival/arrival.ts'
import { notificationEvents } from '../../../../domain/arrival/events.ts'
import { dedupEvents } from '../../../../domain/dedup/events.ts'
import { receivePathOf } from '../../../../domain/arrival/origin.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { transactionEvents } from '../../../../domain/transaction/events.ts'
import { appraise, type Movement } from '../../../../domain/transaction/appraisal.ts'
import { captured, ignored, seen, unread } from '../../../../domain/transaction/capture.ts'
import { completed, contradictedBy } from '../../../../domain/transaction/copies.ts'
import { evolveAll, type LiveTransaction } from '../../../../domain/transaction/transaction.ts'
import { accountOf } from '../../../harness/accounts.ts'
import { arrivalOf, AT, judged, movementOf, TEXT, type Given } from './movements.ts'

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

  it('does not include what a payer pays back, or a name', () => {
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
