/**
 * The drill of docs/operate.md, as the operator types it: back up under load, restore beside the running Baoco, restore into
 * another folder, restore an older backup over a newer state, and refuse files that are no backup.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { thisKind } from '../../adapters/postgres/embedded/backup.ts'
import { BadBackup } from '../../adapters/postgres/embedded/backup-archive.ts'
import { restoreBackup } from '../../adapters/postgres/embedded/restore.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { finishRestore } from '../../adapters/postgres/embedded/finish-restore.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import {
  callApi, launchBaoco, newDataFolder, readInstallation, removeDataFolder, startBaoco,
  type DataFolder, type Installation, type Running,
} from '../harness/baoco-process.ts' // prettier-ignore
import { commandAsProcess, commandInProcess } from '../harness/command-in-process.ts'
import { newFolderWithCluster } from '../harness/copied-cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { errorOf } from '../harness/outcomes.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))
const IDS_SKIPPED = 1_000_000
/** Milliseconds between the payments that arrive during a backup. */
const PACE = 20

/** In a run of zeros, another bit may have the same meaning. */
const bentInTheMiddle = (packed: Buffer): Buffer => {
  const unpacked = gunzipSync(packed)
  for (let at = packed.length >> 1; ; at++) {
    const bent = Buffer.from(packed)
    bent[at]! ^= 1
    try {
      if (!gunzipSync(bent).equals(unpacked)) return bent
    } catch {
      return bent
    }
  }
}

