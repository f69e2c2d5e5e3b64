import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { eventually } from '../harness/eventually.ts'
import { installNode, NODE_18 } from '../harness/node/install.ts'

const COMMANDS = fileURLToPath(new URL('../../cmd', import.meta.url))

/** These tests run npm itself, in a project whose packages are local folders. Nothing is downloaded. */
describe('set-up on a fresh clone', function () {
  let root: string

  const writeJson = (name: string, content: object): void => {
    fs.mkdirSync(dirname(join(root, name)), { recursive: true })
    fs.writeFileSync(join(root, name), JSON.stringify(content))
  }

  const writeProject = (scripts: Record<string, string> = {}): void => {
    const wants = { dependencies: { needed: 'file:needed' }, devDependencies: { tool: 'file:tool' } }
    writeJson('package.json', { name: 'clone', version: '1.0.0', scripts, ...wants })
    writeJson('package-lock.json', {
      name: 'clone',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'clone', version: '1.0.0', ...wants },
        needed: { version: '1.0.0' },
        tool: { version: '1.0.0', dev: true },
        'node_modules/needed': { resolved: 'needed', link: true },
        'node_modules/tool': { resolved: 'tool', link: true, dev: true },
      },
    })
  }

  const startWith = (node: string, env: Record<string, string>, ...args: string[]) => {
    const child = spawn(node, [join(root, 'cmd/setup.mjs'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const printed = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()))
    return {
      child,
      printed,
      ended: once(child, 'close').then(() => ({ code: child.exitCode, pid: child.pid, ...printed })),
    }
  }

  const start = (...args: string[]) => startWith(process.execPath, {}, ...args)

  const makeClone = (): void => {
    root = fs.mkdtempSync(join(tmpdir(), 'baoco-clone-'))
    for (const name of ['needed', 'tool']) writeJson(`${name}/package.json`, { name, version: '1.0.0' })
    writeProject()
    fs.mkdirSync(join(root, 'cmd'))
    for (const name of ['setup.mjs', 'node-version.mjs']) fs.copyFileSync(join(COMMANDS, name), join(root, 'cmd', name))
    fs.writeFileSync(join(root, 'cmd/build.mjs'), 'export const bundled = async () => { globalThis.isBuilt = true }')
    fs.writeFileSync(join(root, 'main.mjs'), 'console.log(process.pid, ...process.argv.slice(2))')
  }
  const removeClone = (): void => fs.rmSync(root, { recursive: true })

  describe('that is started again and again', () => {
    before(makeClone)
    after(removeClone)
    /** The first test has installed them already, unless another one runs alone. */
    const install = () => start().ended

    it('installs missing packages with one line of output, then runs the script in the same process', async () => {
      const { code, pid, out, err } = await start('main.mjs', 'serve', '--now').ended
      expect(err).to.match(/^Installing .*\n$/)
      expect(out).to.equal(`${pid} serve --now\n`)
      expect(code).to.equal(0)
      expect(fs.existsSync(join(root, 'node_modules/needed/package.json'))).to.equal(true)
    })

    it('installs nothing if the packages match the lock file, whatever their modification times', async () => {
      await install()
      const later = new Date(Date.now() + 60_000)
      fs.utimesSync(join(root, 'package-lock.json'), later, later)
      expect(await start('main.mjs').ended).to.deep.include({ code: 0, err: '' })
    })

    it('requires development packages only when they are needed', async () => {
      await install()
      const kept = join(root, 'node_modules/.package-lock.json')
      const lock = JSON.parse(fs.readFileSync(kept, 'utf8')) as { packages: Record<string, unknown> }
      for (const name of ['tool', 'node_modules/tool']) delete lock.packages[name]
      fs.writeFileSync(kept, JSON.stringify(lock))
      expect((await start('main.mjs').ended).err).to.equal('')
      expect((await start('--dev', 'main.mjs').ended).err).to.match(/^Installing/)
    })

    it('installs again after the lock file has changed', async () => {
      await install()
      writeJson('needed/package.json', { name: 'needed', version: '1.0.1' })
      const lock = fs.readFileSync(join(root, 'package-lock.json'), 'utf8')
      fs.writeFileSync(
        join(root, 'package-lock.json'),
        lock.replace('"needed":{"version":"1.0.0"', '"needed":{"version":"1.0.1"'),
      )
      expect((await start('main.mjs').ended).err).to.match(/^Installing/)
      expect((await start('main.mjs').ended).err).to.equal('')
    })

    it('builds the bundle before the script runs', async () => {
      fs.writeFileSync(join(root, 'main.mjs'), 'console.log(globalThis.isBuilt)')
      expect(await start('main.mjs').ended).to.deep.include({ code: 0, out: 'true\n' })
    })
  })

  describe('that is started once', () => {
    beforeEach(makeClone)
    afterEach(removeClone)

    it('passes on the exit code and the output of a failed npm, and runs nothing', async () => {
      writeProject({ preinstall: 'echo this machine is full; exit 7' })
      const { code, out, err } = await start('main.mjs').ended
      expect(code).to.equal(7)
      expect(out).to.equal('')
      expect(err).to.include('this machine is full')
    })

    it('names the needed version at once with Node 18, and installs nothing', async function () {
      const node = await installNode(NODE_18).catch((error: Error) => {
        if (process.env.REQUIRE_ALL === '1') throw error
        return this.skip()
      })
      for (const script of ['setup.mjs', 'baoco.mjs']) {
        fs.copyFileSync(join(COMMANDS, 'baoco.mjs'), join(root, 'cmd/baoco.mjs'))
        const { status, stdout, stderr } = spawnSync(node, [join(root, 'cmd', script), 'main.mjs'], {
          encoding: 'utf8',
        })
        expect({ status, stdout, stderr }).to.deep.equal({
          status: 1,
          stdout: '',
          stderr: `Baoco needs Node 20 or later; this is Node ${NODE_18}.\n`,
        })
      }
      expect(fs.existsSync(join(root, 'node_modules'))).to.equal(false)
    })

    describe('without a network', () => {
      const NO_NETWORK =
        /^Installing .*\nThe packages cannot be downloaded, because npm cannot reach its registry\. Check the network\.\n$/
      let silent: Server
      beforeEach(async () => {
        silent = createServer().listen(0, '127.0.0.1')
        await once(silent, 'listening')
      })
      afterEach(() => silent.close())

      const writeFarProject = (): void => {
        const dependencies = { far: '1.0.0' }
        writeJson('package.json', { name: 'clone', version: '1.0.0', dependencies })
        const far = {
          version: '1.0.0',
          resolved: 'http://127.0.0.1:1/far.tgz',
          integrity: `sha512-${'A'.repeat(86)}==`,
        }
        const packages = { '': { name: 'clone', version: '1.0.0', dependencies }, 'node_modules/far': far }
        writeJson('package-lock.json', { name: 'clone', version: '1.0.0', lockfileVersion: 3, packages })
      }
      const timed = async (registry: string) => {
        const began = performance.now()
        const ended = await startWith(process.execPath, { npm_config_registry: registry }, 'main.mjs').ended
        return { ...ended, ms: performance.now() - began }
      }

      /** It runs npm once, which takes about a second, and on a busy machine as much longer as what is measured. */
      const installsAtHand = async (): Promise<number> => {
        const { code, err, ms } = await timed('http://127.0.0.1:1/')
        expect(err).to.match(/^Installing .*\n$/)
        expect(code).to.equal(0)
        return ms
      }
      let quickMs: number | undefined
      it('installs packages that are at hand', async () => {
        quickMs = await installsAtHand()
      })

      for (const [what, portOf] of [
        ['that refuses', () => 1],
        ['that does not answer', () => (silent.address() as AddressInfo).port],
      ] as const)
        it(`reports that within 10 s, with a registry ${what}`, async () => {
          if (quickMs === undefined) {
            // This test runs alone.
            quickMs = await installsAtHand()
            fs.rmSync(join(root, 'node_modules'), { recursive: true })
          }
          writeFarProject()
          const { code, out, err, ms } = await timed(`http://127.0.0.1:${portOf()}/`)
          expect(err).to.match(NO_NETWORK)
          expect([code, out]).to.deep.equal([1, ''])
          // It runs npm twice.
          expect(ms - 2 * quickMs).to.be.below(8_000)
        })
    })

    it('stops everything it runs on SIGTERM', async () => {
      writeProject({ preinstall: 'echo $$ > installing; sleep 600' })
      const { child, ended } = start('main.mjs')
      const installing = () => Number(fs.readFileSync(join(root, 'installing'), 'utf8'))
      const pid = await eventually(installing, { what: 'npm at work' })
      child.kill('SIGTERM')
      expect(await ended).to.deep.include({ code: 143, out: '' })
      await eventually(() => !fs.existsSync(`/proc/${pid}/exe`), { what: 'the end of what npm ran' })
    })
  })
})
