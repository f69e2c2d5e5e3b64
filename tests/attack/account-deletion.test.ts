/**
 * Tests what remains of a deleted account. An account gets some data of every kind and is deleted. Then the test searches every row of
 * every table of every schema for its ids and texts. Only closing events without personal data may remain.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openUsageCounters } from '../../adapters/postgres/ops/usage.ts'
import { openIds } from '../../adapters/system/ids.ts'
import { openPasswords } from '../../adapters/secrets/passwords.ts'
import { forgetAccount, sweepForgotten } from '../../adapters/postgres/ops/forget-account.ts'
import { openLastSeenNotes } from '../../adapters/postgres/ops/last-seen.ts'
import { openSnapshots } from '../../adapters/postgres/ops/snapshots.ts'
import { openMailboxNotes } from '../../adapters/postgres/ops/mailbox-notes.ts'
import { emailStream } from '../../domain/account/email-claim.ts'
import { accountStream } from '../../domain/account/events.ts'
import { eventSchemas } from '../../domain/catalogue.ts'
import { isClosing } from '../../domain/erasure.ts'
import { eraseAccount } from '../../workflows/accounts/delete-account.ts'
import { listStreams } from '../../projections/account/streams-queries.ts'
import { main } from '../../projections/main.ts'
import { createAccount, type FreshAccount } from '../../workflows/accounts/registration.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'

/** The ids of the account and its data have nine digits, so that they can be found in any text. */
const FIRST_ID = 700_000_000
const MARK = 'mark7q'
const EMAIL = `${MARK}@shop.example`

const LIMIT = { requests: 1_000, seconds: 3_600 }
const LIMITS = {
  login: LIMIT, reset: LIMIT, forgot: LIMIT, register: LIMIT, resend: LIMIT, withdraw: LIMIT, links: LIMIT, bank: LIMIT, receive: LIMIT, demo: LIMIT, inbox: LIMIT,
} // prettier-ignore
const PLANS = { planBank: 'VCB', planAccount: '0011000999111', planHolder: 'OPERATOR' }

