/** How the reactors run: after crashes and failures, in another store, and while a server is away. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openPutOffReactions } from '../../../adapters/postgres/ops/put-off-reactions.ts'
import { openReactorCheckpoint } from '../../../adapters/postgres/ops/reactor-checkpoint.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import { alertStream } from '../../../domain/alert/events.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { reactor } from '../../../workflows/reactors/reactor.ts'
import { runReactors } from '../../../workflows/reactors/run.ts'
import { eventually } from '../../harness/eventually.ts'
import { openReactorSetting, USER, type ReactorSetting } from './setting.ts'

describe('running reactors', () => {
  let setting: ReactorSetting
  beforeEach(async () => {
    setting = await openReactorSetting()
  })
  afterEach(() => setting.close())

  it('repeat no effect if all events are handled again after a crash', async () => {
    await setting.account('RuleCreated', { is_active: 1 })
    await setting.gone(1)
    await setting.transaction(2, 'TransactionCaptured')
    const deleted = await setting.transaction(2, 'TransactionDeleted')
    const stop = setting.start()
    await setting.met(deleted)
    // What follows from the pause.
    await eventually(async () => (await setting.typesOf(alertStream(USER))).includes('AlertRaised'))
    await stop()
    expect(await setting.pauses()).to.have.length(1)
    // The owner reports that the shop is back. Then the checkpoint is lost.
    const changed = await setting.account('RuleChanged', { is_active: 1 })
    await setting.database.query('DELETE FROM ops.reaction_checkpoint')
    const before = await setting.store.end()
    const again = setting.start()
    await setting.met(changed)
    await again()
    expect(await setting.store.end()).to.equal(before)
    expect(await setting.typesOf(transactionStream(2))).to.deep.equal(['TransactionDeleted'])
  })

  it('continue from their checkpoint, even if the last handled event was erased since', async () => {
    const seen: string[] = []
    const watching = reactor('watching', ['transaction-'], {
      TransactionCaptured: async ({ data }) => void seen.push(`captured ${data.transaction_id}`),
      TransactionDeleted: async ({ data }) => void seen.push(`deleted ${data.transaction_id}`),
    })
    const captured = await setting.transaction(1, 'TransactionCaptured')
    const stop = setting.start([watching])
    await setting.met(captured)
    await stop()
    await setting.transaction(1, 'TransactionDeleted')
    await setting.store.erase(transactionStream(1))
    setting.start([watching])
    await eventually(() => seen.length === 2)
    expect(seen).to.deep.equal(['captured 1', 'deleted 1'])
    expect(setting.logged).to.deep.equal([])
  })

  it('save their checkpoint once for many events without effects', async () => {
    let met = 0
    const idle = reactor('idle', ['transaction-'], { WebhookAttempted: () => (met++, 'nothing') })
    let saves = 0
    const counting = openReactorCheckpoint({ query: (...statement) => (saves++, setting.database.query(...statement)) })
    const stopping = new AbortController()
    const line = () => expect.fail('nothing fails')
    const log = { warn: line, error: line }
    const running = runReactors(
      {
        store: setting.store,
        reactors: [idle],
        checkpoint: counting,
        putOffs: openPutOffReactions(setting.database),
        log,
      },
      stopping.signal,
    )
    const began = performance.now()
    for (let number = 1; number <= 20; number++) {
      await setting.transaction(number, 'WebhookAttempted')
      await eventually(() => met === number)
    }
    expect(saves).to.be.at.most(3 + (performance.now() - began) / 1_000)
    stopping.abort()
    await running
  })

  it('handle all events again in another store, and log that', async () => {
    await setting.transaction(1, 'TransactionCaptured')
    await setting.transaction(1, 'TransactionDeleted')
    await openReactorCheckpoint(setting.database).save({
      checkpoint: '2',
      event_id: randomUUID(),
      stream: transactionStream(1),
      revision: 1,
    })
    setting.start()
    await eventually(async () => (await setting.typesOf(transactionStream(1))).length === 1)
    expect(setting.logged.map(({ what }) => what)).to.deep.equal(['reactors.from_the_first_event'])
  })

  it('are retried until they succeed, and log which one failed', async () => {
    let tries = 0
    const failing = reactor('failing', ['transaction-'], {
      TransactionDeleted: async () => {
        if (++tries < 3) throw new Error('not yet')
      },
    })
    const deleted = await setting.transaction(1, 'TransactionDeleted')
    setting.start([failing])
    await setting.met(deleted)
    expect(tries).to.equal(3)
    expect(setting.logged.map(({ what, fields }) => [what, fields.reaction, fields.reason])).to.deep.equal([
      ['reaction.failed', 'failing', 'not yet'],
      ['reaction.failed', 'failing', 'not yet'],
    ])
  })

  it('continue without a reaction that keeps failing, and do it later', async () => {
    let isBroken = true
    const done: number[] = []
    const failing = reactor('failing', ['transaction-'], {
      TransactionDeleted: async ({ data: { transaction_id } }) => {
        if (isBroken) throw new Error('out of order')
        done.push(transaction_id)
      },
    })
    await setting.transaction(1, 'TransactionDeleted')
    await setting.transaction(2, 'TransactionCaptured')
    const deleted = await setting.transaction(2, 'TransactionDeleted')
    setting.start([failing, ...setting.all()])
    await setting.met(deleted)
    expect(await setting.typesOf(transactionStream(2))).to.deep.equal(['TransactionDeleted'])
    expect(setting.logged.map(({ what }) => what)).to.include.members(['reaction.failed', 'reaction.put_off'])
    isBroken = false
    // The list is tried at each start.
    setting.start([failing])
    await eventually(() => done.length === 2)
    expect(done).to.deep.equal([1, 2])
  })

  it('end with the subscription that the store refuses, and do nothing that was put off afterwards', async () => {
    await setting.transaction(1, 'TransactionDeleted')
    const done: number[] = []
    const late = reactor('late', ['transaction-'], {
      TransactionDeleted: async ({ data: { transaction_id } }) => void done.push(transaction_id),
    })
    let list = () => {}
    const isListed = new Promise<void>((resolve) => (list = resolve))
    const putOff = { reactor: 'late', stream: transactionStream(1), revision: 0 }
    const all = () => isListed.then(() => [putOff])
    const refusing: EventStore = {
      ...setting.store,
      subscribe: () => {
        setImmediate(list)
        throw new Error('refused')
      },
    }
    const stopping = new AbortController()
    let tries = 0
    const running = runReactors(
      {
        store: { ...refusing, read: (slices) => (tries++, setting.store.read(slices)) },
        reactors: [late],
        checkpoint: { load: async () => null, save: async () => {} },
        putOffs: { ...openPutOffReactions(setting.database), all },
        log: { warn: () => {}, error: () => {} },
      },
      stopping.signal,
    )
    expect(await running.catch(({ message }: Error) => message)).to.equal('refused')
    await setting.store.read([{ stream: transactionStream(1) }])
    expect({ tries, done }).to.deep.equal({ tries: 0, done: [] })
    stopping.abort()
  })

  it('wait for a store that is away, however long', async () => {
    let tries = 0
    const failing = reactor('failing', ['transaction-'], {
      TransactionDeleted: async () => {
        if (++tries < 6) throw new StoreUnavailable('away')
      },
    })
    const deleted = await setting.transaction(1, 'TransactionDeleted')
    setting.start([failing])
    await setting.met(deleted)
    expect(setting.logged.map(({ what }) => what)).not.to.include('reaction.put_off')
  })

  it('mail an alert, and continue, if the secret of the address for alerts cannot be opened', async () => {
    setting.beginNow()
    await setting.account('AccountRegistered', { email: 'shop@example.com', name: null, operator: false })
    const sealed_secret = openVault(['cd'.repeat(32)]).seal('a secret under a lost key')
    await setting.account('AlertWebhookSet', { webhook_url: 'https://shop.example/alerts', sealed_secret })
    await setting.account('RulePaused')
    setting.start()
    await eventually(() => setting.logged.length > 0)
    // The outbox keeps one mail for each key.
    expect(new Set(setting.mails.map((mail) => JSON.stringify(mail))).size).to.equal(1)
    await setting.transaction(1, 'TransactionCaptured')
    const deleted = await setting.transaction(1, 'TransactionDeleted')
    await setting.met(deleted)
    expect(await setting.typesOf(transactionStream(1))).to.deep.equal(['TransactionDeleted'])
    expect(setting.logged.map(({ what }) => what)).to.deep.equal(['reaction.put_off'])
  })
})
