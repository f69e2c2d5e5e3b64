/** The rotation of docs/operate.md: VAULT_KEY and JWT_SECRET are replaced, each with one restart. */
import { randomBytes } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { keyIdOf } from '../../adapters/secrets/vault.ts'
import { launchBaoco, newDataFolder, removeDataFolder } from '../harness/baoco-process.ts'
import { commandInProcess } from '../harness/command-in-process.ts'
import { freshDatabase } from '../harness/postgres.ts'
import { secrets } from '../harness/servers.ts'
import { World } from '../harness/world.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'

const runBaoco = async (env: Record<string, string>, args: readonly string[]) => {
  const { status, stdout, stderr } = await commandInProcess(args, { PATH: process.env.PATH ?? '', ...env })
  return { code: status, stdout, stderr }
}

const newSecret = () => randomBytes(32).toString('hex')

describe('a rotation of the keys', () => {
  let world: World
  before(async () => {
    const { url, drop } = await freshDatabase()
    const servers = () => Promise.resolve({ env: { DATABASE_URL: url, ...secrets() }, close: drop })
    world = await World.open({ servers })
  })
  after(() => world?.close())

  const login = async (): Promise<string> => {
    const { email, password } = world.installation
    const response = await fetch(`${world.baoco.baseUrl}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    return ((await response.json()) as { token: string }).token
  }
  const admits = async (token: string): Promise<number> =>
    (await fetch(`${world.baoco.baseUrl}/api/account`, { headers: { authorization: `Bearer ${token}` } })).status
  const secretsOfRules = async (): Promise<(string | null)[]> =>
    ((await world.api('GET', '/api/webhooks')).body.data as { secret_key: string | null }[]).map(
      ({ secret_key }) => secret_key,
    )

  it('seals with the new key, reads with the old one, ends logins but no API key, and can be survived without the old one', async () => {
    const shop = await world.openShop()
    const { id, secret_key: old } = await world.addRule(shop)
    const token = await login()
    expect(await admits(token)).to.equal(200)
    const { personalUrl } = world.installation

    await world.baoco.stop()
    const [former, key] = [world.env.VAULT_KEY!, newSecret()]
    world.env.VAULT_KEY = `${key},${former}`
    world.env.JWT_SECRET = newSecret()
    await world.start()

    expect(await admits(token)).to.equal(401)
    expect(await admits(await login())).to.equal(200)
    const { secret_key: young } = await world.addRule(shop)
    expect(await secretsOfRules()).to.have.members([old, young])
    const { body } = await world.api('GET', '/api/receive-url')
    expect((body.data as { url: string }).url).to.equal(personalUrl)
    await world.post(vietcombankText(1, 'DH1'))
    // Both rules are called, and each call is signed with its own secret.
    await eventually(() => shop.calls.length === 2)

    // Without the old key, what it sealed is shown as missing. Its owner can replace it, and then all works again.
    await world.baoco.stop()
    world.env.VAULT_KEY = key
    await world.start()
    expect(await secretsOfRules()).to.have.members([null, young])
    expect((await world.api('GET', '/api/receive-url')).body.data).to.include({ url: null })
    expect((await world.api('POST', `/api/webhooks/${id}/secret/rotate`)).status).to.equal(200)
    const [third] = (await secretsOfRules()).filter((secret) => secret !== young)
    const before = shop.calls.length
    await world.post(vietcombankText(2, 'DH2'))
    await eventually(() => shop.calls.length === before + 2, { what: 'a call of each rule' })
    const calls = shop.calls.slice(before)
    for (const secret of [third!, young]) {
      const verified = await Promise.all(
        calls.map(({ body, headers }) => verify(secret, body, headers['x-webhook-signature']!)),
      )
      expect(verified.filter(Boolean)).to.have.lengthOf(1)
    }
    await eventually(() =>
      /"reason":"sealed under key \w+, which is not in VAULT_KEY","event":"vault\.wrong_key"/.test(
        world.baoco.output(),
      ),
    )
    await world.baoco.stop()
    world.env.VAULT_KEY = `${key},${former}`
    await world.start()
    expect((await world.api('GET', '/api/receive-url')).status).to.equal(200)
    expect(world.baoco.output()).to.not.include('vault.wrong_key')
  })

  it('refuses a process with a foreign key, until the operator says that the old one is lost', async () => {
    const [seals = '', former] = world.env.VAULT_KEY!.split(',')
    const foreign = newSecret()
    // The second one has only a key from before the rotation.
    for (const VAULT_KEY of [foreign, former!]) {
      const dataFolder = await newDataFolder()
      const refused = launchBaoco(dataFolder, { ...world.env, VAULT_KEY }, 'deliver')
      expect(await refused.ended).to.equal(1)
      expect(refused.output()).to.match(
        new RegExp(
          `^baoco: .*seals .* vault key ${keyIdOf(seals)}, and VAULT_KEY .* only ${keyIdOf(VAULT_KEY)}: .*LOST_VAULT_KEY=${keyIdOf(seals)} `,
          'm',
        ),
      )
      await removeDataFolder(dataFolder)
    }
    const create = ['account', 'create', 'foreign@example.com', '--plan', 'Pro', '--password', 'ten letters or more']
    const refused = await runBaoco({ ...world.env, VAULT_KEY: foreign }, create)
    expect(refused).to.include({ code: 1 })
    expect(refused.stderr).to.match(/^baoco: this installation seals its secrets with the vault key .*\n$/)

    // A new database has no record, such as after the events were moved. Then a secret that is stored names its key.
    const database = openDatabase(world.env.DATABASE_URL!, { poolSize: 1 })
    const record = (id: string | null) => database.query('UPDATE ops.installation SET vault_key = $1', [id])
    await record(null)
    const moved = await runBaoco({ ...world.env, VAULT_KEY: foreign }, create)
    expect(moved.stderr).to.include(`seals its secrets with the vault key ${keyIdOf(former!)}, `)
    await record(keyIdOf(seals))
    await database.close()
    // A command that seals nothing works, such as one that unlocks an account.
    expect(await runBaoco({ ...world.env, VAULT_KEY: foreign }, ['account', 'list'])).to.include({ code: 0 })

    await world.baoco.stop()
    Object.assign(world.env, { VAULT_KEY: foreign, LOST_VAULT_KEY: keyIdOf(seals) })
    await world.start()
    expect((await world.api('GET', '/api/receive-url')).body.data).to.include({ url: null })
    expect((await world.api('POST', '/api/receive-url/rotate')).status).to.equal(200)
    await world.baoco.stop()
    // The next start needs it no longer, and it lets no other key in.
    delete world.env.LOST_VAULT_KEY
    await world.start()
    expect((await world.api('GET', '/api/receive-url')).body.data).to.not.include({ url: null })
    expect(world.baoco.output()).to.not.include('vault.wrong_key')
    const again = await runBaoco({ ...world.env, VAULT_KEY: newSecret(), LOST_VAULT_KEY: keyIdOf(seals) }, create)
    expect(again).to.include({ code: 1 })
  })
})