describe('attack: the data of a deleted account', () => {
  let api: ApiUnderTest
  let account: FreshAccount
  let key: string
  let password: string

  const ask = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    api.ask(method, path, { key, headers, ...(json === undefined ? {} : { json }) })

  /** The rows of all tables of all schemas, as text. */
  const everyRow = async (): Promise<{ table: string; row: string }[]> => {
    const tables = await api.database.query<{ table: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS table FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    )
    const rows = await Promise.all(
      tables.map(async ({ table }) =>
        (await api.database.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`)).map(
          ({ row }) => ({
            table,
            row,
          }),
        ),
      ),
    )
    return rows.flat()
  }

  const OWN_ID = /(?<![0-9a-f])7\d{8}(?![0-9a-f])/
  const isOfIt = ({ row }: { row: string }): boolean =>
    OWN_ID.test(row.replace(/"(?:position|checkpoint)": "?\d+/g, '')) || row.toLowerCase().includes(MARK)

  /** Appends an event of another account, so that readers move on. */
  const nudge = () => api.decree(api.owner.user_id, { type: 'EmailVerified', data: { user_id: api.owner.user_id } })

  const passed = async () => {
    await nudge()
    const end = (await api.store.end())!
    await eventually(
      async () => {
        await nudge()
        const checkpoints = await api.database.query<{ checkpoint: string }>(
          'SELECT checkpoint FROM read_model.checkpoint UNION ALL SELECT checkpoint FROM search_model.checkpoint UNION ALL SELECT checkpoint FROM ops.reaction_checkpoint',
        )
        return checkpoints.length === 3 && checkpoints.every(({ checkpoint }) => !api.store.isAfter(end, checkpoint))
      },
      { what: 'read models and reactions have come to the end' },
    )
  }

  before(async () => {
    api = await openApi({ rateLimits: LIMITS, ...PLANS }, 'real')
    const ids = openIds({ store: api.store, clock: api.clock, skip: FIRST_ID })
    await ids.next(1)
    // The API reserves its next block of ids behind that one.
    while ((await api.nextId()) < FIRST_ID);
    password = `${MARK} a long password`
    const parts = { store: api.store, ids, clock: api.clock, vault: api.vault, passwords: openPasswords() }
    account = await createAccount(parts, { email: EMAIL, plan: 'Pro', password })
    key = account.api_key
    await haveEverything()
  })
  after(async () => {
    await api.close()
  })

  const haveEverything = async () => {
    const { user_id } = account
    await ask('POST', '/api/systems', { name: MARK, type: 'custom', payment_prefix: 'DH' })
    const rule = (
      await ask('POST', '/api/webhooks', { name: MARK, url: `http://127.0.0.1:9/${MARK}`, max_per_minute: 5 })
    ).body.data.id as number
    await ask('POST', '/api/systems/connect', {
      type: 'woocommerce',
      site_url: `https://${MARK}.example`,
      webhook_url: `http://127.0.0.1:9/${MARK}`,
      payment_prefix: 'WC',
    })
    const device = (await ask('POST', '/api/devices', { name: MARK })).body.data
    const paired = (await api.ask('POST', '/api/receive/pair', { json: { code: device.pairing_code, model: MARK } }))
      .body.data
    await ask('POST', '/api/devices', { name: `${MARK} unpaired` })
    const mail = {
      email: `box.${EMAIL}`,
      host: '127.0.0.1',
      port: 9,
      tls: true,
      username: MARK,
      password: 'secret',
      folder: 'INBOX',
    }
    const mailbox = (await ask('POST', '/api/mail-accounts', mail)).body.data.id as number
    const inbox = (await ask('POST', '/api/inbox')).body.data
    await api.ask('POST', `/inbox/${inbox.token}`, { json: { mark: MARK } })
    await ask('PUT', '/api/account/trusted-senders', { trusted_senders: [MARK] })
    await ask('PUT', '/api/account/alerts', { webhook_url: `http://127.0.0.1:9/${MARK}` })
    await ask('POST', '/api/counter')
    await ask('POST', '/api/affiliate/links', { label: MARK })
    await ask('PUT', '/api/affiliate/bank', {
      bank_code: 'VCB',
      account_number: '0011000415567',
      account_name: MARK.toUpperCase(),
    })
    await ask('POST', '/api/plans/order', { plan: 'Pro' })
    await api.ask('POST', '/api/session', { json: { email: EMAIL, password } })
    await api.ask('POST', '/api/auth/login', { json: { email: EMAIL, password } })
    await api.ask('POST', '/api/auth/forgot-password', { json: { email: EMAIL } })
    await api.ask('POST', '/api/auth/register', { json: { email: EMAIL, password } })
    await api.ask('POST', '/api/auth/resend-verify', { json: { email: EMAIL } })

    const post = (json: object) =>
      api.ask('POST', '/api/receive/sms', { json, headers: { 'x-device-token': paired.device_token } })
    const taken: number[] = []
    for (let n = 1; n <= 3; n++) {
      const { body } = await post({ sender: 'Vietcombank', text: vietcombankText(n, `DH${n} ${MARK}`) })
      taken.push(body.data.id as number)
    }
    await post({ sender: 'Vietcombank', text: `Ngan hang la: TK 99 +100,000 don vi, ${MARK}` })
    await post({ sender: 'Stranger', text: vietcombankText(9, `DH9 ${MARK}`) })
    await api.ask('POST', '/api/receive/batch', {
      json: { items: [{ type: 'sms', sender: 'Vietcombank', text: vietcombankText(4, `DH4 ${MARK}`) }] },
      headers: { 'x-device-token': paired.device_token },
    })
    await ask('POST', '/api/webhooks/bulk-retry', { filter: {} })
    const [first, second] = taken as [number, number]
    const attempt_id = await api.nextId()
    await api.happened(user_id, first, [
      { type: 'WebhookAttempted', data: { transaction_id: first, attempt_id, rule_id: rule, attempt: 1, method: 'POST', url: `http://127.0.0.1:9/${MARK}`, account_revision: 1, timestamp: 1, body_sha256: 'x', renderer: 1, http_status: 500, response_body: MARK, error: 'http_500', sent_at: new Date().toISOString(), duration_ms: 1, outcome: 'retrying', next_attempt_at: new Date().toISOString() } },
    ]) // prettier-ignore
    await ask('DELETE', `/api/transactions/${second}`)
    await api.decree(user_id, {
      type: 'QuotaWarned',
      data: { user_id, month: '2026-11', transactions: 80, limit: 100 },
    })

    // Rows that other roles write.
    const lastSeen = openLastSeenNotes(api.database, () => {})
    lastSeen.note(user_id, `device-${paired.device_id}`, new Date())
    await lastSeen.close()
    const usage = openUsageCounters(api.database, { perHour: 10, polls: 5, parallel: 5 })
    usage.enter(`${user_id}.0`, 'GET /')
    await usage.settle()
    const failing = { user_id, mail_account_id: mailbox, since: new Date().toISOString() }
    await openMailboxNotes(api.database).report(failing as never, `${MARK}: no answer`)
    await api.database.query('INSERT INTO ops.pace (rule_id) VALUES ($1)', [rule])
    await api.database.query('INSERT INTO ops.endpoint (user_id, endpoint) VALUES ($1, $2)', [
      user_id,
      `https://${MARK}.example`,
    ])
    await api.database.query(
      'INSERT INTO ops.claim (transaction_id, rule_id, attempt, worker) VALUES ($1, $2, 2, gen_random_uuid())',
      [first, rule],
    )
    await api.database.query(
      'INSERT INTO ops.rate_limit (key, points, expire) VALUES ($1, 1, $2) ON CONFLICT DO NOTHING',
      [`links:${user_id}`, Date.now() + 60_000],
    )
    const snapshots = openSnapshots(api.database, '1', (error) => {
      throw error
    })
    const part = randomUUID()
    const snapshot = { revision: 1, event_id: randomUUID(), writer: randomUUID(), state: { user_id }, parts: [part] }
    await snapshots.save(user_id, 'account', { ...snapshot, added: [[part, new Uint8Array(8)]] })
    await passed()
    await eventually(async () => (await ask('GET', '/api/bank-accounts')).body.data.length > 0)
    await passed()
  }

  it('is in nearly every table before the deletion', async () => {
    const tables = new Set((await everyRow()).filter(isOfIt).map(({ table }) => table))
    const operational = [
      'claim',
      'conduct_calls',
      'endpoint',
      'heard',
      'inbox_call',
      'mailbox',
      'outbox',
      'pace',
      'rate_limit',
      'snapshot',
      'snapshot_part',
    ]
    const readModels = [
      'account',
      'alert',
      'attempt',
      'attempt_count',
      'delivery',
      'job',
      'mail_account',
      'notification',
      'owned_stream',
      'quota',
      'rule',
      'system',
      'transaction',
      'transaction_total',
      'unread_bytes',
    ]
    expect([...tables]).to.include.members([
      ...operational.map((name) => `ops.${name}`),
      ...readModels.map((name) => `read_model.${name}`),
      'store.event',
    ])
    expect([...tables].some((table) => table.startsWith('search_model.'))).to.equal(true)
  })

  it('has nothing about a removed mailbox within the hour, and still what is known of the others', async () => {
    const known = () => api.database.query<{ mail_account_id: number }>('SELECT mail_account_id FROM ops.mailbox')
    const before = await known()
    const removed = { user_id: account.user_id, mail_account_id: await api.nextId(), since: new Date().toISOString() }
    await openMailboxNotes(api.database).report(removed as never, `${MARK}: no answer`)
    await sweepForgotten(api.database).run(new AbortController().signal)
    expect(await known())
      .to.deep.equal(before)
      .and.not.to.deep.equal([])
  })

  it('is gone from every table after the deletion, except closing events without personal data', async () => {
    const { user_id } = account
    const occasion = { user_id, at: new Date(), correlation_id: 'delete', causation_id: 'delete' }
    const kept = 'SELECT FROM read_model.transaction WHERE user_id = $1'
    const { length: transactions } = await api.database.query(kept, [user_id])
    // Counted beside the transactions: each stream with an event of the account, without those that were erased before.
    const others = new Set(
      (await api.store.readAll(null, 100_000))
        .filter(({ metadata, type }) => metadata.user_id === user_id && !isClosing(type))
        .map(({ stream }) => stream)
        .filter((stream) => !stream.startsWith('transaction-')),
    )
    for (const stream of [accountStream(user_id), emailStream(EMAIL)]) others.delete(stream)
    expect([...others].map((stream) => stream.replace(/-.*/, ''))).to.include.members(['affiliate', 'alerts', 'book', 'ignored', 'job', 'plan', 'unread']) // prettier-ignore
    const from: (string | null)[] = []
    const readAll: typeof api.store.readAll = (after, limit) => {
      from.push(after)
      return api.store.readAll(after, limit)
    }
    const [[registered] = []] = await api.store.read([{ stream: accountStream(user_id), limit: 1 }])
    const parts = {
      store: { ...api.store, readAll },
      accounts: api.accounts,
      list: listStreams(api.database, api.store, main),
      onFullRead: (reason: string) => expect.fail(reason),
      forget: forgetAccount(api.database),
    }
    const erased = await eraseAccount(parts, occasion, EMAIL)
    expect(api.store.isAfter(from[0]!, registered!.checkpoint), 'only newer events are read').to.equal(true)
    expect(erased).to.deep.equal({ transactions, others: others.size })
    // The email is free now, so a repeated deletion finds nothing to count.
    expect(await eraseAccount(parts, occasion, EMAIL)).to.deep.equal({ transactions: 0, others: 0 })
    await passed()
    await api.store.expire()
    const left = (await everyRow()).filter(isOfIt)
    expect(left.filter(({ table }) => table !== 'store.event' && table !== 'store.expired_stream')).to.deep.equal([])

    const CLOSING = new Set(['AccountDeleted', 'TransactionDeleted', 'StreamErased', 'EmailReleased', 'IdsReserved'])
    const FIELDS = new Set(['user_id', 'transaction_id', 'captured_at', 'counted', 'from', 'to'])
    const events = (await api.store.readAll(null, 100_000)).filter((event) => isOfIt({ row: JSON.stringify(event) }))
    expect(events.length).to.be.greaterThan(5)
    for (const { type, data, stream } of events) {
      expect(CLOSING, `${type} in ${stream}`).to.include(type)
      expect(eventSchemas.has(type)).to.equal(true)
      for (const field of Object.keys(data as object)) expect(FIELDS, `${type} in ${stream}`).to.include(field)
    }
    expect(JSON.stringify(events).toLowerCase()).not.to.include(MARK)
    expect(left.filter(({ row }) => row.toLowerCase().includes(MARK))).to.deep.equal([])
  })

  it('takes no mail about another address that contains its own', async () => {
    const about = (email: string) => `Baoco: ${email} has used 80% of this month's transactions`
    const others = ['lan@shop.test', 'm.an@shop.test', 'an@shop.test.vn', 'an@shop.tests', 'to-an@shop.test'].map(about)
    const own = ['an@shop.test', '(An@Shop.test)'].map(about)
    for (const text of [...others, ...own])
      await api.database.query('INSERT INTO ops.outbox (recipient, subject, body) VALUES ($1, $2, $3)', [
        'operator@shop.test', text, `${text}.`,
      ]) // prettier-ignore
    const nothing = { rules: [], mail_accounts: [], transactions: [], token_hashes: [] }
    await forgetAccount(api.database)({ user_id: await api.nextId(), email: 'An@shop.test', ...nothing })
    const left = await api.database.query<{ subject: string }>(
      "SELECT subject FROM ops.outbox WHERE recipient = 'operator@shop.test' ORDER BY id",
    )
    expect(left.map(({ subject }) => subject)).to.deep.equal(others)
  })

  it('does not prevent a new registration of its address', async () => {
    const again = await api.newAccount(EMAIL, 'Free')
    expect(again.user_id).not.to.equal(account.user_id)
  })
})
