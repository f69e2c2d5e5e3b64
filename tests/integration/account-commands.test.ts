/** Tests `baoco account …` and `baoco device …` as the operator types them, while an API runs. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { serveAt } from '../../adapters/postgres/ops/installation.ts'
import { commandAsProcess, commandInProcess } from '../harness/command-in-process.ts'
import { eventually } from '../harness/eventually.ts'
import { runInProcess } from '../harness/run-in-process.ts'
import { openApi, type ApiUnderTest } from './http/api-under-test.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

describe('account and device commands', function () {
  let api: ApiUnderTest

  const ADDRESS: NodeJS.ProcessEnv = { BASE_URL: 'https://baoco.example' }
  const settings = (env: NodeJS.ProcessEnv) => ({
    PATH: process.env.PATH ?? '',
    DATABASE_URL: api.databaseUrl,
    JWT_SECRET: 'j'.repeat(32),
    VAULT_KEY: 'ab'.repeat(32),
    ...env,
  })
  const baoco = (args: string[], { input = '', env = ADDRESS } = {}) => commandInProcess(args, settings(env), input)

  /** As a process of its own. @param output  the file to which it prints; default: a pipe */
  const start = (args: string[], output: number | 'pipe' = 'pipe') => {
    const child = spawn(process.execPath, [BAOCO, ...args], { stdio: ['pipe', output, 'pipe'], env: settings(ADDRESS) })
    child.stdin!.end()
    const ended = async () => {
      const [stdout, stderr, status] = await Promise.all([
        child.stdout ? text(child.stdout) : '',
        text(child.stderr!),
        new Promise<number | null>((resolve) => child.once('close', resolve)),
      ])
      return { status, stdout, stderr }
    }
    return { child, result: ended() }
  }

  before(async () => {
    api = await openApi()
  })
  after(() => api.close())

  it('create an account that can log in with the printed API key and the password', async () => {
    const args = ['account', 'create', 'New@Example.com', '--plan', 'Basic']
    const { status, stdout, stderr } = await commandAsProcess(args, settings(ADDRESS), 'a password of mine\n')
    expect([status, stderr]).to.deep.equal([0, ''])
    const printed = (label: string) => new RegExp(`^${label} +(\\S+)$`, 'm').exec(stdout)?.[1]
    expect(printed('e-mail')).to.equal('new@example.com')
    expect(stdout).not.to.contain('password')
    const { body } = await api.ask('GET', '/api/account', { key: printed('API key')! })
    expect(body.data).to.include({ email: 'new@example.com', plan: 'Basic', email_verified: true })
    const login = await api.ask('POST', '/api/auth/login', {
      json: { email: 'new@example.com', password: 'a password of mine' },
    })
    expect(login.status).to.equal(200)
    const { pathname, origin } = new URL(printed('personal URL')!)
    expect(origin).to.equal('https://baoco.example')
    expect((await api.ask('POST', pathname, { body: 'x' })).status).to.equal(200)
    const made = await baoco(['account', 'create', 'other@example.com', '--plan', 'Free'])
    const password = /^password +(\S+)$/m.exec(made.stdout)?.[1]
    expect(
      (await api.ask('POST', '/api/auth/login', { json: { email: 'other@example.com', password } })).status,
    ).to.equal(200)
  })

  it('print the address of the server, although the shell has neither BASE_URL nor PORT', async () => {
    const create = async (email: string, env: NodeJS.ProcessEnv) => {
      const { stdout, stderr } = await baoco(['account', 'create', email, '--plan', 'Free'], { env })
      return { url: new URL(/^personal URL +(\S+)$/m.exec(stdout)![1]!).origin, stderr }
    }
    const unknown = await create('unknown@example.com', {})
    expect(unknown.url).to.equal('http://localhost:8080')
    expect(unknown.stderr).to.match(/^The server has not recorded its address\..* set BASE_URL, or PORT,.*\n$/)
    expect(await create('port@example.com', { PORT: '9090' })).to.deep.equal({
      url: 'http://localhost:9090',
      stderr: '',
    })
    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    await serveAt(database, 'https://shop.example')
    await database.close()
    expect(await create('known@example.com', {})).to.deep.equal({ url: 'https://shop.example', stderr: '' })
    const given = await create('given@example.com', { BASE_URL: 'https://baoco.example' })
    expect(given).to.deep.equal({ url: 'https://baoco.example', stderr: '' })
  })

  it('list accounts, change plans, unlock accounts and make API keys', async () => {
    const email = 'customer@example.com'
    const { user_id, api_key } = await api.newAccount(email, 'Free')
    await api.decree(user_id, { type: 'AccountLocked', data: { user_id, reason: 'test' } })
    expect((await baoco(['account', 'list'])).stdout)
      .to.contain(`${user_id}  ${email}  Free  locked\n`)
      .and.match(/^\d+ {2}owner@baoco.local {2}Pro {2}operator\n/)
    expect((await baoco(['account', 'unlock', email])).stdout).to.equal(`${email} is unlocked\n`)
    expect((await baoco(['account', 'plan', email, 'Advanced'])).stdout).to.equal(
      `${email} now has the plan Advanced\n`,
    )
    expect((await api.ask('GET', '/api/account', { key: api_key })).body.data.plan).to.equal('Advanced')
    const key = (await baoco(['account', 'key', email])).stdout.trim()
    expect((await api.ask('GET', '/api/account', { key: api_key })).status).to.equal(401)
    expect((await api.ask('GET', '/api/account', { key })).status).to.equal(200)
  })

  it('set a new password, which ends the logins', async () => {
    const email = 'forgetful@example.com'
    const { api_key } = await api.newAccount(email, 'Free')
    const logIn = async (password: string) => api.ask('POST', '/api/auth/login', { json: { email, password } })
    const { token } = (await logIn('correct horse battery staple')).body
    const { status, stdout } = await baoco(['account', 'password', email], { input: 'a new password\n' })
    expect([status, stdout]).to.deep.equal([0, `${email} has a new password, and its logins have ended\n`])
    const headers = { authorization: `Bearer ${token}` }
    expect((await api.ask('GET', '/api/account', { headers })).status).to.equal(401)
    expect((await logIn('correct horse battery staple')).status).to.equal(401)
    expect((await logIn('a new password')).status).to.equal(200)
    expect((await api.ask('GET', '/api/account', { key: api_key })).status).to.equal(200)

    const made = await baoco(['account', 'password', email])
    expect((await logIn(/^password +(\S+)$/m.exec(made.stdout)![1]!)).status).to.equal(200)
    expect(JSON.stringify(await api.store.readAll(null, 10_000))).to.not.contain('a new password')
  })

  it('make a device that can post, within the limits of the plan', async () => {
    const args = ['device', 'token', 'owner@baoco.local', 'Shop phone']
    const { status, stdout, stderr } = await commandAsProcess(args, settings(ADDRESS))
    expect([status, stderr]).to.deep.equal([0, ''])
    const headers = { 'x-device-token': stdout.trim() }
    expect((await api.ask('POST', '/api/receive/sms', { json: { text: 'x' }, headers })).status).to.equal(200)
    await api.newAccount('small@example.com', 'Free')
    expect((await baoco(['device', 'token', 'small@example.com', 'one'])).status).to.equal(0)
    const refused = await baoco(['device', 'token', 'small@example.com', 'two'])
    expect(refused).to.deep.include({ status: 1, stdout: '' })
    expect(refused.stderr).to.contain('at most 1 device')
  })

  it('say how to finish a deletion that was interrupted', async () => {
    const { user_id } = await api.newAccount('leaving@example.com')
    const database = openDatabase(api.databaseUrl, { poolSize: 2 })
    const args = ['account', 'delete', 'leaving@example.com', '--yes']
    try {
      const interrupted = await database.transaction(async (held) => {
        await held.query('INSERT INTO ops.deletion (user_id) VALUES ($1)', [user_id])
        const { child, result } = start(args)
        const waits = `SELECT FROM pg_stat_activity WHERE query LIKE 'INSERT INTO ops.deletion%' AND wait_event_type = 'Lock'
          AND datname = current_database()`
        await eventually(async () => (await database.query(waits)).length > 0, { what: 'the deletion that waits' })
        child.kill('SIGINT')
        return result
      })
      expect(interrupted).to.deep.equal({
        status: 130,
        stdout: '',
        stderr: 'baoco: the deletion of leaving@example.com was interrupted: run the command again to finish it\n',
      })
      expect((await baoco(args)).stdout).to.match(/^leaving@example\.com is deleted, /)
    } finally {
      await database.close()
    }
  })

  it('exit with 1 if the command cannot be done, and with 2 on wrong usage', async () => {
    const cases: [number, string[]][] = [
      [1, ['account', 'key', 'nobody@example.com']],
      [1, ['account', 'create', 'owner@baoco.local', '--plan', 'Pro']],
      [1, ['account', 'create', 'short@example.com', '--plan', 'Pro', '--password', 'short']],
      [1, ['account', 'password', 'nobody@example.com', '--password', 'a new password']],
      [1, ['account', 'password', 'owner@baoco.local', '--password', 'short']],
      [2, ['account', 'create', 'new@example.com', '--plan', 'Gold']],
      [2, ['device', 'token', 'owner@baoco.local']],
      [2, ['device', 'token', 'owner@baoco.local', ' ']],
      [2, ['device', 'token', 'owner@baoco.local', 'x'.repeat(101)]],
    ]
    const results = await Promise.all(cases.map(([code, args]) => (code === 2 ? runInProcess(...args) : baoco(args))))
    results.forEach(({ status, stdout, stderr }, index) => {
      expect([status, stdout], `${cases[index]![1].join(' ')}: ${stderr}`).to.deep.equal([cases[index]![0], ''])
      expect(stderr).to.be.a('string').that.is.not.empty
    })
  })

  it('exit with 1 if what they print, such as a new key, could not be written', async function () {
    if (!existsSync('/dev/full')) this.skip()
    const full = openSync('/dev/full', 'w')
    const state = async () => {
      const database = openDatabase(api.databaseUrl, { poolSize: 1 })
      try {
        return await database.query(
          "SELECT type, count(*) FROM store.event WHERE stream ~ '^(account|email)-' GROUP BY type ORDER BY type",
        )
      } finally {
        await database.close()
      }
    }
    const before = await state()
    try {
      for (const args of [
        ['account', 'key', 'owner@baoco.local'],
        ['account', 'password', 'owner@baoco.local'],
        ['account', 'create', 'unseen@example.com', '--plan', 'Free'],
        ['account', 'list'],
      ]) {
        const { status, stderr } = await start(args, full).result
        expect(stderr).to.equal('baoco: the output could not be written: ENOSPC: no space left on device, write\n')
        expect(status).to.equal(1)
      }
      expect(await state(), 'nothing changes, so the old key and password still count').to.deep.equal(before)
    } finally {
      closeSync(full)
    }
  })
})
