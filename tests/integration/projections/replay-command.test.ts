import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { commandAsProcess, commandInProcess } from '../../harness/command-in-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

const BAOCO = fileURLToPath(new URL('../../../cmd/baoco.mjs', import.meta.url))

describe('baoco replay', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  /** The settings require the last two with a database of one's own. They are never used here. */
  const env = () => ({
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    DATABASE_URL: setting.url,
    JWT_SECRET: 'j'.repeat(32),
    VAULT_KEY: '0'.repeat(64),
  })
  const baoco = (...args: string[]) => commandInProcess(args, env())

  /** A replay whose connections are all ended while it waits for the live read models. */
  const interrupted = () =>
    setting.database.transaction(async (transaction) => {
      await transaction.query("SELECT FROM read_model.checkpoint WHERE projector = 'main' FOR UPDATE")
      const child = spawn(process.execPath, [BAOCO, 'replay'], { env: env() })
      const [stderr, status] = [text(child.stderr), once(child, 'close')]
      child.stdout.resume()
      const isWaiting = async () => {
        const waiting = await transaction.query("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
        return waiting.length > 0
      }
      await eventually(isWaiting, { what: 'a replay that waits' })
      await transaction.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      return { status: (await status)[0] as number, stderr: await stderr }
    })

  it('rebuilds and compares read models, reports differences by its exit status, and repairs them', async () => {
    await setting.append(new History(41).grow(200).decided)
    const built = await commandAsProcess(['replay'], env())
    expect(built.stderr).to.equal('')
    expect(built.status).to.equal(0)
    // On a slow machine it also prints its progress.
    const ended = built.stdout.replaceAll(/^(main|search): .*, up to \S+\n/gm, '')
    expect(ended).to.match(/^((main|search): \d+ events in [\d.]+ s \(\d+\/s\); these read models are now live\n){2}$/)

    const verified = await baoco('replay', '--verify')
    expect(verified.stdout).to.include('every row matches the rebuilt one')
    expect(verified.status).to.equal(0)

    const [{ id }] = (await setting.database.query<{ id: number }>(
      `UPDATE read_model.transaction SET webhook_status = 'success'
        WHERE id = (SELECT id FROM read_model.transaction WHERE webhook_status = 'pending' LIMIT 1) RETURNING id`,
    )) as [{ id: number }]
    await setting.database.query(
      `INSERT INTO read_model.notification (id, user_id, status, source_type, source, received_at, bytes, expires_at)
        VALUES (999999, 1, 'unparsed', 'sms', 'device-1:sms', now(), 10, now() + '1 day'),
          (999998, 1, 'unparsed', 'sms', 'device-1:sms', now(), 0, now() - '1 day'::interval),
          (999997, 1, 'unparsed', 'sms', 'device-1:sms', now(), 0, NULL)`,
    )
    const differing = await baoco('replay', '--verify')
    expect(differing.stdout).to.include(`transaction: 1 row\n    id ${id}: differs in webhook_status\n`)
    expect(differing.stdout)
      .to.match(/^ {2}notification: 2 rows$/m)
      .and.include('\n    id 999999: only in the live ones\n')
      .and.include('\n    id 999997: only in the live ones\n')
      .and.include('\n    A change of KEEP_UNREAD can cause this')
    expect(differing.stdout.match(/A change of/g)).to.have.length(1)
    expect(differing.status).to.equal(1)

    expect(await interrupted()).to.deep.equal({
      status: 1,
      stderr:
        'baoco: the connection to the database was lost (terminating connection due to administrator command): run the command again\n',
    })
    expect((await baoco('replay')).status).to.equal(0)
    expect((await baoco('replay', '--verify')).status).to.equal(0)
  })
})
