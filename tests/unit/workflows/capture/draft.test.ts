import { expect } from 'chai'
import { evolve } from '../../../../domain/account/account.ts'
import { CreditMemory } from '../../../../domain/credits/memory.ts'
import type { NotificationSeen } from '../../../../domain/dedup/events.ts'
import { DedupWindow } from '../../../../domain/dedup/window.ts'
import { orderPlan } from '../../../../domain/plan-order/plan-order.ts'
import { NO_STREAM } from '../../../../domain/ports.ts'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming } from '../../../../domain/reader/reading.ts'
import { Draft, type DraftContext } from '../../../../workflows/capture/draft.ts'
import { jobOf as jobOfArrival, type Job } from '../../../../workflows/capture/job.ts'
import { WarmWindows } from '../../../../workflows/capture/warm-windows.ts'
import { accountOf, shownOf } from '../../../harness/accounts.ts'

const USER = 7
const AT = new Date('2026-11-20T03:00:10.000Z')
const PHONE = 1
const TABLET = 2

const payment = (memo: string): string =>
  `SD TK 0123456789 +500,000VND luc 20-11-2026 10:00:05. SD 1,500,000VND. Ref ${memo}`

const jobOf = (text: string, { device = PHONE, stamp = AT, more = {} as Partial<Incoming> } = {}): Job => {
  const incoming = { text, sender: 'Vietcombank', ...more }
  const credential = shownOf(USER, device)
  return jobOfArrival(
    { credential, incoming, posted_as: 'sms', stamp, arrived_at: AT, raw: text, correlation_id: text },
    { plans: null, oldAfterMs: 86_400_000, resolve: () => {}, reject: () => {} },
  )
}

/** A draft of one group, on windows and transactions that tests prepare. */
const drafting = (context: Partial<DraftContext> = {}, windows = new WarmWindows(1_000_000)) => {
  let id = 100
  const draft = new Draft({
    at: AT,
    looked: new Map(),
    orders: new Map(),
    credits: () => new CreditMemory(),
    nextId: () => id++,
    ignoredRevision: () => 4,
    mayFinish: () => false,
    ...context,
  })
  const account = accountOf(USER)
  const warm = windows.take(USER, 'VCB')
  const add = (...jobs: Job[]) => {
    for (const job of jobs) draft.add(job, account, job.read.reading ? warm : null)
  }
  const written = () =>
    draft.units
      .appends()
      .map((unit) =>
        unit.map(({ stream, expectedRevision, events }) => [
          stream,
          expectedRevision,
          ...events.map(({ type }) => type),
        ]),
      )
  const outcomes = () => draft.units.all.map(({ answers }) => answers.map(({ outcome }) => outcome))
  return { draft, warm, add, written, outcomes }
}

