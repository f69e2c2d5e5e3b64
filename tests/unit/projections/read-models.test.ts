import { expect } from 'chai'
import { accountEvents } from '../../../domain/account/events.ts'
import { KEPT_UNREAD_S } from '../../../domain/arrival/events.ts'
import { projectors } from '../../../projections/all.ts'
import { main } from '../../../projections/main.ts'
import { capturedData } from '../../harness/captured-data.ts'
import { AT, done, event, MINUTE_LATER, FIFTEEN_MINUTES_LATER } from './events.ts'

const captured = capturedData({
  transaction_id: 7,
  user_id: 1,
  source: 'device-7:sms',
  account_number: '0011',
  transaction_ref: 'FT1',
  transaction_date: AT,
  content: 'DH1',
  order_id: 'DH1',
  prefix: 'DH',
  rules: [5, 6],
  webhook_status: 'pending',
  created_at: AT,
})

const attempted = (change: object) =>
  event('WebhookAttempted', {
    transaction_id: 7, attempt_id: 70, rule_id: 5, attempt: 2, method: 'POST', url: 'https://shop.example', timestamp: 1,
    account_revision: 1, body_sha256: 'x', renderer: 1, http_status: 500, response_body: 'no', error: null, sent_at: AT,
    duration_ms: 12.6, outcome: 'retrying', next_attempt_at: MINUTE_LATER, ...change,
  }) // prettier-ignore

const onDelivery = (statements: unknown[][]) => statements.filter(([, table]) => table === 'delivery')

