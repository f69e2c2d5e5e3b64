import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['cmd', 'adapters', 'projections', 'workflows', 'domain', 'web']

/** The test makes a small project that looks like this one, with its own `baoco` command. */
describe('the bundle of the sources', function () {
  let root: string
  const write = (path: string, text: string): void => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
  const baoco = async (): Promise<string> =>
    (await promisify(execFile)(process.execPath, [join(root, 'cmd/baoco.mjs')])).stdout.trim()
  /** How it fails. */
  const failure = (): Promise<{ code: number; stderr: string }> =>
    baoco().then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    )
  const all = () => join(root, 'node_modules/.cache/baoco')
  const bundles = () => fs.readdirSync(all())

  beforeEach(() => {
    // As a file manager names the folder of a copy.
    root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'baoco (copy) ')))
    for (const folder of FOLDERS) fs.mkdirSync(join(root, folder))
    write('package.json', '{"type":"module"}')
    write('domain/greeting.ts', `export const greeting: string = 'hello'`)
    write('cmd/name.txt', 'An')
    write(
      'cmd/baoco.ts',
      `import { readFileSync } from 'node:fs'
       const main = async () => {
         const { greeting } = await import('../domain/greeting.ts')
         console.log(greeting, readFileSync(new URL('name.txt', import.meta.url), 'utf8'))
         if (greeting === 'fail') throw new Error('failed')
       }
       void main()`,
    )
    for (const name of ['baoco.mjs', 'build.mjs', 'node-version.mjs', 'run-bundle.mjs'])
      fs.copyFileSync(join(REPOSITORY, 'cmd', name), join(root, 'cmd', name))
    write(
      'web/main.tsx',
      `import './main.css'\nvoid import('./texts/vi.ts')\nvoid import('./screens/together/payments.ts')`,
    )
    write('web/texts/vi.ts', 'export const vi = {}')
    write('web/screens/together/payments.ts', 'export const Today = {}')
    write('web/main.css', 'body { margin: 0 }')
    write('web/static/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    fs.copyFileSync(join(REPOSITORY, 'web/build.mjs'), join(root, 'web/build.mjs'))
    fs.mkdirSync(join(root, 'node_modules'))
    for (const name of ['esbuild', 'tsx'])
      fs.symlinkSync(join(REPOSITORY, 'node_modules', name), join(root, 'node_modules', name))
  })
  afterEach(() => fs.rmSync(root, { recursive: true }))

  it('leaves no process of the build behind', async () => {
    write(
      'cmd/baoco.ts',
      `import { readFileSync } from 'node:fs'
       const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8')
       const main = async () => {
         for (let looks = 0; looks < 500 && children() !== ''; looks++) await new Promise((next) => setTimeout(next, 20))
         console.log('children:', children())
       }
       void main()`,
    )
    expect(await baoco()).to.equal('children:')
  })

  it('is built once, and finds the files beside its sources', async () => {
    expect(await baoco()).to.equal('hello An')
    const [name] = bundles()
    fs.rmSync(join(root, 'node_modules/esbuild'))
    const later = new Date(Date.now() + 60_000)
    fs.utimesSync(join(root, 'domain/greeting.ts'), later, later)
    expect(await baoco()).to.equal('hello An')
    expect(bundles()).to.deep.equal([name])
  })

  it('keeps the code that V8 compiled, for each set of options of Node', async () => {
    await baoco()
    const compiled = () => {
      const folder = join(all(), bundles()[0]!)
      const names = fs.readdirSync(folder).filter((name) => name.endsWith('.compiled'))
      return names.map((name) => [name, fs.statSync(join(folder, name)).mtimeMs] as const)
    }
    const first = compiled()
    expect(first).to.have.lengthOf(1)
    expect(await baoco()).to.equal('hello An')
    expect(compiled(), 'V8 took it').to.deep.equal(first)
    await promisify(execFile)(process.execPath, ['--max-semi-space-size=64', join(root, 'cmd/baoco.mjs')])
    expect(compiled()).to.have.lengthOf(2).and.deep.include(first[0]!)
  })

  it('replaces compiled code that V8 refuses', async () => {
    await baoco()
    const folder = join(all(), bundles()[0]!)
    const [name = ''] = fs.readdirSync(folder).filter((each) => each.endsWith('.compiled'))
    const whole = fs.readFileSync(join(folder, name)).length
    fs.writeFileSync(join(folder, name), 'cut off')
    expect(await baoco()).to.equal('hello An')
    expect(fs.readFileSync(join(folder, name))).to.have.lengthOf(whole)
  })

  it('is built again when the sources change', async () => {
    await baoco()
    write('domain/greeting.ts', `export const greeting: string = 'HELLO'`)
    expect(await baoco()).to.equal('HELLO An')
    expect(bundles()).to.have.lengthOf(2)
  })

  it('is built only once by processes that start side by side, and leaves no partial files', async () => {
    expect(await Promise.all(Array.from({ length: 6 }, baoco))).to.deep.equal(Array(6).fill('hello An'))
    expect(bundles()).to.have.lengthOf(1)
  })

  it('is removed if it is older than a day when another one is built', async () => {
    for (const [name, hours] of Object.entries({ old: 25, young: 23 })) {
      fs.mkdirSync(join(all(), name), { recursive: true })
      const then = new Date(Date.now() - hours * 3_600_000)
      fs.utimesSync(join(all(), name), then, then)
    }
    await baoco()
    expect(bundles()).to.have.lengthOf(2).and.include('young')
  })

  it('runs although the clock is corrected by days while it is built', async () => {
    const days = 'data:text/javascript,const now = Date.now; Date.now = () => now() + 48 * 3_600_000'
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', days, join(root, 'cmd/baoco.mjs')])
    expect(stdout.trim()).to.equal('hello An')
  })

  describe('shows errors', () => {
    const POSITIONS = 'adapters/system/source-positions.ts'
    beforeEach(() => {
      fs.mkdirSync(dirname(join(root, POSITIONS)), { recursive: true })
      fs.copyFileSync(join(REPOSITORY, POSITIONS), join(root, POSITIONS))
    })
    const errorOf = (lines: string): void =>
      write(
        'cmd/baoco.ts',
        `import { rmSync } from 'node:fs'
         import { showSources, withSources } from '../${POSITIONS}'
         const cache = ${JSON.stringify(join(root, 'node_modules/.cache'))}
         showSources()
         ${lines}`,
      )

    it('with positions in the sources, if they end the process', async () => {
      errorOf(`throw new Error('failed')`)
      const { stderr } = await failure()
      expect(stderr)
        .to.include('Error: failed')
        .and.include(`${join(root, 'cmd/baoco.ts')}:5:`)
    })

    it('with positions in the sources, if a module cannot be loaded', async () => {
      const [first = ''] = /^import .*/m.exec(fs.readFileSync(join(REPOSITORY, 'cmd/baoco.ts'), 'utf8')) ?? []
      fs.copyFileSync(join(REPOSITORY, 'cmd/show-sources.ts'), join(root, 'cmd/show-sources.ts'))
      write('cmd/failing.ts', `export const greeting = 'Hello'\nif (greeting) throw new Error('failed')`)
      write('cmd/baoco.ts', `${first}\nimport { greeting } from './failing.ts'\nconsole.log(greeting)`)
      const { stderr } = await failure()
      expect(stderr)
        .to.include('Error: failed')
        .and.include(`${join(root, 'cmd/failing.ts')}:2:`)
    })

    it('with positions in the sources also of their cause', async () => {
      errorOf(`throw new Error('failed', {
                 cause: new Error('first') })`)
      const { stderr } = await failure()
      expect(stderr)
        .to.include('[cause]: Error: first')
        .and.include(`${join(root, 'cmd/baoco.ts')}:6:`)
    })

    it('of any length at once', async () => {
      errorOf('console.log(withSources(new Error(` /`.repeat(500_000)).stack).length > 1_000_000)')
      expect(await baoco()).to.equal('true')
    })

    it('with positions in the sources, where a log line asks for them', async () => {
      errorOf('console.log(withSources(new Error(`failed`).stack))')
      expect(await baoco())
        .to.match(/^Error: failed\n +at /)
        .and.include(`${join(root, 'cmd/baoco.ts')}:5:`)
    })

    it('without reading the map for a stack that is not written, such as that of each closed connection', async () => {
      errorOf('console.log(new Error(`failed`).stack)')
      expect(await baoco()).to.match(/^Error: failed\n +at .*baoco\.cjs:\d+:\d+/)
    })

    it('with positions in the bundle, if the bundle was removed while it runs', async () => {
      // The build runs it once with arguments, to compile it.
      errorOf(`if (process.argv.length === 2) rmSync(cache, { recursive: true })
               console.log(withSources(new Error('failed').stack))`)
      expect(await baoco()).to.match(/^Error: failed\n +at .*baoco\.cjs:\d+:\d+/)
    })
  })

  it('is not kept if the sources cannot be compiled', async () => {
    write('domain/greeting.ts', 'export const = 1')
    const { stderr } = await failure()
    expect(stderr).to.include('domain/greeting.ts:1')
    expect(bundles()).to.deep.equal([])
  })

  it('is skipped if its directory cannot be created', async () => {
    write('node_modules/.cache', 'in its way')
    expect(await baoco()).to.equal('hello An')
  })

  it('explains how to install the packages if they are missing', async () => {
    fs.rmSync(join(root, 'node_modules'), { recursive: true })
    const { code, stderr } = await failure()
    expect(code).to.equal(1)
    expect(stderr).to.match(/^Baoco is not installed yet: run `npm ci` .*\n$/)
    expect(fs.existsSync(join(root, 'node_modules')), 'nothing is left').to.equal(false)
  })

  it('explains it too if only one is missing, as after a change to another version', async () => {
    write(
      'domain/greeting.ts',
      `import * as greetings from '@any/greetings'
export const greeting = greetings.hello`,
    )
    const { code, stderr } = await failure()
    expect(code).to.equal(1)
    expect(stderr)
      .to.include('@any/greetings')
      .and.match(/\nBaoco .* run `npm ci` .*\n$/)
    expect(stderr).to.not.include('    at ')
  })
})

describe('the bundle of Baoco', () => {
  it('contains neither the parts of packages that nothing uses nor their data as code', async () => {
    const { bundled } = (await import('../../cmd/build.mjs' as string)) as { bundled(): Promise<string> }
    const texts = fs.readFileSync(await bundled(), 'utf8')
    expect(texts).to.include('JSON.parse(').and.include('Invalid input')
    // A message of zod in Dutch, the compiler of migrations, and a type of file in a list of a package.
    for (const unused of ['Ongeldig', 'jiti.cjs', '{source:"iana"']) expect(texts).to.not.include(unused)
  })
})
