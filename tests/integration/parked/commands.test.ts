/** The operator's views of damaged events and of read models that stand still: `baoco audit`, `baoco replay --verify`, `baoco parked`. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { search } from '../../../projections/search.ts'
import { main } from '../../../projections/main.ts'
import { areStandingStill } from '../../../projections/engine/standing-still.ts'
import { deleteTransactions } from '../../../workflows/transactions/by-hand.ts'
import { capturedData } from '../../harness/captured-data.ts'
import { commandAsProcess, commandInProcess } from '../../harness/command-in-process.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { openRawWriter, type RawWriter } from '../../harness/raw-events.ts'
import { openSetting, type Setting } from '../projections/setting.ts'

const baocoOn =
  (url: string, run = commandInProcess) =>
  (...args: string[]) => {
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, DATABASE_URL: url, JWT_SECRET: 'j'.repeat(32), VAULT_KEY: '0'.repeat(64) }
    return run(args, env)
  }

describe('commands on damaged events', () => {
  describe('baoco audit', () => {
    let testDatabase: TestDatabase
    let database: Database
    let raw: RawWriter
    beforeEach(async () => {
      testDatabase = await freshDatabase()
      database = openDatabase(testDatabase.url)
      raw = await openRawWriter({ DATABASE_URL: testDatabase.url })
    })
    afterEach(async () => {
      await raw.close()
      await database.close()
      await testDatabase.drop()
    })

    it('finds streams that were cut off, and not those that were erased', async () => {
      const registered = {
        user_id: 5,
        email: 'a@b.vn',
        name: null,
        operator: false,
        registered_at: '2026-01-01T00:00:00Z',
      }
      for (const user of [5, 6, 7]) {
        const metadata = { user_id: user }
        const data = { ...registered, user_id: user }
        await raw.append(`account-${user}`, { type: 'AccountRegistered', data, metadata })
        await raw.append(`account-${user}`, { type: 'EmailVerified', data: { user_id: user }, metadata })
      }
      const metadata = { user_id: 7 }
      await raw.append('account-7', { type: 'AccountDeleted', data: { user_id: 7 }, metadata })
      await raw.append('alerts-7', { type: 'StreamErased', data: { user_id: 7 }, metadata })
      expect((await baocoOn(testDatabase.url)('audit')).stdout).to.match(
        /^account-7: not erased, although its account 7 was deleted: run baoco account delete 'a@b.vn' --yes again\n\d+ events, 0 transactions: 1 fault\n$/,
      )
      await raw.store.erase('account-7')
      expect(await baocoOn(testDatabase.url)('audit')).to.include({ status: 0 })
      await raw.store.erase('account-5')
      const { status, stdout } = await baocoOn(testDatabase.url)('audit')
      expect(status).to.equal(1)
      expect(stdout).to.contain('account-5: cut off: its first visible event is EmailVerified at revision 1')
      expect(stdout).to.not.contain('account-6').and.not.contain('account-7')
    })

    it('lists an event that cannot be read', async () => {
      await raw.append('book-1-VCB', { type: 'NotificationSeen', data: null })
      const { status, stdout } = await baocoOn(testDatabase.url)('audit')
      expect(status).to.equal(1)
      expect(stdout).to.contain('book-1-VCB@0: NotificationSeen does not match its schema')
      expect((await baocoOn(testDatabase.url)('parked', 'skip', 'book-1-VCB')).status, 'without --yes').to.equal(2)
      expect((await baocoOn(testDatabase.url)('parked', 'skip', 'book-2-VCB', '--yes')).stderr).to.contain(
        'not parked: book-2-VCB',
      )
      expect(
        (await baocoOn(testDatabase.url, commandAsProcess)('parked', 'skip', 'book-1-VCB', '--yes')).stdout,
      ).to.contain('recorded')
      expect(await baocoOn(testDatabase.url)('audit')).to.include({ status: 0 })
    })
  })

  describe('read models that do not advance', () => {
    let setting: Setting
    beforeEach(async () => {
      setting = await openSetting()
    })
    afterEach(() => setting.close())

    const captured = (transaction_id: number) => {
      const metadata = {
        user_id: 1,
        at: '2026-02-01T00:00:00.000Z',
        correlation_id: 'c',
        causation_id: 'c',
        version: 1,
      }
      const data = capturedData({ transaction_id, user_id: 1, rules: [5, 6] })
      const id = `00000000-0000-4000-8000-${String(transaction_id).padStart(12, '0')}`
      return setting.append([
        { stream: `transaction-${transaction_id}`, events: [{ id, type: 'TransactionCaptured', data, metadata }] },
      ])
    }

    it('are detected if events wait and no process projects them, and not if another process projects them', async () => {
      await captured(1)
      await setting.catchUp()
      await setting.catchUp({ definition: search })
      expect(await areStandingStill(setting.database, setting.store, main, 300)).to.equal(false)
      await captured(2)
      expect(await areStandingStill(setting.database, setting.store, main, 300)).to.equal(true)
      const looking = areStandingStill(setting.database, setting.store, main, 30_000)
      await setting.catchUp()
      expect(await looking).to.equal(false)
    })

    it('make baoco replay --verify exit with 1', async () => {
      await captured(1)
      expect((await baocoOn(setting.url)('replay')).status).to.equal(0)
      await captured(2)
      const { status, stdout } = await baocoOn(setting.url)('replay', '--verify')
      expect(stdout).to.match(/^main: events wait, and the live read models do not advance$/m)
      expect(status).to.equal(1)
    })

    it('make it say that rows of erased events differ until they advance', async () => {
      await captured(1)
      await captured(2)
      expect((await baocoOn(setting.url)('replay')).status).to.equal(0)
      const by = { user_id: 1, at: new Date(), correlation_id: 'c', causation_id: 'c' }
      await deleteTransactions(setting.store, by, [1])
      const { status, stdout } = await baocoOn(setting.url)('replay', '--verify')
      expect(stdout)
        .to.match(/^ {4}id 1: only in the live ones$/m)
        .and.to.match(/^main: .* do not advance: rows of events that were erased meanwhile differ until they do$/m)
      expect(status).to.equal(1)
      await setting.catchUp()
      await setting.catchUp({ definition: search })
      expect(await baocoOn(setting.url)('replay', '--verify')).to.include({ status: 0 })
    })
  })
})