describe('the draft of a group', () => {
  it('stores the entry in the window before the transaction, in one unit', () => {
    const { add, written, outcomes } = drafting()
    add(jobOf(payment('DH1042')))
    expect(written()).to.deep.equal([
      [
        [`book-${USER}-VCB`, NO_STREAM, 'NotificationSeen'],
        ['transaction-100', NO_STREAM, 'TransactionCaptured'],
      ],
    ])
    expect(outcomes()).to.deep.equal([['new']])
  })

  it('answers a repetition in the same group with the unit of the first, and stores nothing for it', () => {
    const { draft, add, written, outcomes } = drafting()
    add(jobOf(payment('DH1042')), jobOf(payment('DH1042')))
    expect(written()).to.have.length(1)
    expect(written()[0]).to.have.length(2)
    expect(outcomes()).to.deep.equal([['new', 'resend']])
    expect(draft.settled).to.deep.equal([])
  })

  it('stores the stamp of a resend that only its balance and the time link to the first', () => {
    const { add, written, outcomes } = drafting()
    const text = 'SD TK 0123456789 +500,000VND. SD 1,500,000VND. Ref DH1042'
    const later = new Date(AT.getTime() + 60_000)
    add(jobOf(text), jobOf(text, { stamp: later }), jobOf(text, { stamp: later }))
    expect(written()).to.deep.equal([
      [
        [`book-${USER}-VCB`, NO_STREAM, 'NotificationSeen', 'NotificationSeen'],
        ['transaction-100', NO_STREAM, 'TransactionCaptured'],
      ],
    ])
    expect(outcomes()).to.deep.equal([['new', 'resend', 'resend']])
  })

  it('puts a copy from another source into the unit of its first, behind it', () => {
    const { add, written, outcomes } = drafting()
    add(jobOf(payment('DH1042')), jobOf(payment('DH1042'), { device: TABLET }))
    expect(written()).to.deep.equal([
      [
        [`book-${USER}-VCB`, NO_STREAM, 'NotificationSeen', 'NotificationSeen'],
        ['transaction-100', NO_STREAM, 'TransactionCaptured'],
        ['transaction-101', NO_STREAM, 'TransactionCaptured'],
      ],
    ])
    expect(outcomes()).to.deep.equal([['new', 'copy']])
  })

  it('gives units of one window consecutive revisions', () => {
    const { add, written } = drafting()
    add(jobOf(payment('DH1')), jobOf(payment('DH2').replace('10:00:05', '10:00:06').replace('1,500', '2,000')))
    expect(written().map(([window]) => window)).to.deep.equal([
      [`book-${USER}-VCB`, NO_STREAM, 'NotificationSeen'],
      [`book-${USER}-VCB`, 0, 'NotificationSeen'],
    ])
  })

  it('collects ignored notifications of a user in one unit at the expected revision', () => {
    const { add, written, outcomes } = drafting()
    const otp = 'Vietcombank: Ma OTP cua quy khach la 123456. Khong chia se ma nay.'
    add(jobOf(otp), jobOf(otp))
    expect(written()).to.deep.equal([[[`ignored-${USER}`, 4, 'NotificationIgnored', 'NotificationIgnored']]])
    expect(outcomes()).to.deep.equal([['ignored', 'ignored']])
  })

  it('names what must be read or loaded before it can decide, and stores nothing', () => {
    const withoutMemory = drafting({ credits: () => null })
    const undated = 'So du TK VCB 0123456789 thay doi +500,000 VND. So du 1,500,000 VND. Ref MBVCB.900000001.DH1042'
    withoutMemory.add(jobOf(undated))
    expect([...withoutMemory.draft.missingCredits]).to.deep.equal([USER])
    expect(withoutMemory.written()).to.deep.equal([])
    const ofLastWeek = payment('MBVCB.900000001.DH1042').replace('20-11-2026', '13-11-2026')
    const another = drafting({ credits: () => null })
    another.add(jobOf(ofLastWeek))
    expect([...another.draft.missingCredits]).to.deep.equal([USER])
  })

  it('needs no memory of credits for a text that prints a recent date', () => {
    const { draft, add, outcomes } = drafting({ credits: () => null })
    add(jobOf(payment('MBVCB.900000001.DH1042')))
    expect([...draft.missingCredits]).to.deep.equal([])
    expect(outcomes()).to.deep.equal([['new']])
  })

  it('needs none for a mail of ACB that prints a recent day, and the time in its memo', () => {
    const mailAccount = {
      ...{ user_id: USER, mail_account_id: 3, email: 'shop@gmail.com', host: 'imap.gmail.com', port: 993, tls: true },
      ...{ username: 'shop', folder: 'INBOX', is_active: 1 as const, authserv_id: null, sealed_password: 'sealed' },
    }
    const added = { type: 'MailAccountAdded', data: { ...mailAccount, created_at: AT.toISOString() } } as const
    const account = evolve(accountOf(USER), added)!
    const headers = {
      ...{ from: ['mailalert@acb.com.vn'], to: ['shop@gmail.com'], cc: [], in_reply_to: [], references: [] },
      authentication_results: ['mx.google.com; dkim=pass header.d=acb.com.vn'],
      dkim_signature: ['v=1; d=acb.com.vn; h=From:To; b=y'],
      auto_submitted: [],
    }
    const mailed = (day: string): Job => {
      const memo = 'MBVCB.900000001.DH1042 GD 929275-112026 10:00:05'
      const text = `ACB trân trọng thông báo tài khoản 24690000 của Quý khách đã thay đổi số dư như sau:
Số dư mới của tài khoản trên là: 92,551.00 VND${day}.\nGiao dịch mới nhất:Ghi có +10,000.00 VND.\nNội dung giao dịch: ${memo}.`
      const incoming = { text, from: 'mailalert@acb.com.vn' }
      const credential = { kind: 'mailbox', user_id: USER, mail_account_id: 3 } as const
      const mail = { headers, message_id: null }
      const arrival = { credential, incoming, posted_as: null, stamp: AT, arrived_at: AT, raw: '{}', mail }
      return { ...jobOf(''), arrival, read: read(incoming, AT) }
    }
    const missing = (day: string) => {
      const { draft, warm } = drafting({ credits: () => null })
      draft.add(mailed(day), account, warm)
      return [...draft.missingCredits]
    }
    expect(missing(' tính đến 20/11/2026')).to.deep.equal([])
    expect(missing(' tính đến 13/11/2026'), 'a day of last week').to.deep.equal([USER])
    expect(missing(''), 'without a day of the bank').to.deep.equal([USER])
  })

  it('waits for the writer of an entry whose transaction is missing, and finishes in its place when the wait is over', () => {
    const windows = new WarmWindows(1_000_000)
    const before = drafting({}, windows)
    before.add(jobOf(payment('DH1042')))
    windows.put(before.warm)
    const looked = new Map([[100, { state: null, revision: NO_STREAM }]])

    const early = drafting({ looked }, windows)
    early.add(jobOf(payment('DH1042')))
    expect(early.draft.postponed).to.have.length(1)
    expect(early.written()).to.deep.equal([])
    windows.put(early.warm)

    const late = drafting({ looked, mayFinish: () => true }, windows)
    late.add(jobOf(payment('DH1042')))
    expect(late.written()).to.deep.equal([[['transaction-100', NO_STREAM, 'TransactionCaptured']]])
    expect(late.outcomes()).to.deep.equal([['finished']])
  })

  it('leaves the windows as they were when it is undone', () => {
    const { draft, warm, add } = drafting()
    add(jobOf(payment('DH1042')))
    expect(warm.window.size).to.equal(1)
    draft.undo()
    expect(warm.window.size).to.equal(0)
    expect(warm.revision).to.equal(NO_STREAM)
  })

  it('continues from its own entries when it is kept', () => {
    const { draft, warm, add } = drafting()
    add(jobOf(payment('DH1042')), jobOf(payment('DH1042'), { device: TABLET }))
    draft.keep()
    expect(warm.window.size).to.equal(2)
    expect(warm.revision).to.equal(1)
    expect(warm.lastId).to.equal(draft.units.appends()[0]![0]!.events[1]!.id)
  })

  it('keeps its entries in the order of the store, in which all of a unit come before those of the next', () => {
    const { draft, warm, add } = drafting()
    const other = payment('DH2').replace('10:00:05', '10:00:06').replace('1,500', '2,000')
    add(jobOf(payment('DH1')), jobOf(other), jobOf(payment('DH1'), { device: TABLET }))
    draft.keep()
    const stored = new DedupWindow()
    for (const { entries } of draft.units.all) for (const { data } of entries) stored.see(data as NotificationSeen)
    expect(warm.window.partOf(3, 0)).to.deep.equal(stored.partOf(3, 0))
  })

  it('stores the payment of a plan order before the transaction that pays it, even if only a copy names the order', () => {
    const [ordered] = orderPlan('Basic', { plan_order_id: 1001, user_id: 8, prefix: 'BC', at: AT })
    const orders = new Map([[1001, { state: { ...ordered.data, paid_by: null }, revision: 0 }]])
    const plans = { prefix: 'BC', bank_code: 'VCB', account_number: '0123456789', account_name: 'BAOCO' }
    const { draft, warm, written } = drafting({ orders })
    const operator = { ...accountOf(USER), operator: true }
    for (const [memo, device] of [
      ['NGUYEN VAN A...', PHONE],
      ['NGUYEN VAN A BC1001', TABLET],
    ] as const)
      draft.add({ ...jobOf(payment(memo).replace('+500,000', '+600,000'), { device }), plans }, operator, warm)
    expect(written()).to.deep.equal([
      [
        [`book-${USER}-VCB`, NO_STREAM, 'NotificationSeen', 'NotificationSeen'],
        ['plan-order-1001', 0, 'PlanPaid'],
        ['transaction-100', NO_STREAM, 'TransactionCaptured', 'TransactionCompleted', 'WebhookStatusChanged'],
        ['transaction-101', NO_STREAM, 'TransactionCaptured'],
      ],
    ])
  })
})
