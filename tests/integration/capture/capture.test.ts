import { expect } from 'chai'
import { accountStream } from '../../../domain/account/events.ts'
import type { Taken } from '../../../domain/arrival/arrival.ts'
import { ignoredStream } from '../../../domain/arrival/events.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import type { TakenInfo } from '../../../workflows/capture/taken-info.ts'
import { accountFacts, shownOf, tokenOf } from '../../harness/accounts.ts'
import { eventually } from '../../harness/eventually.ts'
import { USER, arrival, openWorld, vietcombankPush, vietcombankSms, type World } from './world.ts'
import { transactionOf } from './transaction-of.ts'

describe('capture', () => {
  let world: World
  beforeEach(async () => (world = await openWorld()))
  afterEach(() => world.close())

  const takeOne = async (capture = world.process(), ...given: ReturnType<typeof arrival>[]): Promise<Taken> =>
    (await capture.take(given))[0]!

  it('turns an SMS into a transaction with all its fields, matched against prefixes and rules', async () => {
    const taken = transactionOf(await takeOne(world.process(), vietcombankSms(1)))
    expect(taken).to.include({ webhook_status: 'pending', source_type: 'sms' })
    const [captured] = await world.events(transactionStream(taken.id))
    expect(captured?.data).to.deep.include({
      transaction_id: taken.id,
      user_id: USER,
      source_type: 'sms',
      source: 'device-1:sms',
      bank_code: 'VCB',
      transaction_type: 'credit',
      amount: '150000.00',
      currency: 'VND',
      balance_after: '1000150.00',
      order_id: 'DH1001',
      prefix: 'DH',
      rules: [20],
      webhook_status: 'pending',
      transaction_date: '2026-11-20T03:00:05.000Z',
      transaction_date_source: 'printed',
      already_run_of: null,
    })
    expect(captured?.metadata.user_id).to.equal(USER)
  })

  it('answers a resend with the first transaction and its current status, and stores nothing', async () => {
    const capture = world.process()
    const first = transactionOf(await takeOne(capture, vietcombankSms(1)))
    await world.write(
      transactionStream(first.id),
      [{ type: 'WebhookStatusChanged', data: { transaction_id: first.id, from: 'pending', to: 'success' } }],
      0,
    )
    for (const process of [capture, world.process()])
      expect(await takeOne(process, vietcombankSms(1))).to.deep.equal({ ...first, webhook_status: 'success' })
    expect((await world.events('book-')).length).to.equal(1)
    expect((await world.transactions()).size).to.equal(1)
    expect((await world.events('unread-')).length + (await world.events('ignored-')).length).to.equal(0)
  })

  it('records a copy as already_run of the first transaction, in the same batch or later', async () => {
    const capture = world.process()
    const [sms, push] = await capture.take([vietcombankSms(1), vietcombankPush(1)])
    const [again] = await capture.take([vietcombankPush(2), vietcombankSms(2, undefined, { device: 2, stamp: 5_000 })])
    const other = transactionOf(await takeOne(capture, vietcombankSms(2)))
    const all = await world.transactions()
    expect(all.get(transactionOf(push).id)).to.include({
      webhook_status: 'already_run',
      already_run_of: transactionOf(sms).id,
    })
    expect(all.get(other.id)).to.include({ webhook_status: 'already_run', already_run_of: transactionOf(again).id })
    expect(all.get(other.id)?.deliveries.size).to.equal(0)
  })

  it('adds the order id of a better copy to the first transaction, in the same group or later', async () => {
    const capture = world.process()
    const cut = (number: number) => vietcombankPush(number, 'NGUYEN VAN...', { stamp: 0 })
    const whole = (number: number) => vietcombankSms(number, 'NGUYEN VAN AN DH1042', { stamp: 20_000 })
    const together = await capture.take([cut(1), whole(1)])
    const apart = [await takeOne(capture, cut(2)), await takeOne(world.process(), whole(2))]
    const all = await world.transactions()
    for (const [first, copy] of [together, apart]) {
      expect(all.get(transactionOf(first).id)).to.include({ order_id: 'DH1042', webhook_status: 'pending' })
      expect([...all.get(transactionOf(first).id)!.deliveries.keys()]).to.deep.equal([20])
      expect(all.get(transactionOf(copy).id)).to.include({ webhook_status: 'already_run' })
    }
    const types = (await world.events(transactionStream(transactionOf(apart[0]).id))).map(({ type }) => type)
    expect(types).to.deep.equal(['TransactionCaptured', 'TransactionCompleted', 'WebhookStatusChanged'])
  })

  it('decides a batch in the order of its timestamps and answers in the order of its items', async () => {
    const [late, early] = await world
      .process()
      .take([vietcombankPush(1, undefined, { stamp: 9_000 }), vietcombankSms(1)])
    expect(transactionOf(late).webhook_status).to.equal('already_run')
    expect(transactionOf(early).webhook_status).to.equal('pending')
  })

  it('stores a text that it cannot read, with everything needed to read it later', async () => {
    const text = 'TK 0011000415567 thay doi 150,000 VND gi do'
    const taken = await takeOne(world.process(), arrival(text, { sender: 'Vietcombank' }))
    expect(taken).to.deep.equal({ kind: 'ignored', reason: 'unparsed' })
    const [unread] = await world.events('unread-')
    expect(unread?.data).to.deep.include({ text, sender: 'Vietcombank', posted_as: 'sms', source: 'device-1:sms' })
  })

  it('records ignored notifications with a reason in one stream per user, and never stores a one-time password', async () => {
    const capture = world.process()
    const otp = arrival('Ma OTP cua quy khach la 482913. Khong cung cap cho bat ky ai.', { sender: 'Vietcombank' })
    expect(await takeOne(capture, otp)).to.deep.equal({ kind: 'ignored', reason: 'otp' })
    const forged = vietcombankSms(1, undefined, { sender: '0912345678' })
    // A new process gets the revision of the stream from the conflict.
    for (const process of [capture, world.process()])
      expect(await takeOne(process, forged)).to.deep.equal({ kind: 'ignored', reason: 'unknown_sender' })
    const kept = await world.events(ignoredStream(USER))
    expect(kept.map(({ data }) => (data as { text: string | null }).text)).to.deep.equal([
      null,
      forged.incoming.text,
      forged.incoming.text,
    ])
    expect((await world.transactions()).size).to.equal(0)
  })

  it('refuses a token that is not in the account, and a token whose device was just removed', async () => {
    const capture = world.process()
    await takeOne(capture, vietcombankSms(1))
    const forged = { ...vietcombankSms(2), credential: shownOf(USER, 9) }
    const stranger = { ...vietcombankSms(2), credential: shownOf(8, 1) }
    for (const each of [forged, stranger]) expect(await takeOne(capture, each)).to.deep.equal({ kind: 'unauthorized' })
    await world.write(
      accountStream(USER),
      [{ type: 'DeviceRemoved', data: { user_id: USER, device_id: 1 } }],
      accountFacts(USER).length - 1,
    )
    expect(await takeOne(capture, vietcombankSms(3))).to.deep.equal({ kind: 'unauthorized' })
    expect((await world.transactions()).size).to.equal(1)
  })

  it('still captures for a locked account', async () => {
    await world.write(
      accountStream(USER),
      [{ type: 'AccountLocked', data: { user_id: USER, reason: 'polling' } }],
      accountFacts(USER).length - 1,
    )
    transactionOf(await takeOne(world.process(), vietcombankSms(1)))
  })

  it('ignores resends and copies of a deleted transaction, even after its stream was erased', async () => {
    const capture = world.process()
    const { id } = transactionOf(await takeOne(capture, vietcombankSms(1)))
    const deleted = { transaction_id: id, user_id: USER, captured_at: new Date(0).toISOString(), counted: true }
    await world.write(transactionStream(id), [{ type: 'TransactionDeleted', data: deleted }], 0)
    await world.store.erase(transactionStream(id))
    for (const process of [capture, world.process()])
      for (const again of [vietcombankSms(1), vietcombankPush(1)])
        expect(await takeOne(process, again)).to.deep.equal({ kind: 'ignored', reason: 'deleted' })
    for (const { data } of await world.events(ignoredStream(USER))) expect(data).to.include({ text: null })
    expect((await world.transactions()).size).to.equal(0)
  })

  it('continues after all events of the deduplication window have expired', async () => {
    await world.store.retain('book-', 0)
    const taken: Taken[] = []
    for (const number of [1, 2]) taken.push(await takeOne(world.process(), vietcombankSms(number)))
    await world.store.expire()
    taken.push(await takeOne(world.process(), vietcombankSms(3)))
    expect(new Set(taken.map((each) => transactionOf(each).id)).size).to.equal(3)
  })

  it('reports one wide log line per notification, without text or token', async () => {
    const infos: TakenInfo[] = []
    const capture = world.process({ onTaken: (info) => infos.push(info) })
    await capture.take([vietcombankSms(1), vietcombankPush(1)])
    await takeOne(capture, vietcombankSms(1))
    await eventually(() => infos.length === 3)
    expect(infos.map(({ outcome }) => outcome)).to.deep.equal(['new', 'copy', 'resend'])
    expect(infos[0]).to.include({ user_id: USER, bank_code: 'VCB', webhook_status: 'pending', group: 2, tries: 1 })
    const line = JSON.stringify(infos)
    for (const secret of [tokenOf(USER, 1), '0011000415567', 'DH1001']) expect(line).not.to.include(secret)
  })

  it('keeps the transactions of different accounts separate', async () => {
    await world.write(accountStream(8), accountFacts(8), NO_STREAM)
    const capture = world.process()
    const theirs = { ...vietcombankSms(1), credential: shownOf(8, 1) }
    const [mine, other] = (await Promise.all([capture.take([vietcombankSms(1)]), capture.take([theirs])])).flat()
    expect(transactionOf(mine).webhook_status).to.equal('pending')
    expect(transactionOf(other).webhook_status).to.equal('pending')
    const owners = [...(await world.transactions()).values()].map(({ user_id }) => user_id)
    expect(owners.sort()).to.deep.equal([USER, 8])
  })
})
