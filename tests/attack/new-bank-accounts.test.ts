/**
 * Attack: a stranger registers the victim's phone number or mailbox for the stranger's own bank account. The bank then sends the victim
 * genuine notifications of money that the stranger has moved between own accounts, with order ids of the victim's shop as memo. None of
 * these may be sent to the shop until the victim confirms the number (decision T6).
 */
import { expect } from 'chai'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { MOST_BANK_ACCOUNTS } from '../../domain/account/bank-accounts.ts'
import { parseEvent } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { confirmationLinks } from '../../workflows/accounts/confirmation-links.ts'
import type { FreshAccount } from '../../workflows/accounts/registration.ts'
import { BASE_URL, JWT_SECRET, openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { eventually } from '../harness/eventually.ts'

const OWN = '0011000415567'
const STRANGERS = '0099000888777'

interface Listed {
  id: number
  account_number: string
  confirmed: boolean
}

describe('attack: new bank accounts', () => {
  let api: ApiUnderTest
  let account: FreshAccount
  let key: string
  let number = 0
  let created = 0
  /** Runs when a copy's completion of its first transaction was decided, before it is stored. */
  let beforeCompletion: () => Promise<void>

  before(async () => {
    api = await openApi({}, 'real', {
      openStores: async (url) => {
        const store = await openPostgresEventStore({ url, parse: parseEvent })
        const requestStore: EventStore = {
          ...store,
          append: async (units) => {
            const isCompleting = units.flat().some(({ events }) => events[0]?.type === 'TransactionCompleted')
            if (isCompleting) await beforeCompletion()
            return store.append(units)
          },
        }
        return { store, requestStore }
      },
    })
  })
  after(async () => {
    await api.close()
  })

  beforeEach(async () => {
    api.clock.at = null
    beforeCompletion = async () => {}
    account = await api.newAccount(`owner${++created}@shop.example`)
    key = account.api_key
    await api.ask('POST', '/api/systems', { key, json: { name: 'shop', type: 'custom', payment_prefix: 'DH' } })
    await api.ask('POST', '/api/webhooks', { key, json: { name: 'shop', url: 'http://127.0.0.1:9/webhook' } })
  })

  const later = (hours: number) => (api.clock.at = new Date((api.clock.at ?? new Date()).getTime() + hours * HOUR_MS))

  const textOf = (accountNumber: string, memo = `DH${1000 + number}`, sign = '+'): string => {
    number++
    const local = new Date((api.clock.at ?? new Date()).getTime() + 7 * HOUR_MS).toISOString()
    const day = local.slice(0, 10).split('-').reverse().join('-')
    return `SD TK ${accountNumber} ${sign}150,000VND luc ${day} ${local.slice(11, 19)}. SD ${1_000_000 + number}VND. Ref MBVCB.${900_000_000 + number}.${memo}`
  }

  const send = async (text: string): Promise<{ id: number; webhook_status: string }> => {
    const path = `/api/receive/u/${account.receive_token}`
    const { body } = await api.ask('POST', path, { json: { sender: 'Vietcombank', text } })
    return body.data as { id: number; webhook_status: string }
  }

  const statusOf = async (id: number): Promise<string> =>
    (await api.ask('GET', `/api/transactions/${id}`, { key })).body.data?.webhook_status as string

  const list = async (): Promise<Listed[]> =>
    (await api.ask('GET', '/api/bank-accounts', { key })).body.data as Listed[]
  const listed = (accountNumber: string): Promise<Listed> =>
    eventually(async () => (await list()).find(({ account_number }) => account_number === accountNumber), {
      what: `the bank account ${accountNumber}`,
    })

  const mailOf = (id: number) =>
    eventually(
      async () =>
        (await api.outbox.list()).find(
          ({ to, text }) => to === `owner${created}@shop.example` && text.includes(`/confirm-bank-account?token=bcb_`),
        ),
      { what: `the mail about bank account ${id}` },
    )

  it('are held if they appear after the first 24 hours, even for the second credit of the same burst', async () => {
    expect((await send(textOf(OWN))).webhook_status).to.equal('pending')
    expect(await listed(OWN)).to.include({ confirmed: true })
    later(25)
    const burst = await Promise.all([send(textOf(STRANGERS)), send(textOf(STRANGERS)), send(textOf(STRANGERS))])
    expect(burst.map(({ webhook_status }) => webhook_status)).to.deep.equal(['no_match', 'no_match', 'no_match'])
    expect(await listed(STRANGERS)).to.include({ confirmed: false })
    expect((await send(textOf(STRANGERS))).webhook_status, 'known, and unconfirmed').to.equal('no_match')
    expect((await send(textOf(OWN))).webhook_status, "the owner's").to.equal('pending')
  })

  it('are confirmed by one call, which sends held credits, but none older than REPARSE_MAX_AGE', async () => {
    later(25)
    const old = await send(textOf(STRANGERS))
    const { id } = await listed(STRANGERS)
    later(25)
    const waited = await Promise.all([send(textOf(STRANGERS)), send(textOf(STRANGERS))])
    const { body } = await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { confirmed: 1 } })
    expect(body.data).to.include({ id, confirmed: true })
    for (const { id } of waited)
      await eventually(async () => (await statusOf(id)) === 'pending', { what: 'what waited is sent' })
    expect(await statusOf(old.id), 'too old').to.equal('no_match')
    expect((await api.ask('POST', `/api/transactions/${old.id}/retry`, { key })).status).to.equal(200)
    expect(await statusOf(old.id), 'by hand').to.equal('pending')
    expect((await send(textOf(STRANGERS))).webhook_status, 'from now on').to.equal('pending')
    const taken = await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { confirmed: 0 } })
    expect(taken.body.error).to.equal('VALIDATION_FAILED')
  })

  it('are not confirmed by a manual retry, which sends the held credit', async () => {
    later(25)
    const waiting = await send(textOf(STRANGERS))
    await listed(STRANGERS)
    await api.ask('POST', `/api/transactions/${waiting.id}/retry`, { key })
    expect(await statusOf(waiting.id)).to.equal('pending')
    expect(await listed(STRANGERS)).to.include({ confirmed: false })
  })

  it('are confirmed only by the button on the page that the link in the mail opens', async () => {
    later(25)
    const { id: waiting } = await send(textOf(STRANGERS))
    const { id } = await listed(STRANGERS)
    const { text } = await mailOf(id)
    const link = new URL(/https:\/\/\S+confirm-bank-account\?token=\S+/.exec(text)![0])
    const path = link.pathname + link.search
    for (const method of ['GET', 'HEAD', 'GET']) expect((await api.ask(method, path)).status).to.equal(200)
    expect(await listed(STRANGERS), 'a scanner opened the link').to.include({ confirmed: false })
    const page = await api.ask('GET', path)
    expect(page.body).to.include('8777').and.not.to.include(STRANGERS)
    expect(page.body).to.match(/<form method="post">/)
    expect(page.headers.get('content-security-policy')).to.match(/^default-src 'none';/)
    expect(page.headers.get('referrer-policy'), 'the address has the token').to.equal('no-referrer')
    const { body: alerts } = await api.ask('GET', '/api/alerts', { key })
    expect(JSON.stringify(alerts), 'the list may be read by others').not.to.include('bcb_')
    const forged = path.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))
    // The last of 43 characters has two bits that say nothing: base64url decodes this one to the same bytes.
    const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const otherSpelling = path.replace(/.$/, (last) => ALPHABET[ALPHABET.indexOf(last) ^ 1]!)
    const until = Number(/-(\d+)-/.exec(path)![1])
    /** The same link, with the signature for another account, number or time. */
    const signedFor = ({ user_id = account.user_id, bank_account_id = id, end = until }): string => {
      const since = new Date(end - 7 * 24 * HOUR_MS).toISOString()
      const { pathname, search } = new URL(
        confirmationLinks(JWT_SECRET, BASE_URL).url({ user_id, bank_account_id }, since),
      )
      return pathname + search.replace(/bcb_\d+\.\d+-\d+-/, `bcb_${account.user_id}.${id}-${until}-`)
    }
    expect(signedFor({})).to.equal(path)
    for (const bad of [
      signedFor({ user_id: account.user_id + 1 }),
      signedFor({ bank_account_id: id + 1 }),
      signedFor({ end: until - 1_000 }),
      forged,
      otherSpelling,
      path.replace(`bcb_${account.user_id}.`, `bcb_${account.user_id + 1}.`),
      `${link.pathname}?token=x`,
    ])
      expect((await api.ask('POST', bad)).status, bad).to.equal(404)
    expect(await listed(STRANGERS)).to.include({ confirmed: false })
    expect((await api.ask('POST', path)).status).to.equal(200)
    expect(await listed(STRANGERS)).to.include({ confirmed: true })
    await eventually(async () => (await statusOf(waiting)) === 'pending', { what: 'what waited is sent' })
    await api.decree(account.user_id, { type: 'AccountLocked', data: { user_id: account.user_id, reason: 'test' } })
    for (const method of ['GET', 'POST'] as const) expect((await api.ask(method, path)).status).to.equal(403)
    later(8 * 24)
    expect((await api.ask('POST', path)).status, 'the link is too old').to.equal(404)
  })

  it('count at once for 24 hours after learn, and no longer', async () => {
    later(25)
    const { body } = await api.ask('POST', '/api/bank-accounts/learn', { key })
    expect(Date.parse(body.data.learning_until) - api.clock.at!.getTime()).to.equal(24 * HOUR_MS)
    later(23)
    expect((await send(textOf('0044000111222'))).webhook_status).to.equal('pending')
    expect(await listed('0044000111222')).to.include({ confirmed: true })
    later(2)
    expect((await send(textOf(STRANGERS))).webhook_status).to.equal('no_match')
  })

  it('stay held after a better copy, whether it prints the number or not', async () => {
    later(25)
    const path = `/api/receive/u/${account.receive_token}`
    const text = textOf(STRANGERS, 'chuyen tien')
    const first = await send(text)
    const push = text.replace('chuyen tien', 'DH7001')
    await api.ask('POST', path, { json: { package: 'com.VCB', title: 'VCB', text: push } })
    expect(['skipped', 'no_match']).to.include(await eventually(() => statusOf(first.id)))
    const completed = await eventually(
      async () => {
        const { body } = await api.ask('GET', `/api/transactions/${first.id}`, { key })
        return body.data.order_id === 'DH7001' ? body.data : undefined
      },
      { what: 'the copy brings the order id' },
    )
    expect(completed.webhook_status).to.equal('no_match')
    const { id } = await listed(STRANGERS)
    await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { confirmed: 1 } })
    await eventually(async () => (await statusOf(first.id)) === 'pending', { what: 'the completed one is sent' })
  })

  it('that were confirmed before a better copy arrives do not hold the payment', async () => {
    later(25)
    const text = textOf(STRANGERS, 'chuyen tien')
    const first = await send(text)
    expect(first.webhook_status).to.equal('skipped')
    const { id } = await listed(STRANGERS)
    await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { confirmed: 1 } })
    const push = { package: 'com.VCB', title: 'VCB', text: text.replace('chuyen tien', 'DH7003') }
    await api.ask('POST', `/api/receive/u/${account.receive_token}`, { json: push })
    await eventually(async () => (await statusOf(first.id)) === 'pending', { what: 'the completed one is sent' })
  })

  it('that are confirmed while a copy completes the held payment do not hold it', async () => {
    later(25)
    const text = textOf(STRANGERS, 'chuyen tien')
    const inApp = `Giao dịch: +150,000 VND. Số dư: ${1_000_000 + number} VND. Nội dung: `
    const path = `/api/receive/u/${account.receive_token}`
    const app = { package: 'com.VCB', title: 'VCB' }
    const other = await send(textOf(STRANGERS))
    const { id } = await listed(STRANGERS)
    beforeCompletion = async () => {
      await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { confirmed: 1 } })
      await eventually(async () => (await statusOf(other.id)) === 'pending', { what: 'what waited before is sent' })
    }
    // The first text prints no number, so only the copy makes it wait.
    const first = await api.ask('POST', path, { json: { ...app, text: `${inApp}chuyen tien` } })
    expect(first.body.data.webhook_status).to.equal('skipped')
    expect((await send(text.replace('chuyen tien', 'DH7004'))).webhook_status).to.equal('already_run')
    const isSent = async () => (await statusOf(first.body.data.id)) === 'pending'
    await eventually(isSent, { what: 'the completed one is sent' })
  })

  it('that were switched off send nothing when they are confirmed, even where only a copy printed the number', async () => {
    later(25)
    const text = textOf(STRANGERS)
    const inApp = `Giao dịch: +150,000 VND. Số dư: ${1_000_000 + number} VND. Nội dung: chuyen tien`
    const json = { package: 'com.VCB', title: 'VCB', text: inApp }
    const first = await api.ask('POST', `/api/receive/u/${account.receive_token}`, { json })
    expect((await send(text)).webhook_status).to.equal('already_run')
    const other = await send(textOf('0044000111222'))
    const [off, on] = [await listed(STRANGERS), await listed('0044000111222')]
    const change = (id: number, json: object) => api.ask('PUT', `/api/bank-accounts/${id}`, { key, json })
    await change(off.id, { is_active: 0 })
    await change(off.id, { confirmed: 1 })
    await change(on.id, { confirmed: 1 })
    await eventually(async () => (await statusOf(other.id)) === 'pending', { what: 'the other one, later, is sent' })
    expect(await statusOf(first.body.data.id)).to.equal('no_match')
  })

  it('that were switched off stay so after a better copy that prints no number', async () => {
    const first = await send(textOf(STRANGERS, 'chuyen tien'))
    const { id } = await listed(STRANGERS)
    await api.ask('PUT', `/api/bank-accounts/${id}`, { key, json: { is_active: 0 } })
    const text = `Giao dịch: +150,000 VND. Số dư: ${1_000_000 + number} VND. Nội dung: DH7002`
    const json = { package: 'com.VCB', title: 'VCB', text }
    const copy = await api.ask('POST', `/api/receive/u/${account.receive_token}`, { json })
    expect(copy.body.data.webhook_status).to.equal('already_run')
    const completed = await eventually(
      async () => {
        const { data } = (await api.ask('GET', `/api/transactions/${first.id}`, { key })).body
        return data.order_id === 'DH7002' ? data : undefined
      },
      { what: 'the copy brings the order id' },
    )
    expect(completed.webhook_status).to.equal('no_match')
  })

  it('do not count because of a debit that names them', async () => {
    later(25)
    await send(textOf(STRANGERS, 'DH9', '-'))
    expect(await listed(STRANGERS)).to.include({ confirmed: false })
    expect((await send(textOf(STRANGERS))).webhook_status).to.equal('no_match')
  })

  it('count if a masked print fits the confirmed number, and wait with other or too few digits', async () => {
    await send(textOf(OWN))
    await listed(OWN)
    later(25)
    expect((await send(textOf('0011xxxx5567'))).webhook_status, 'the same number masked').to.equal('pending')
    expect((await send(textOf('0099xxxx5567'))).webhook_status, 'other digits').to.equal('no_match')
    expect((await send(textOf('xxxxxxxxxx567'))).webhook_status, 'three digits').to.equal('no_match')
  })

  it('beyond the limit of an account are not recorded, and their payments are kept and can be retried manually', async () => {
    const { user_id } = account
    for (let number = 0; number < MOST_BANK_ACCOUNTS; number++) {
      const bank_account_id = await api.nextId()
      const seen = {
        user_id,
        bank_account_id,
        bank_code: 'BIDV',
        account_number: String(3e9 + number),
        transaction_id: 1,
      }
      await api.decree(user_id, { type: 'BankAccountSeen', data: seen })
    }
    const { id, webhook_status } = await send(textOf(STRANGERS))
    expect(webhook_status, 'in the first 24 hours').to.equal('no_match')
    const other = await api.newAccount(`next${created}@shop.example`)
    const path = `/api/receive/u/${other.receive_token}`
    await api.ask('POST', path, { json: { sender: 'Vietcombank', text: textOf(OWN) } })
    await eventually(
      async () => (await api.ask('GET', '/api/bank-accounts', { key: other.api_key })).body.data.length === 1,
      { what: 'the number of a later notification' },
    )
    expect(await list()).to.have.lengthOf(MOST_BANK_ACCOUNTS)
    expect((await api.ask('POST', `/api/transactions/${id}/retry`, { key })).status).to.equal(200)
    expect(await statusOf(id), 'by hand').to.equal('pending')
  })

  it('cannot be confirmed by another account', async () => {
    later(25)
    await send(textOf(STRANGERS))
    const { id } = await listed(STRANGERS)
    const other = (await api.newAccount(`other${created}@shop.example`)).api_key
    expect((await api.ask('PUT', `/api/bank-accounts/${id}`, { key: other, json: { confirmed: 1 } })).status).to.equal(
      404,
    )
    expect(await listed(STRANGERS)).to.include({ confirmed: false })
  })
})
