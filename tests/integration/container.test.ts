/** The image and its Compose file, run without a container engine. */
import { rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'chai'
import { buildImage, commandOf, makeVolume, runContainer, type Container, type Image } from '../harness/container.ts'
import { startOwnStandIn, type OwnStandIn } from '../harness/eventstoredb/process.ts'
import { eventually } from '../harness/eventually.ts'
import { freePorts } from '../harness/free-ports.ts'
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts'
import { environmentOf, readCompose } from '../unit/containers/compose.ts'

const PASSWORD = `p/a@s#s%w$o:r?d&"${'${HOME}'} $$ %2f`

describe('the image, with a read-only root and no privileges', function () {
  let image: Image
  const containers: Container[] = []
  const volumes: string[] = []
  before(async function () {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) this.skip()
    image = await buildImage()
  })
  afterEach(async () => {
    for (const { process: child, ended } of containers.splice(0)) {
      child.kill('SIGKILL')
      await ended
    }
    for (const folder of volumes.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  after(() => image?.remove())

  const start = (command: readonly string[], env: Record<string, string>, folders: string[]): Container => {
    const container = runContainer(image, command, env, folders)
    containers.push(container)
    return container
  }
  const isReady = async (container: Container): Promise<void> => {
    await eventually(
      () => {
        if (container.process.exitCode !== null) throw new Error(container.output())
        return /^Baoco is ready/m.test(container.output())
      },
      { within: 60_000, what: 'Baoco is ready' },
    )
  }

  it('contains no packages for development, and cannot be written to', async () => {
    for (const name of ['mocha', 'typescript', 'oxlint'])
      expect(existsSync(join(image.folder, 'node_modules', name)), name).to.equal(false)
    const write = start(['node', '--eval', "require('node:fs').writeFileSync('/tmp/x', '')"], {}, [])
    expect(await write.ended).to.equal(1)
    expect(write.output()).to.include('EROFS')
  })

  it('serves, is healthy, and stops within 10 s, with one volume', async () => {
    const [port = 0] = await freePorts(1)
    const data = await makeVolume()
    volumes.push(data)
    const container = start(commandOf('CMD'), { PORT: String(port), BAOCO_DATA_DIR: data, TMPDIR: data }, [data])
    expect(await container.isHealthy()).to.equal(false)
    await isReady(container)
    expect(await container.isHealthy()).to.equal(true)
    const [, curl] = /^curl.*'(http\S+)'$/m.exec(container.output()) ?? []
    expect((await fetch(curl!, { method: 'POST', body: 'hello' })).status).to.equal(200)
    const began = performance.now()
    container.process.kill('SIGTERM')
    expect(await container.ended, container.output()).to.equal(0)
    expect(performance.now() - began).to.be.below(10_000)
    expect(await container.isHealthy()).to.equal(false)
  })

  describe('as roles of docker-compose.yml', () => {
    let postgres: OwnPostgres
    let eventStore: OwnStandIn
    before(async () => {
      ;[postgres, eventStore] = await Promise.all([startOwnPostgres({ durable: false }), startOwnStandIn()])
      const client = new pg.Client({ connectionString: postgres.url() })
      await client.connect()
      await client.query(`CREATE ROLE baoco_role LOGIN PASSWORD ${client.escapeLiteral(PASSWORD)}`)
      await client.query('CREATE DATABASE baoco OWNER baoco_role')
      await client.end()
    })
    after(() => Promise.all([postgres?.remove(), eventStore?.remove()]))

    it('is ready on servers, without any folder to write to and with any password', async () => {
      const { services } = readCompose('docker-compose.yml')
      const roles = ['api', 'project']
      const ports = await freePorts(1 + roles.length)
      const started = roles.map((role, index) => {
        const dotEnv = {
          JWT_SECRET: 'j'.repeat(32),
          VAULT_KEY: 'ab'.repeat(32),
          POSTGRES_PASSWORD: PASSWORD,
          DATABASE_URL: `postgres://baoco_role@127.0.0.1:${postgres.port}/baoco`,
          EVENTSTORE_URL: eventStore.url,
          KAFKA_BROKERS: '127.0.0.1:1',
          PORT: String(ports.at(-1)),
          METRICS_PORT: String(ports[index]),
        }
        const env = environmentOf([readCompose('docker-compose.yml')], role, dotEnv)
        const { entrypoint = [], command = [] } = services[role]!
        return start([...entrypoint, ...command], { ...env, BAOCO_DATA_DIR: '/data' }, [])
      })
      for (const container of started) {
        await isReady(container)
        await eventually(() => container.isHealthy(), { what: 'health' })
        expect(container.output()).to.not.include('s%w$o')
      }
      expect(started[0]!.output()).to.include('API key')
    })
  })
})