describe('backup and restore', () => {
  let live: Running
  let installation: Installation
  let elsewhere: DataFolder
  let file: string
  let posted = 0

  const settings = ({ dataDir }: Pick<DataFolder, 'dataDir'>) => {
    const { PATH, HOME } = process.env
    return { PATH, HOME, BAOCO_DATA_DIR: dataDir, LOG_LEVEL: 'warn' }
  }
  const baoco = (dataFolder: Pick<DataFolder, 'dataDir'>, ...args: string[]) =>
    commandInProcess(args, settings(dataFolder))
  const beginBackup = (to: string) => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, BAOCO_DATA_DIR: installation.dataDir }
    const child = spawn(process.execPath, [BAOCO, 'backup', to], { env, stdio: 'ignore' })
    return { child, ended: new Promise<number | null>((resolve) => child.once('exit', resolve)) }
  }
  /** Returns the transaction's id. */
  const pay = async (baseUrl: string): Promise<number> => {
    const { pathname } = new URL(installation.personalUrl)
    const response = await fetch(baseUrl + fromVietcombank(pathname), {
      method: 'POST',
      body: vietcombankText(++posted, `DH${posted}`),
    })
    expect(response.status).to.equal(200)
    return ((await response.json()) as { data: { id: number } }).data.id
  }
  const has = async (running: Running, id: number): Promise<boolean> =>
    (await callApi(running, installation.apiKey, 'GET', `/api/transactions/${id}`)).status === 200
  const secretOfRule = async (running: Running): Promise<string> =>
    ((await callApi(running, installation.apiKey, 'GET', '/api/webhooks')).body.data as { secret_key: string }[])[0]!
      .secret_key

  /** Transactions that were answered before the backup began. */
  const paid: number[] = []

  before(async () => {
    const dataFolder = await newFolderWithCluster()
    elsewhere = await newDataFolder()
    live = await startBaoco(dataFolder, { RATE_LIMITS: 'off' })
    installation = readInstallation(dataFolder, live.output())
    file = `${dataFolder.dataDir}.backup`
    await callApi(live, installation.apiKey, 'POST', '/api/webhooks', {
      name: 's',
      url: 'https://shop.example/hook',
      is_active: 0,
    })
    for (let n = 0; n < 10; n++) paid.push(await pay(live.baseUrl))
    let isDone = false
    const load = (async () => {
      for (; !isDone; await pause(PACE)) await pay(live.baseUrl)
    })()
    const { status, stdout, stderr } = await baoco(installation, 'backup', file)
    isDone = true
    await load
    expect(status, stderr).to.equal(0)
    expect(stderr).to.equal('')
    expect(stdout).to.match(/MB, checked\n$/)
  })
  after(async () => {
    await live.kill()
    await Promise.all([installation, elsewhere].map(removeDataFolder))
    fs.rmSync(file, { force: true })
  })

  it('the file is closed to other users, and no draft is left', () => {
    expect(fs.statSync(file).mode & 0o777).to.equal(0o600)
    expect(fs.readdirSync(join(file, '..')).filter((name) => name.endsWith('.part'))).to.deep.equal([])
  })

  it('a backup does not overwrite a file', async () => {
    const { status, stderr } = await baoco(installation, 'backup', file)
    expect([status, stderr]).to.deep.equal([1, `baoco: ${file} already exists: name a new file\n`])
  })

  it('only one backup is made at a time: another one ends and says why', async () => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'baoco-one-backup-'))
    const { child, ended } = beginBackup(join(folder, 'one'))
    try {
      // It writes to its draft when the database has begun to send the copy.
      await eventually(() => fs.readdirSync(folder).some((name) => fs.statSync(join(folder, name)).size > 0), {
        what: 'the draft',
      })
      child.kill('SIGSTOP')
      const { status, stderr } = await baoco(installation, 'backup', join(folder, 'other'))
      expect(stderr).to.match(/^baoco: another backup is running: wait until it has ended/)
      expect(status).to.equal(1)
    } finally {
      child.kill('SIGCONT')
    }
    expect(await ended).to.equal(0)
    expect(fs.readdirSync(folder)).to.deep.equal(['one'])
    fs.rmSync(folder, { recursive: true })
  })

  it('a backup into a folder that does not exist is refused in one line', async () => {
    const { status, stderr } = await baoco(installation, 'backup', join(elsewhere.dataDir, 'nowhere', 'file'))
    expect(status).to.equal(1)
    expect(stderr).to.match(/^baoco: the folder .*nowhere does not exist\n$/)
  })

  it('a backup that is interrupted leaves nothing', async () => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'baoco-interrupted-'))
    const { child, ended } = beginBackup(join(folder, 'file'))
    await eventually(() => fs.readdirSync(folder).length > 0, { what: 'the draft' })
    child.kill('SIGTERM')
    expect(await ended).to.equal(1)
    expect(fs.readdirSync(folder)).to.deep.equal([])
    fs.rmSync(folder, { recursive: true })
  })

  it('a restore that is interrupted says so, and creates nothing', async () => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'baoco-interrupted-'))
    const endless = join(folder, 'endless.backup')
    execFileSync('mkfifo', [endless])
    const env = { PATH: process.env.PATH ?? '', BAOCO_DATA_DIR: join(folder, 'data') }
    const child = spawn(process.execPath, [BAOCO, 'restore', endless], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // It opens when the command begins to read.
    const input = await fs.promises.open(endless, 'w')
    child.kill('SIGINT')
    const [printed] = (await once(child.stderr, 'data')) as [Buffer]
    // Node does not exit while it reads.
    await input.close()
    expect([await ended, String(printed)]).to.deep.equal([
      130,
      'baoco: the restore was interrupted, and nothing was restored: run it again\n',
    ])
    expect(fs.readdirSync(folder)).to.deep.equal(['endless.backup'])
    fs.rmSync(folder, { recursive: true })
  })

  it('restore refuses a folder in use, even with --replace', async () => {
    const { status, stderr } = await baoco(installation, 'restore', file, '--replace')
    expect(status).to.equal(1)
    expect(stderr).to.match(/^baoco: the data folder \S+ is in use by another Baoco \(process \d+\)\n$/)
  })

  it('restore refuses a file that is not a whole backup, and creates nothing', async () => {
    const bytes = fs.readFileSync(file)
    const bent = bentInTheMiddle(bytes)
    const bad = `${file}.bad`
    // A byte of the database, under a compression that is correct.
    const altered = gunzipSync(bytes)
    altered[altered.lastIndexOf(Buffer.from('Vietcombank'))]! ^= 1
    fs.rmSync(elsewhere.dataDir, { recursive: true })
    for (const [content, fault] of [
      [bytes.subarray(0, bytes.length >> 1), 'is cut off: a part of the backup is missing'],
      [bytes.subarray(0, bytes.length - 4), 'is cut off: a part of the backup is missing'],
      [bent, 'is damaged: its checksums differ'],
      [gzipSync(altered, { level: 1 }), 'is damaged: its checksums differ'],
      [Buffer.from('no backup'), 'is not a backup of Baoco'],
      [Buffer.alloc(0), 'is not a backup of Baoco'],
      [gzipSync('no backup'), 'is not a backup of Baoco'],
    ] as const) {
      fs.writeFileSync(bad, content)
      const { dataDir } = elsewhere
      const refused = await errorOf(
        restoreBackup({ file: bad, dataDir, replace: false, here: thisKind(), log: silent }),
      )
      expect(refused).to.be.instanceOf(BadBackup)
      expect(refused!.message).to.equal(fault)
      expect(fs.existsSync(dataDir)).to.equal(false)
    }
    const { status, stderr } = await baoco(elsewhere, 'restore', bad)
    expect([status, stderr]).to.deep.equal([1, `baoco: ${bad} is not a backup of Baoco\n`])
    fs.rmSync(bad)
  })

  it('restore refuses a backup of another version of Postgres or kind of machine, and creates nothing', async () => {
    const { dataDir } = elsewhere
    fs.rmSync(dataDir, { recursive: true, force: true })
    for (const [other, fault] of [
      [{ postgres: '1' }, 'restore it with the version that made it'],
      [{ machine: 'other-x64' }, 'restore it on a machine of the first kind'],
    ] as const) {
      const here = { ...thisKind(), ...other }
      const refused = await errorOf(restoreBackup({ file, dataDir, replace: false, here, log: silent }))
      expect(refused?.message).to.contain(fault)
      expect(fs.existsSync(dataDir)).to.equal(false)
    }
  })

  it('a backup made under load is restored beside the running Baoco, audited, and works', async () => {
    const restored = await commandAsProcess(['restore', file], settings(elsewhere))
    expect([restored.status, restored.stderr]).to.deep.equal([0, ''])
    expect(restored.stdout).to.include('If payments came after the backup, set ID_SKIP=1000000')
    const audit = await commandAsProcess(['audit'], settings(elsewhere))
    expect([audit.status, audit.stderr], audit.stdout).to.deep.equal([0, ''])
    expect(await has(live, paid[0]!)).to.equal(true)

    const copy = await startBaoco(elsewhere, { ID_SKIP: String(IDS_SKIPPED) })
    try {
      for (const id of paid) expect(await has(copy, id)).to.equal(true)
      expect(await secretOfRule(copy)).to.equal(await secretOfRule(live))
      // The backup is older than the running Baoco, which has used more ids.
      expect(await pay(copy.baseUrl)).to.be.above((await pay(live.baseUrl)) + IDS_SKIPPED / 2)
    } finally {
      await copy.stop()
    }
  })

  it('replaces an existing Baoco only if asked to, keeps it, and notices without ID_SKIP that newer payments are missing', async () => {
    const refused = await baoco(elsewhere, 'restore', file)
    expect(refused.status).to.equal(1)
    expect(refused.stderr).to.match(/^baoco: \S+ already contains a Baoco: .*--replace\n$/)
    const { status, stdout } = await baoco(elsewhere, 'restore', file, '--replace')
    expect(status).to.equal(0)
    const [, kept] = /^the previous contents are in (.*)$/m.exec(stdout) ?? []
    expect(fs.readdirSync(kept!)).to.include.members(['postgres', 'vault-key'])
    expect(stdout).to.include('If payments came after the backup, and not in this folder, set ID_SKIP=1000000')

    const copy = await startBaoco(elsewhere)
    try {
      await eventually(() => copy.output().includes('store.went_back'))
      expect(await pay(copy.baseUrl)).to.be.above(IDS_SKIPPED * 2)
    } finally {
      await copy.stop()
    }
  })

  it('a start after a restore that was killed while it unpacked creates no new Baoco', async () => {
    const dataFolder = await newDataFolder()
    fs.mkdirSync(join(dataFolder.dataDir, 'restoring'), { mode: 0o700 })
    const start = launchBaoco(dataFolder)
    expect(await start.ended).to.equal(1)
    expect(start.output()).to.match(
      /^baoco: a restore into \S+ was interrupted: run baoco restore again, or remove .*\n$/,
    )
    expect((await baoco(dataFolder, 'restore', file)).status).to.equal(0)
    fs.mkdirSync(join(dataFolder.dataDir, 'restoring'), { mode: 0o700 })
    expect((await baoco(dataFolder, 'audit')).status).to.equal(0)
    expect(fs.existsSync(join(dataFolder.dataDir, 'restoring'))).to.equal(false)
    await removeDataFolder(dataFolder)
  })

  it('a start finishes a restore that was interrupted', () => {
    const { dataDir } = elsewhere
    const restored = join(dataDir, 'restored-2026-11-24')
    fs.mkdirSync(join(restored, 'postgres'), { recursive: true })
    fs.writeFileSync(join(restored, 'postgres', 'new'), '')
    // The key was moved before the interruption.
    fs.writeFileSync(join(dataDir, 'vault-key'), 'new key')
    expect(finishRestore(dataDir)).to.equal(join(dataDir, 'before-restored-2026-11-24'))
    expect(fs.readFileSync(join(dataDir, 'vault-key'), 'utf8')).to.equal('new key')
    expect(fs.readdirSync(join(dataDir, 'postgres'))).to.deep.equal(['new'])
    expect(fs.existsSync(restored)).to.equal(false)
    expect(finishRestore(dataDir)).to.equal(null)
  })
})
