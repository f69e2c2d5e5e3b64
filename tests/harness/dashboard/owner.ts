/** The owner of the dashboard, with payments, rules, calls of the inbox and texts of strangers. */
import { devicePath } from '../../../domain/arrival/receive-paths.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { endpointOf } from '../../../domain/webhook/endpoint.ts'
import type { ApiUnderTest } from '../../integration/http/api-under-test.ts'
import { attempted, captured, statusChanged } from '../../integration/http/captured.ts'
import { vietcombankText } from '../bank-texts.ts'
import { HOSTILE } from './visitor.ts'

/** Payer, amount and direction; one every second day, the newest first. */
const PAYMENTS = [
  ['NGUYEN VAN AN', '350000.00', 'credit'],
  ['CTY GIAO HANG NHANH', '1200000.00', 'debit'],
  ['TRAN THI BICH', '890000.00', 'credit'],
  ['LE HOANG PHUC', '1250000.00', 'credit'],
  ['PHAM MINH CHAU', '420000.00', 'credit'],
  ['DIEN LUC TP HCM', '760000.00', 'debit'],
  ['VO THANH DAT', '2150000.00', 'credit'],
] as const

const LONG = 'NGUYEN THI KIM NGAN QUYNH TRANG CONG TY TRACH NHIEM HUU HAN THUONG MAI '.repeat(3)

type Data = { data: never }

export class Owner {
  readonly api: ApiUnderTest
  ruleId = 0
  /** A transaction whose only attempt failed. */
  failedId = 0

  constructor(api: ApiUnderTest) {
    this.api = api
  }

  async list<Value>(path: string): Promise<Value> {
    return ((await this.api.ask('GET', path, { key: this.api.owner.api_key })).body as Data).data
  }

  async make<Value = { id: number }>(path: string, json?: object): Promise<Value> {
    const asked = { key: this.api.owner.api_key, ...(json ? { json } : {}) }
    return ((await this.api.ask('POST', path, asked)).body as Data).data
  }

  async change(path: string, json: object): Promise<void> {
    await this.api.ask('PUT', path, { key: this.api.owner.api_key, json })
  }

  /** @param taken  the id; default: the next one @returns the id of a transaction that is captured now */
  async pay(given: Parameters<typeof captured>[2], taken?: number): Promise<number> {
    const { user_id } = this.api.owner
    const id = taken ?? (await this.api.nextId())
    const transaction_date = new Date().toISOString()
    await this.api.happened(user_id, id, [captured(user_id, id, { transaction_date, ...given })])
    return id
  }

  /** Many payments at once, one second apart, the last one now. */
  async payMany(number: number): Promise<void> {
    const { user_id } = this.api.owner
    const ids = await this.api.nextIds(number)
    const at = (index: number) => new Date(Date.now() - (number - index) * 1_000).toISOString()
    await this.api.happenedTo(
      user_id,
      ids.map((id, index) => [
        transactionStream(id),
        [
          captured(user_id, id, {
            order_id: `DH${10_000 + index}`,
            created_at: at(index),
            transaction_date: at(index),
          }),
        ],
      ]),
    )
  }

  /** An attempt fails. @param next  when the next one is due; null if it was the last */
  async failed(id: number, next: Date | null, response_body = '', rule_id = this.ruleId): Promise<void> {
    const attempt = attempted(id, {
      attempt_id: await this.api.nextId(),
      rule_id,
      response_body,
      sent_at: new Date().toISOString(),
      ...(next && { outcome: 'retrying', next_attempt_at: next.toISOString() }),
    })
    const ended = next ? [] : [statusChanged(id, 'pending', 'failed')]
    await this.api.happened(this.api.owner.user_id, id, [attempt, ...ended])
  }

  /** An attempt succeeds. @param isAll  whether it is the last open one */
  async delivered(id: number, isAll = true, rule_id = this.ruleId): Promise<void> {
    const given = { attempt_id: await this.api.nextId(), rule_id, sent_at: new Date().toISOString() }
    const attempt = attempted(id, {
      ...given,
      outcome: 'delivered',
      http_status: 200,
      error: null,
      response_body: 'ok',
    })
    const ended = isAll ? [statusChanged(id, 'pending', 'success')] : []
    await this.api.happened(this.api.owner.user_id, id, [attempt, ...ended])
  }

  /**
   * Calls of a webhook at half past each hour before now.
   * @param hours  deliveries and failures, by how many hours ago; the newest last
   */
  async calledByHour(
    rule_id: number,
    id: number,
    hours: readonly (readonly [ago: number, delivered: number, failed: number])[],
  ): Promise<void> {
    for (const [ago, delivered, failed] of hours) {
      if (delivered + failed === 0) continue
      const ids = await this.api.nextIds(delivered + failed)
      const at = new Date(Date.now() - (ago + 0.5) * HOUR_MS)
      const given = { rule_id, sent_at: at.toISOString() }
      const good = { outcome: 'delivered', http_status: 200, error: null, response_body: 'ok' } as const
      const attempts = ids.map((attempt_id, index) =>
        attempted(id, { attempt_id, ...given, ...(index < delivered ? good : { outcome: 'retrying' }) }),
      )
      this.api.clock.at = at
      await this.api.happened(this.api.owner.user_id, id, attempts).finally(() => (this.api.clock.at = null))
    }
  }