describe('read models', () => {
  it('insert a row for a captured transaction, and a delivery for each rule that is due after a minute', () => {
    const open = (rule_id: number) => [
      'insert',
      'delivery',
      {
        transaction_id: 7, rule_id, user_id: 1, status: 'open', attempt: 0, round_base: 0, lane: 'first',
        due_at: MINUTE_LATER, first_due_at: MINUTE_LATER, captured_at: AT, set_at: '12',
      },
    ] // prettier-ignore
    const counted = { user_id: 1, transaction_id: 7, month: '2026-03', at: AT, late_due_at: FIFTEEN_MINUTES_LATER }
    expect(done(event('TransactionCaptured', captured))).to.deep.equal([
      ['perform', 'count_in_quota', [{ ...counted, rules: ['5', '6'] }]],
      ['insert', 'transaction', { ...captured, id: 7, updated_at: AT }],
      open(5),
      open(6),
    ])
    const withoutRules = done(event('TransactionCaptured', { ...captured, rules: [] }))
    expect(withoutRules[0]).to.deep.equal(['perform', 'count_in_quota', [{ ...counted, rules: [] }]])
    expect(withoutRules).to.have.length(2)
  })

  it('update the match of a transaction that a better copy completed, and open its deliveries', () => {
    const data = {
      transaction_id: 7,
      completed_by: 8,
      order_id: 'DH2',
      prefix: 'DH',
      rules: [5],
      webhook_status: 'pending',
    }
    expect(done(event('TransactionCompleted', data))).to.deep.equal([
      ['perform', 'count_in_quota', [{ user_id: 1, transaction_id: 7, at: AT, rules: ['5'] }]],
      [
        'update',
        'transaction',
        { id: 7 },
        { order_id: 'DH2', prefix: 'DH', webhook_status: 'pending', updated_at: AT },
      ],
      [
        'perform',
        'open_delivery',
        [{ transaction_id: 7, rule_id: 5, lane: 'first', due_at: MINUTE_LATER, set_at: '12' }],
      ],
    ])
  })

  describe('after an attempt', () => {
    it('insert a row for it and set when the next attempt is due', () => {
      expect(done(attempted({}))).to.deep.equal([
        [
          'insert',
          'attempt',
          {
            id: 70, transaction_id: 7, rule_id: 5, user_id: 1, attempt: 2, webhook_url: 'https://shop.example',
            http_status: 500, response_body: 'no', error: null, outcome: 'retrying', sent_at: AT, duration_ms: 13,
            next_attempt_at: MINUTE_LATER, created_at: AT,
          },
        ],
        [
          'update',
          'delivery',
          { transaction_id: 7, rule_id: 5 },
          { attempt: { atLeast: 2 }, due_at: MINUTE_LATER, lane: 'retry', set_at: '12' },
        ],
      ]) // prettier-ignore
    })

    const outcomes = [
      [
        'that ended it well',
        { outcome: 'delivered', next_attempt_at: null },
        { status: 'succeeded', due_at: null, lane: null },
      ],
      [
        'that was the last',
        { outcome: 'exhausted', next_attempt_at: null },
        { status: 'failed', due_at: null, lane: null },
      ],
      ['that came late: nothing but its number', { outcome: 'retrying', next_attempt_at: null }, {}],
    ] as const
    for (const [name, result, changes] of outcomes)
      it(`update the delivery for one ${name}`, () => {
        const [[, , , set] = []] = onDelivery(done(attempted(result)))
        expect(set).to.deep.equal({ attempt: { atLeast: 2 }, ...changes })
      })
  })

  it('mark a delivery as failed if its endpoint is gone, and as ended if its rule is deleted', () => {
    const ended = (reason: string) => done(event('DeliveryEnded', { transaction_id: 7, rule_id: 5, reason }))
    const key = { transaction_id: 7, rule_id: 5 }
    expect(ended('gone')).to.deep.equal([['update', 'delivery', key, { status: 'failed', due_at: null, lane: null }]])
    expect(ended('rule_deleted')).to.deep.equal([
      ['update', 'delivery', key, { status: 'ended', due_at: null, lane: null }],
    ])
  })

  it('make the deliveries of a manual or bulk retry due at once, and end other failed deliveries', () => {
    const requested = (by: 'manual' | 'bulk') => {
      const data = { transaction_id: 7, order_id: 'DH1', prefix: 'DH', webhook_status: 'pending', rematched: false }
      return done(event('WebhookRetryRequested', { ...data, rules: [5, 6], by })).slice(1)
    }
    const opened = (lane: string) => [
      'perform',
      'open_delivery',
      [5, 6].map((rule_id) => ({ transaction_id: 7, rule_id, lane, due_at: AT, set_at: '12' })),
    ]
    const failedEnd = ['perform', 'end_failed_deliveries', [{ transaction_id: 7 }]]
    expect(requested('manual')).to.deep.equal([failedEnd, opened('manual')])
    expect(requested('bulk')).to.deep.equal([failedEnd, opened('bulk')])
  })

  it('update the webhook status of a transaction', () => {
    expect(done(event('WebhookStatusChanged', { transaction_id: 7, from: 'pending', to: 'failed' }))).to.deep.equal([
      ['update', 'transaction', { id: 7 }, { webhook_status: 'failed', updated_at: AT }],
    ])
  })

  it('remove a deleted transaction, and keep its count in the quota if it counted', () => {
    const data = { transaction_id: 7, user_id: 1, captured_at: AT, counted: true }
    const erased = ['perform', 'count_erased_in_quota', [{ user_id: 1, transaction_id: 7, month: '2026-03' }]]
    expect(done(event('TransactionDeleted', { ...data, counted: false }))).to.not.deep.include(erased)
    expect(done(event('TransactionDeleted', data))).to.deep.equal([
      erased,
      ['remove', 'over_quota', { transaction_id: 7 }],
      ['remove', 'transaction', { id: 7 }],
      ['perform', 'remove_attempt_of_transaction', [{ transaction_id: 7 }]],
      ['perform', 'remove_delivery_of_transaction', [{ transaction_id: 7 }]],
    ])
  })

  describe('of an account', () => {
    const onAccount = (type: string, data: object) =>
      event(type, { user_id: 1, ...data }, { stream: 'account-1', revision: 9 })

    it('remove every row of a deleted account from all tables, those of transactions with their streams', () => {
      const removed = done(onAccount('AccountDeleted', {})).map(([kind, name, rows]) => [kind, name, rows])
      const ofTransaction = ['over_quota', 'transaction', 'attempt', 'delivery']
      // Triggers keep these.
      const counts = ['transaction_total', 'attempt_count', 'unread_bytes']
      // A parked stream has no personal data in its row, and ends with the account's last event in it. Neither has a change of a rule.
      const others = new Set([...ofTransaction, ...counts, 'parked', 'made_due'])
      for (const { table } of main.projections.filter(({ table: { name } }) => !others.has(name)))
        expect(removed).to.deep.include(['perform', `remove_${table.name}_of_user`, [{ user_id: 1 }]])
      for (const closed of [
        done(event('StreamErased', { user_id: 1 })),
        done(event('TransactionDeleted', { transaction_id: 7, user_id: 1, captured_at: AT, counted: false })),
      ])
        expect(closed).to.deep.equal([
          ['remove', 'over_quota', { transaction_id: 7 }],
          ['remove', 'transaction', { id: 7 }],
          ['perform', 'remove_attempt_of_transaction', [{ transaction_id: 7 }]],
          ['perform', 'remove_delivery_of_transaction', [{ transaction_id: 7 }]],
        ])
      expect(
        done(event('StreamErased', { user_id: 1 }, { stream: 'unread-7' })).flatMap(([, , rows]) => rows),
      ).to.deep.equal([])
    })

    it('take its revision from every event', () => {
      const ends = ['AccountRegistered', 'AccountDeleted']
      for (const type of Object.keys(accountEvents).filter((each) => !ends.includes(each))) {
        const [statement] = done(onAccount(type, { url: 'https://shop.example/' }))
        expect(statement!.slice(0, 3), type).to.deep.equal(['update', 'account', { user_id: 1 }])
        expect(statement![3], type).to.include({ revision: 9 })
      }
    })

    it('contain no secret of it', () => {
      const data = {
        email: 'a@example.com',
        name: 'A',
        operator: false,
        registered_at: AT,
        password_hash: 'h',
        key_hash: 'h',
      }
      expect(done(onAccount('AccountRegistered', data))).to.deep.equal([
        [
          'insert',
          'account',
          { user_id: 1, email: 'a@example.com', locked: false, operator: false, plan: 'Free', plan_expires_at: null, quota_warned: null, revision: 9 },
        ],
      ]) // prettier-ignore
    })

    it('change only the named fields of a rule, and store the account revision', () => {
      expect(
        done(onAccount('RuleChanged', { rule_id: 5, name: 'New', system_id: undefined, min_amount: null }))[1],
      ).to.deep.equal(['update', 'rule', { rule_id: 5 }, { name: 'New', min_amount: null, account_revision: 9 }])
      expect(done(onAccount('RulePaused', { rule_id: 5, reason: 'gone', caused_by: 'x' }))[1]).to.deep.equal([
        'update',
        'rule',
        { rule_id: 5 },
        { is_active: 0, account_revision: 9 },
      ])
    })

    it('store since when the current url of a rule may be called', () => {
      for (const change of [{ url: 'https://shop.vn/' }, { is_active: 1 }])
        expect(done(onAccount('RuleChanged', { rule_id: 5, ...change }))[1]![3]).to.include({ active_since: AT })
      expect(done(onAccount('RuleChanged', { rule_id: 5, is_active: 0 }))[1]![3]).to.not.have.property('active_since')
      expect(done(onAccount('AccountUnlocked', {}))).to.deep.include([
        'perform',
        'rules_of_unlocked_active_since',
        [{ user_id: 1, active_since: AT }],
      ])
    })

    it('make open deliveries of a deleted rule due at once, so a worker ends them', () => {
      expect(done(onAccount('RuleDeleted', { rule_id: 5 })).slice(1)).to.deep.equal([
        ['remove', 'rule', { rule_id: 5 }],
        ['perform', 'made_due_of_rule', [{ position: '12', rule_id: 5, which: 'all', due_at: AT }]],
      ])
    })
  })

  it('list the streams of an account that no other table lists, until the store forgets them', () => {
    const ended = { notification_id: 7, user_id: 1, source_type: 'sms', received_at: AT }
    const hidden = new Date(Date.parse(AT) + KEPT_UNREAD_S * 1_000).toISOString()
    expect(done(event('PlanOrdered', { user_id: 1 }, { stream: 'plan-order-5' }))).to.deep.equal([
      ['insert', 'owned_stream', { stream: 'plan-order-5', user_id: 1, expires_at: null }],
    ])
    for (const type of ['NotificationReread', 'NotificationGivenUp'])
      expect(done(event(type, ended, { stream: 'unread-7' }))).to.deep.include([
        'insert',
        'owned_stream',
        { stream: 'unread-7', user_id: 1, expires_at: hidden },
      ])
  })

  it('ignore unknown events', () => {
    expect(done(event('SomethingElse', {}))).to.deep.equal([])
    expect(main.projections.map(({ table }) => table.name)).to.deep.equal([
      'account', 'alert', 'system', 'rule', 'quota', 'quota_plan', 'over_quota', 'transaction', 'attempt',
      'delivery', 'made_due', 'mail_account', 'notification', 'unread_bytes', 'job', 'owned_stream', 'transaction_total', 'attempt_count', 'parked',
    ]) // prettier-ignore
  })
})

describe('each projector', () => {
  it('knows how long the store keeps unparsed notifications, so that an expired one does not seem lost', () => {
    const all = projectors({ overQuotaDelay: 900, keepUnread: 60 })
    expect(all.map(({ keptFor }) => keptFor('unread-1'))).to.deep.equal([60, 60])
  })
})
