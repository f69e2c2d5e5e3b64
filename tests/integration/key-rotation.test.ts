/** The rotation of docs/operate.md: VAULT_KEY and JWT_SECRET are replaced, each with one restart. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { freshDatabase } from '../harness/postgres.ts'
import { secrets } from '../harness/servers.ts'
import { World } from '../harness/world.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'

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
  const secretsOfRules = async (): Promise<string[]> =>
    ((await world.api('GET', '/api/webhooks')).body.data as { secret_key: string }[]).map(
      ({ secret_key }) => secret_key,
    )

  it('seals with the new key, reads with the old one, and ends logins but no API key', async () => {
    const shop = await world.openShop()
    const { secret_key: old } = await world.addRule(shop)
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

    // The newer rule was sealed with the new key alone: it can be read when the old key is gone.
    const rules = (await world.api('GET', '/api/webhooks')).body.data as { id: number; secret_key: string }[]
    const id = rules.find(({ secret_key }) => secret_key === old)!.id
    expect((await world.api('DELETE', `/api/webhooks/${id}`)).status).to.equal(200)
    await world.baoco.stop()
    world.env.VAULT_KEY = key
    await world.start()
    expect(await secretsOfRules()).to.deep.equal([young])
    expect((await world.api('GET', '/api/receive-url')).status, 'still sealed with the old key').to.equal(500)
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
})