  /** The last calls of an address failed, a few more and its breaker opens. */
  async failsInARow(url: string, failures: number): Promise<void> {
    await this.api.database.query('INSERT INTO ops.endpoint (user_id, endpoint, failures) VALUES ($1, $2, $3)', [
      this.api.owner.user_id,
      endpointOf(url),
      failures,
    ])
  }

  /** Sends a text to the personal URL. */
  receive(query: string, body: string, headers = {}) {
    return this.api.ask('POST', `/api/receive/u/${this.api.owner.receive_token}${query}`, { body, headers })
  }

  /** Calls the first inbox as a delivery does, and as a stranger. */
  async callInbox(): Promise<void> {
    const [{ url }] = await this.list<[{ url: string }]>('/api/inbox')
    const { id } = (await this.list<{ id: number; url: string }[]>('/api/webhooks')).find((each) => each.url === url)!
    await this.make(`/api/webhooks/${id}/test`)
    await this.api.ask('POST', new URL(url).pathname, { json: { event: 'bank_transaction', note: HOSTILE } })
  }

  /** A phone that reported every hour for ten days, and is silent since yesterday. */
  async fellSilent(device_id: number): Promise<void> {
    await this.api.database.query(
      `INSERT INTO ops.heard (user_id, door, first_heard_at, last_heard_at, heard, usual_pause_s)
       VALUES ($1, $2, now() - interval '11 days', now() - interval '1 day', 240, 3600)`,
      [this.api.owner.user_id, devicePath(device_id)],
    )
  }

  /** A phone reports now. */
  async reports(device_id: number): Promise<void> {
    await this.api.database.query('UPDATE ops.heard SET last_heard_at = now() WHERE user_id = $1 AND door = $2', [
      this.api.owner.user_id,
      devicePath(device_id),
    ])
  }

  /** A text names a bank account that nobody has confirmed. */
  async seeBankAccount(account_number: string): Promise<void> {
    const [bank_account_id, transaction_id] = [await this.api.nextId(), await this.api.nextId()]
    const { user_id } = this.api.owner
    const seen = { user_id, bank_account_id, bank_code: 'VCB', account_number, transaction_id, waits: true }
    await this.api.decree(user_id, { type: 'BankAccountSeen', data: seen })
  }

  /** Two weeks of a shop. @param name  of whatever a stranger, or somebody with access, can name */
  async openShop(name: string): Promise<void> {
    await this.change('/api/account', { language: 'vi' })
    await this.make('/api/systems', { name, type: 'custom', payment_prefix: 'HS' })
    this.ruleId = (await this.make('/api/webhooks', { name, url: `https://shop.example/hooks?shop=${name}` })).id
    await this.make('/api/account/api-keys', { name, scopes: ['read'] })
    await this.change('/api/account/trusted-senders', { trusted_senders: [name] })
    await this.seeBankAccount('0011000415567')
    await this.pay({ order_id: 'DH1001', counterpart_name: LONG })
    const named = { counterpart_name: name, description: name, transaction_ref: name }
    await this.pay({ ...named, order_id: null, webhook_status: 'skipped' })
    for (const [index, [counterpart_name, amount, transaction_type]] of PAYMENTS.entries())
      await this.pay({
        order_id: transaction_type === 'credit' ? `DH10${index + 20}` : null,
        counterpart_name,
        amount,
        transaction_type,
        webhook_status: transaction_type === 'credit' ? 'success' : 'skipped',
        transaction_date: new Date(Date.now() - index * 2 * DAY_MS).toISOString(),
      })
    const pending = { webhook_status: 'pending' as const, rules: [this.ruleId] }
    this.failedId = await this.pay({ ...named, ...pending, order_id: 'DH1042' })
    await this.failed(this.failedId, null, name)
    const tomorrow = new Date(Date.now() + DAY_MS)
    await this.failed(await this.pay({ ...pending, order_id: 'DH1043' }), tomorrow)
    // The shop has it, the book-keeping does not.
    const books = (await this.make('/api/webhooks', { name: 'Sổ kế toán', url: 'https://books.example/hook' })).id
    const half = await this.pay({ ...pending, order_id: 'DH1044', rules: [this.ruleId, books] })
    await this.failed(half, tomorrow, '', books)
    await this.delivered(half, false)
    await this.receive('?sender=Vietcombank', name)
    await this.receive(`?sender=${encodeURIComponent(`${name} 2`)}`, vietcombankText(3, 'DH3003'))
    await this.receive('?sender=STRANGER', vietcombankText(1, 'DH3001'))
  }
}
