import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { allSettings } from '../../cmd/settings/settings.ts'
import { freshDatabase } from '../harness/postgres.ts'
import { runInProcess } from '../harness/run-in-process.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

/** Runs the command with only the given environment variables. */
const baoco = (args: string[], env: Record<string, string> = {}, cwd = process.cwd()) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BAOCO, ...args], {
    encoding: 'utf8',
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  })
  return { status, stdout, stderr }
}

describe('the baoco command', () => {
  it('lists every command and every setting', async () => {
    const { status, stdout } = baoco(['--help'])
    expect(status).to.equal(0)
    for (const { env: name, fromFile } of allSettings) {
      expect(stdout).to.include(`  ${name} `)
      if (fromFile) expect(stdout).to.match(new RegExp(`\\b${name}_FILE\\b`))
    }
    for (const command of stdout.match(/(?<=^ {2})[a-z-]+(?=[ |])/gm) ?? []) {
      const own = await runInProcess(command, '--help')
      expect(own.status, command).to.equal(0)
      expect(own.stdout).to.include(`Usage: baoco ${command === 'help' ? '' : command}`)
    }
    expect(stdout).to.match(/^ {2}migrate /m)
    expect(baoco(['migrate', '--help'])).to.deep.equal(await runInProcess('migrate', '--help'))
  })

  it('says nothing if its reader wants no more, as after `q` in a pager', async () => {
    for (const words of [['--help'], ['--version'], ['config'], ['serve', '--help']]) {
      const child = spawn(process.execPath, [BAOCO, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout.destroy()
      const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      expect([status, errors], words.join(' ')).to.deep.equal([0, ''])
    }
  })

  it('fails if its help, version or settings could not be written', function () {
    if (!existsSync('/dev/full')) this.skip()
    const full = openSync('/dev/full', 'w')
    try {
      for (const words of [['--help'], ['--version'], ['serve', '--help'], ['config']]) {
        const { status, stderr } = spawnSync(process.execPath, [BAOCO, ...words], { stdio: ['ignore', full, 'pipe'] })
        expect([status, String(stderr)], words.join(' ')).to.deep.equal([
          1,
          'baoco: the output could not be written: ENOSPC: no space left on device, write\n',
        ])
      }
    } finally {
      closeSync(full)
    }
  })

  it('marks the options that a command needs', async () => {
    const needed = async (...args: string[]) =>
      (await runInProcess(...args, '--help')).stdout
        .split(/\n(?=  -)/)
        .filter((text) => /\(required\)/.test(text))
        .map((text) => /--[a-z-]+/.exec(text)?.[0])
    expect(await needed('export')).to.deep.equal(['--user', '--format'])
    expect(await needed('receiver')).to.deep.equal(['--port', '--secret'])
    expect(await needed('account', 'create')).to.deep.equal(['--plan'])
    expect(await needed('account', 'delete')).to.deep.equal(['--yes'])
    expect(await needed('parked', 'skip')).to.deep.equal(['--yes'])
    expect(await needed('restore')).to.deep.equal([])
  })

  it('exits with 2 on wrong usage and says where to find help', async () => {
    const receiver = ['receiver', '--secret', 'x', '--port', '65536']
    const unsigned = ['receiver', '--secret', '', '--port', '8099']
    const spaced = ['receiver', '--secret', 'x', '--port', '8099', '--account', '0011 0004']
    for (const args of [
      ['nonsense'],
      ['migrate', '--nonsense'],
      ['migrate', 'too', 'many'],
      receiver,
      unsigned,
      spaced,
      [],
    ]) {
      const { status, stdout, stderr } =
        args === unsigned || args.length === 0 ? baoco(args) : await runInProcess(...args)
      expect(status, args.join(' ')).to.equal(2)
      expect(stdout).to.equal('')
      expect(stderr).to.include('--help')
    }
  })

  it('exits with 1 and one line that names the bad setting', () => {
    expect(baoco(['config'], { PORT: 'eighty' })).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'baoco: setting PORT must be a port: 1 to 65535\n',
    })
    expect(baoco(['migrate'], { BAOCO_DATADIR: '/x' }).stderr).to.equal('baoco: unknown setting BAOCO_DATADIR\n')
  })

  it('prints the settings in force', () => {
    const { status, stdout } = baoco(['config'], { PORT: '9000', JWT_SECRET: 'j'.repeat(40) })
    expect(status).to.equal(0)
    expect(stdout).to.include('PORT=9000\n').and.include('JWT_SECRET=(set, hidden)\n').and.not.include('jjj')
  })

  it('migrates the configured database', async () => {
    const { url, drop } = await freshDatabase()
    const env = { DATABASE_URL: url, JWT_SECRET: 'j'.repeat(32), VAULT_KEY: 'a'.repeat(64) }
    try {
      expect(baoco(['migrate'], env)).to.deep.include({ status: 0, stderr: '' })
      expect(baoco(['migrate'], env)).to.deep.equal({ status: 0, stdout: 'nothing to do\n', stderr: '' })
    } finally {
      await drop()
    }
  })

  it('exits with 1 in a folder without Baoco, says which, and creates nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baoco-'))
    try {
      const commands = [
        ['account', 'list'],
        ['audit'],
        ['replay'],
        ['migrate'],
        ['export-events', 'x'],
        ['history', '1'],
      ]
      for (const args of commands) {
        const { status, stderr } = baoco(args, {}, folder)
        expect(stderr, args[0]).to.equal(
          'baoco: there is no Baoco in ./.baoco: is BAOCO_DATA_DIR set as for the server?\n',
        )
        expect(status).to.equal(1)
      }
      expect(baoco(['audit'], { BAOCO_DATA_DIR: join(folder, 'x') }).stderr).to.include(`no Baoco in ${folder}/x:`)
      expect(readdirSync(folder)).to.deep.equal([])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  for (const host of ['127.0.0.1', 'localhost']) {
    it(`exits with 1 if the database on ${host} does not answer`, () => {
      const { status, stderr } = baoco(['migrate'], {
        DATABASE_URL: `postgres://nobody@${host}:1/none`,
        JWT_SECRET: 'j'.repeat(32),
        VAULT_KEY: 'a'.repeat(64),
      })
      expect(status).to.equal(1)
      expect(stderr).to.match(/^baoco: .*ECONNREFUSED.*\n$/)
    })
  }
})
