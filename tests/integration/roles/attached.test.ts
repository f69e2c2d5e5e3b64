/** Tests role commands that run beside a `serve` and share its embedded Postgres. */
import { expect } from 'chai'
import { openDatabase } from '../../../adapters/database/database.ts'
import { READING_REQUESTS } from '../../../adapters/http/parts.ts'
import {
  callApi,
  launchBaoco,
  newDataFolder,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type Installation,
  type Running,
  type Starting,
} from '../../harness/baoco-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { inside } from '../../harness/installation-database.ts'

describe('a role beside serve, on the embedded Postgres', () => {
  let installation: Installation
  let whole: Running
  let api: Starting
  let env: Record<string, string>

  before(async () => {
    const dataFolder = await newFolderWithCluster()
    env = { RATE_LIMITS: 'off', BASE_URL: `http://localhost:${dataFolder.port}` }
    whole = await startBaoco(dataFolder, env)
    installation = readInstallation(dataFolder, whole.output())
    const { port } = await newDataFolder()
    api = launchBaoco({ dataDir: dataFolder.dataDir, port }, { ...env, COMMISSION: '10' }, 'api')
    await api.ready
  })
  after(async () => {
    await api?.kill()
    // Stop its database before removing its folder.
    await whole?.stop()
    if (installation) await removeDataFolder(installation)
  })

  const listed = async (running: Running) =>
    (await callApi(running, installation.apiKey, 'GET', '/api/transactions')).body.data as { id: number }[]
  const post = async (number: number): Promise<number> => {
    const { pathname, search } = new URL(fromVietcombank(installation.personalUrl))
    const response = await fetch(api.baseUrl + pathname + search, {
      method: 'POST',
      body: vietcombankText(number, `DH${number}`),
    })
    return ((await response.json()) as { data: { id: number } }).data.id
  }
  const isListed = (id: number) =>
    eventually(
      async () => [await listed(whole), await listed(api)].every((rows) => rows.some((row) => row.id === id)),
      {
        what: 'the transaction in both lists',
      },
    )

  it('works on the same installation, and does not print its secrets', async () => {
    expect(api.output()).not.to.contain('API key')
    await isListed(await post(1))
  })

  it('answers a command once the other process has projected it', async () => {
    for (let number = 0; number < 10; number++) {
      const system = { name: `shop ${number}`, type: 'custom', payment_prefix: `QX${number}` }
      expect((await callApi(api, installation.apiKey, 'POST', '/api/systems', system)).status).to.equal(201)
      const { body } = await callApi(api, installation.apiKey, 'GET', '/api/systems')
      expect(JSON.stringify(body.data)).to.contain(`QX${number}`)
    }
  })

  it('reports overdue deliveries if it projects, so that they are noticed while no process delivers', async () => {
    const [port, metrics] = (await freePorts(2)) as [number, number]
    const project = launchBaoco(
      { dataDir: installation.dataDir, port },
      { ...env, METRICS_PORT: String(metrics) },
      'project',
    )
    try {
      await project.ready
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
      expect(text).to.include('\nbaoco_deliveries_overdue 0\n')
      expect(text).to.not.include('baoco_lane_waiting')
    } finally {
      await project.kill()
    }
  })

  it('shows calls that another process has delivered to an inbox', async () => {
    const ask = (method: string, path: string, json?: object) => callApi(api, installation.apiKey, method, path, json)
    const inbox = (await ask('POST', '/api/inbox')).body.data as { id: number; url: string }
    expect((await ask('POST', '/api/webhooks', { name: 'to look at', url: inbox.url })).status).to.equal(201)
    const id = await post(7)
    const [call] = await eventually(
      async () => {
        const { calls } = (await ask('GET', `/api/inbox/${inbox.id}`)).body.data as { calls: { body: string }[] }
        return calls.length > 0 && calls
      },
      { what: 'the call in the inbox' },
    )
    expect(call).to.include({ method: 'POST', verified: true })
    expect(JSON.parse(call!.body)).to.include({ event: 'bank_transaction', transaction_id: id, order_id: 'DH7' })
  })

  it('keeps connections free for its own work while slow reads of requests wait', async () => {
    await inside(installation, async (url) => {
      const database = openDatabase(url)
      const blocked = async () =>
        (
          await database.query(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%searchable%'",
          )
        ).length
      const searches: Promise<unknown>[] = []
      await database.transaction(async (transaction) => {
        await transaction.query('LOCK TABLE search_model.searchable IN ACCESS EXCLUSIVE MODE')
        for (let number = 0; number < 20; number++)
          searches.push(callApi(whole, installation.apiKey, 'GET', `/api/transactions?search=none${number}`))
        // All that one account may have at a time.
        await eventually(async () => (await blocked()) >= READING_REQUESTS.mostOfOne)
        const response = await fetch(`${whole.baseUrl}/readyz`)
        expect(await response.json()).to.have.nested.property('parts.database', 'ok')
      })
      await Promise.all(searches)
      await database.close()
    })
  })

  it('logs the one setting that differs from those of the other process', async () => {
    const differing = () => /^\{.*"event":"settings\.differ"\}$/m.exec(api.output())
    const [line] = await eventually(differing, { what: 'the line about settings' })
    const { COMMISSION: processes, ...others } = JSON.parse(line) as Record<string, unknown>
    expect(processes).to.have.lengthOf(2)
    expect(others).to.have.all.keys('level', 'time', 'event')
  })

  it('continues after serve was killed and restarted', async () => {
    await whole.kill()
    whole = await startBaoco(installation, env)
    const id = await eventually(() => post(2), { what: 'a notification taken' })
    await isListed(id)
  })

  it('refuses to run as a relay without Kafka, in one line', async () => {
    const relay = launchBaoco({ dataDir: installation.dataDir, port: 1 }, {}, 'relay')
    expect(await relay.ended).to.equal(1)
    expect(relay.output()).to.match(/^baoco: there is nothing to relay: KAFKA_BROKERS is not set.*\n$/)
  })

  it('stops if its port is in use, in one line', async () => {
    const project = launchBaoco(
      { dataDir: installation.dataDir, port: 1 },
      { METRICS_PORT: String(installation.port) },
      'project',
    )
    expect(await project.ended, project.output()).to.equal(1)
    expect(project.output())
      .to.match(/^baoco: port \d+ is in use: set METRICS_PORT to another port$/m)
      .and.not.to.contain('Baoco is ready')
  })
})
