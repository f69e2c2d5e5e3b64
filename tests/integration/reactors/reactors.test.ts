/** What the reactors do about events. */
import { expect } from 'chai'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { eventually } from '../../harness/eventually.ts'
import { openReactorSetting, RULE, USER, type ReactorSetting } from './setting.ts'

describe('reactors', () => {
  let setting: ReactorSetting
  beforeEach(async () => {
    setting = await openReactorSetting()
  })
  afterEach(() => setting.close())

  it('erase a deleted transaction except for its deletion', async () => {
    await setting.transaction(1, 'TransactionCaptured', { description: 'personal' })
    await setting.transaction(2, 'TransactionCaptured', { description: 'personal' })
    await setting.transaction(1, 'TransactionDeleted')
    setting.start()
    await eventually(async () => (await setting.typesOf(transactionStream(1))).length === 1)
    expect(await setting.typesOf(transactionStream(1))).to.deep.equal(['TransactionDeleted'])
    expect(await setting.typesOf(transactionStream(2))).to.deep.equal(['TransactionCaptured'])
  })

  it('pause the rule of an endpoint that is gone once, however often it answers 410', async () => {
    await setting.account('RuleCreated', { is_active: 1 })
    const cause = await setting.gone(1)
    await setting.gone(2)
    setting.start()
    await setting.met(await setting.gone(3))
    const paused = await setting.pauses()
    expect(paused).to.have.length(1)
    expect(paused[0]!.data).to.deep.equal({ user_id: USER, rule_id: RULE, reason: 'gone', caused_by: cause })
    expect(paused[0]!.metadata).to.include({ user_id: USER, causation_id: cause, correlation_id: 'c2' })
  })

  it('ignore a rule that is deleted, inactive, or whose delivery ended because of its deletion', async () => {
    await setting.account('RuleCreated', { is_active: 0 })
    await setting.gone(1)
    await setting.account('RuleChanged', { is_active: 1 })
    await setting.transaction(2, 'DeliveryEnded', { rule_id: RULE, reason: 'rule_deleted' })
    await setting.account('RuleDeleted')
    const last = await setting.gone(3)
    setting.start()
    await setting.met(last)
    expect(await setting.pauses()).to.deep.equal([])
  })

  it('leave a rule on that has a new url, whether the old one answered 410 before or after the change', async () => {
    const attempted = (transaction_id: number, url: string, rule_id = RULE) =>
      setting.transaction(transaction_id, 'WebhookAttempted', { rule_id, url, http_status: 410, outcome: 'exhausted' })
    const [old, present] = ['https://old.vn/hook', 'https://new.vn/hook']
    await setting.account('RuleCreated', { is_active: 1, url: old })
    await attempted(1, old)
    await setting.gone(1)
    await setting.account('RuleChanged', { url: present, is_active: undefined })
    await attempted(2, old)
    await setting.gone(2)
    const later = await attempted(2, present)
    setting.start()
    await setting.met(later)
    expect(await setting.pauses()).to.deep.equal([])
    await attempted(3, old)
    await attempted(3, present)
    await attempted(3, old, RULE + 1)
    const cause = await setting.gone(3)
    await setting.met(cause)
    expect((await setting.pauses()).map(({ data }) => data)).to.deep.include.members([
      { user_id: USER, rule_id: RULE, reason: 'gone', caused_by: cause },
    ])
  })

  it('mail the operator once that a quota is nearly used, and not about quotas of long ago', async () => {
    await setting.account('AccountRegistered', {
      email: 'shop@example.com',
      name: null,
      operator: false,
      registered_at: '2026-03-01T00:00:00.000Z',
    })
    await setting.account('QuotaWarned', { month: '2026-03', transactions: 80, limit: 100 })
    setting.beginNow()
    const warned = await setting.account('QuotaWarned', { month: '2026-11', transactions: 81, limit: 100 })
    setting.start()
    await setting.met(warned)
    const toOwner = setting.mails.filter(({ to }) => to === 'owner@baoco.local')
    expect(toOwner).to.have.length(1)
    expect(toOwner[0]).to.include({ key: warned })
    expect(toOwner[0]!.subject).to.include('shop@example.com').and.include('81%')
  })

  it('release a completed transaction when the copy is stored that prints its confirmed bank account', async () => {
    const number = { bank_code: 'VCB', account_number: '0099000888777' }
    const captured = {
      ...number,
      user_id: USER,
      transaction_type: 'credit',
      amount: '5.00',
      created_at: new Date().toISOString(),
    }
    const unmatched = { order_id: null, prefix: null, rules: [], webhook_status: 'skipped', already_run_of: null }
    const held = { order_id: 'DH7', prefix: 'DH', rules: [], webhook_status: 'no_match', held: 'unconfirmed_account' }
    await setting.account('AccountRegistered')
    await setting.account('SystemAdded', { system_id: 3, payment_prefix: 'DH', is_active: 1 })
    const filters = { system_id: null, is_active: 1, filter_banks: [], filter_type: 'both', min_amount: null }
    await setting.account('RuleCreated', filters)
    await setting.account('BankAccountSeen', { ...number, bank_account_id: 9, waits: true })
    await setting.account('BankAccountConfirmed', { bank_account_id: 9 })
    await setting.transaction(1, 'TransactionCaptured', {
      ...captured,
      ...unmatched,
      account_number: null,
      content: null,
      description: '',
    })
    await setting.transaction(3, 'TransactionCaptured', { ...captured, ...unmatched })
    await setting.transaction(3, 'TransactionCompleted', { ...held, completed_by: 4 })
    setting.beginNow()
    await setting.transaction(1, 'TransactionCompleted', { ...held, completed_by: 2 })
    setting.start()
    const failures = () => setting.logged.filter(({ fields }) => fields.reaction === 'release_held')
    await eventually(() => failures().length > 0, { what: 'a look for the copy' })
    await setting.transaction(2, 'TransactionCaptured', {
      ...captured,
      ...unmatched,
      already_run_of: 1,
      webhook_status: 'already_run',
    })
    await eventually(async () => (await setting.typesOf(transactionStream(1))).includes('WebhookRetryRequested'))
    const [events = []] = await setting.store.read([{ stream: transactionStream(1) }])
    expect(events[2]?.data).to.include({ order_id: 'DH7', webhook_status: 'pending', released: true })
    // Nothing waits for the copy of an old one.
    expect(new Set(failures().map(({ fields }) => fields.reason))).to.deep.equal(
      new Set(['the copy 2 is not stored yet']),
    )
  })
})
