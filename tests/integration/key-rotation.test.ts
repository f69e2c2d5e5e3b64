/** The rotation of docs/operate.md: VAULT_KEY and JWT_SECRET are replaced, each with one restart. */
import { randomBytes } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
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
})
