import { spawnSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { removeDirectory } from '../../adapters/postgres/embedded/directory.ts'
import { settingLines } from '../../cmd/process/settings.ts'
import { freshDatabase } from '../harness/postgres.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

/** Runs the command with only the given environment variables. */
const baoco = (args: string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BAOCO, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  })
  return { status, stdout, stderr }
}

describe('the baoco command', () => {
  it('lists every command and every setting', function () {
    // This test starts two dozen processes, one after another.
    this.timeout(180_000)
    const { status, stdout } = baoco(['--help'])
    expect(status).to.equal(0)
    for (const { name, fromFile } of settingLines()) {
      expect(stdout).to.include(`  ${name} `)
      if (fromFile) expect(stdout).to.match(new RegExp(`\\b${name}_FILE\\b`))
    }
    for (const command of stdout.match(/(?<=^ {2})[a-z-]+(?=[ |])/gm) ?? []) {
      const own = baoco([command, '--help'])
      expect(own.status, command).to.equal(0)
      expect(own.stdout).to.include(`Usage: baoco ${command === 'help' ? '' : command}`)
    }
    expect(stdout).to.match(/^ {2}migrate /m)
  })

  it('exits with 2 on wrong usage and says where to find help', () => {
    for (const args of [['nonsense'], ['migrate', '--nonsense'], ['migrate', 'too', 'many'], []]) {
      const { status, stdout, stderr } = baoco(args)
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

  it('uses the embedded database whatever Postgres variables the shell has', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'baoco-'))
    try {
      const shell = { PGSSLMODE: 'require', PGHOST: 'db.example', PGUSER: 'someone', PGPASSWORD: 'else', PGPORT: '1' }
      expect(baoco(['migrate'], { BAOCO_DATA_DIR: dataDir, ...shell })).to.deep.include({ status: 0, stderr: '' })
    } finally {
      removeDirectory(dataDir)
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
