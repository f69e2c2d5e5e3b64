/** The API while the event store does not respond: what it refuses and how soon, what it still answers, and how it continues. */
import { expect } from 'chai'
import { openDatabase } from '../../../adapters/database/database.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { timeOf } from '../../harness/best-time.ts'
import { eventually } from '../../harness/eventually.ts'
import { longestControl } from '../../harness/longest-control.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'
import type { Answer } from './ask.ts'
import { openFailingStore, STORE_NAMES, type FailingStore } from './stores-that-fail.ts'

/** Shorter than in production, so that the test is. */
const TIMES = { mostWaitMs: 1_500, openAfterMs: 2_500, probeAfterMs: 300, outageAfterMs: 1_000 }
const AT_ONCE = 200
/** Every post is answered within this time. `tests/chaos/store-away.test.ts` measures it with the deadlines of production. */
const ANSWERED_WITHIN_MS = 8_000

const OWNER = { email: 'owner@baoco.local', password: OWNERS_PASSWORD }

interface Posted {
  number: number
  status: number
  ms: number
  retryAfter: string | null
  id: number | null
}

for (const name of STORE_NAMES)
  describe(`the API while ${name} is away`, () => {
    let failing: FailingStore
    let api: ApiUnderTest
    let number = 0
    const accepted = new Map<number, number>()
    // A resend has the same text.
    const at = new Date()

    before(async () => {
      failing = await openFailingStore(name, TIMES)
      api = await openApi({}, 'real', { openStores: () => Promise.resolve(failing) })
    })
    after(async () => {
      await api?.close()
      await failing?.close()
    })

    // A test that failed leaves nothing frozen for the next one.
    afterEach(() => failing.server.thaw())

    const post = async (given = ++number): Promise<Posted> => {
      const began = performance.now()
      const body = vietcombankText(given, `DH${given}`, { at })
      const url = fromVietcombank(`${api.url}/api/receive/u/${api.owner.receive_token}`)
      const response = await fetch(url, { method: 'POST', body })
      const ms = performance.now() - began
      const { data } = (await response.json()) as { data?: { id: number } }
      if (response.status === 200) accepted.set(given, data!.id)
      return {
        number: given,
        status: response.status,
        ms,
        retryAfter: response.headers.get('retry-after'),
        id: data?.id ?? null,
      }
    }
    /** A request that needs no store. The machine delays all others as much. */
    const control = async (): Promise<unknown> => expect((await api.ask('GET', '/healthz')).status).to.equal(200)
    const list = (headers: Record<string, string>): Promise<Answer> => api.ask('GET', '/api/transactions', { headers })
    const byKey = (key: string) => ({ 'x-api-key': key })

    const areListedOnce = async (): Promise<void> => {
      const ids = [...accepted.values()].sort((a, b) => a - b)
      expect(new Set(ids).size).to.equal(ids.length)
      await eventually(async () => {
        const { body } = await list(byKey(api.owner.api_key))
        if (body.total !== ids.length) throw new Error(`${body.total} of ${ids.length} are listed`)
        return true
      })
    }

    const untilAccepted = (given: number) =>
      eventually(async () => (await post(given)).status === 200, { what: 'an accepted post' })
    /** A few at a time: all together, each again as soon as it is refused, they would keep a slow machine from accepting any in time. */
    const sendAgainUntilAccepted = async (refused: readonly Posted[]): Promise<void> => {
      for (let from = 0; from < refused.length; from += 20)
        await Promise.all(refused.slice(from, from + 20).map((one) => untilAccepted(one.number)))
    }

    for (const [how, { begin, end }] of Object.entries({
      frozen: { begin: () => failing.server.freeze(), end: () => failing.server.thaw() },
      killed: { begin: () => failing.server.kill(), end: () => failing.server.start() },
    }))
      it(`(${how}) refuses posts first within the time limit and later at once, and loses nothing`, async () => {
        for (let n = 0; n < 5; n++) await untilAccepted(++number)
        failing.recoveries.length = 0
        await begin()
        const all = Promise.all(Array.from({ length: AT_ONCE }, () => post()))
        const [waiting, longest] = await Promise.all([all, longestControl(all, control)])
        expect(new Set(waiting.map(({ status }) => status))).to.deep.equal(new Set([503]))
        expect(new Set(waiting.map(({ retryAfter }) => retryAfter))).to.deep.equal(new Set(['5']))
        const slowest = Math.max(...waiting.map(({ ms }) => ms))
        // The machine may delay them when they are sent, and again when they are answered.
        expect(slowest).to.be.below(ANSWERED_WITHIN_MS + 2 * longest)

        await eventually(() => failing.isOpen())
        const refused: Posted[] = []
        const controls: number[] = []
        for (let n = 0; n < 20; n++) {
          refused.push(await post())
          controls.push(await timeOf(control))
        }
        expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).to.deep.equal(
          new Set(['503 5']),
        )
        const times = refused.map(({ ms }) => ms).sort((a, b) => a - b)
        // On a busy machine even a request that needs no store takes long.
        expect(times[10]).to.be.below(Math.max(100, 3 * controls.toSorted((a, b) => a - b)[10]!))

        const began = performance.now()
        await end()
        const back = performance.now()
        await eventually(async () => (await post()).status === 200)
        console.log(
          `      ${name} ${how}: 503 after ${Math.round(slowest)} ms at most, later after ${Math.round(times[10]!)} ms (median), ${Math.round(times.at(-1)!)} ms at most; accepted again ${Math.round(performance.now() - back)} ms after the server came back, which took ${Math.round(back - began)} ms`,
        )
        await sendAgainUntilAccepted([...waiting, ...refused])
        expect(failing.recoveries.some(({ refused: calls }) => calls >= 20)).to.equal(true)
        await areListedOnce()
      })

    it('accepts posts while every answer is late, and opens no breaker', async () => {
      failing.network.delay(100)
      const posted = await Promise.all(Array.from({ length: 20 }, () => post()))
      failing.network.delay(0)
      expect(posted.filter(({ status }) => status !== 200)).to.deep.equal([])
      expect(failing.isOpen()).to.equal(false)
    })

    it('answers lists for credentials of accounts that it has read before, and refuses everything else with 503', async () => {
      const { owner } = api
      const stranger = await api.newAccount('stranger@baoco.local')
      const scoped = await api.ask('POST', '/api/account/api-keys', {
        key: owner.api_key,
        json: { name: 'reads', scopes: ['read'] },
      })
      const login = await api.ask('POST', '/api/auth/login', { json: OWNER })
      const session = await api.ask('POST', '/api/session', { json: OWNER })
      const known = {
        'the API key': byKey(owner.api_key),
        'a scoped key': byKey(scoped.body.data.api_key as string),
        'a JWT': { authorization: `Bearer ${login.body.token ?? login.body.data.token}` },
        'a session': { cookie: session.headers.get('set-cookie')!.split(';')[0]! },
      }
      for (const [credential, headers] of Object.entries(known))
        expect((await list(headers)).status, credential).to.equal(200)

      failing.server.freeze()
      const statuses = async () => {
        const answers = await Promise.all(Object.values(known).map(list))
        return answers.map(({ status }) => status)
      }
      expect(await statuses()).to.deep.equal([200, 200, 200, 200])
      const unknown = {
        'a key of an account that was not read': byKey(stranger.api_key),
        'a wrong key of a known account': byKey(owner.api_key.slice(0, -4) + 'AAAA'),
        'a JWT with a wrong signature': { authorization: `Bearer ${login.body.token ?? login.body.data.token}x` },
      }
      for (const [credential, headers] of Object.entries(unknown)) {
        const { status, headers: answered } = await list(headers)
        expect([status, answered.get('retry-after')], credential).to.deep.equal(
          credential.startsWith('a JWT') ? [401, null] : [503, '5'],
        )
      }
      const written = await api.ask('POST', '/api/systems', {
        key: owner.api_key,
        json: { name: 'Shop', type: 'custom', payment_prefix: 'SE' },
      })
      expect([written.status, written.headers.get('retry-after')]).to.deep.equal([503, '5'])
      const headers = { ...known['a session'], origin: 'https://baoco.example' }
      expect((await api.ask('DELETE', '/api/session', { headers })).status, 'a session that cannot end').to.equal(503)

      // Another process has revoked the key, and the read models know.
      const database = openDatabase(api.databaseUrl, { poolSize: 1 })
      const row = 'UPDATE read_model.account SET revision = revision +'
      await database.query(`${row} 1 WHERE user_id = $1`, [owner.user_id])
      expect(await statuses()).to.deep.equal([503, 503, 503, 503])
      await database.query(`${row} -1 WHERE user_id = $1`, [owner.user_id])
      await database.close()
      failing.server.thaw()
      await eventually(async () => (await list(byKey(stranger.api_key))).status === 200)
    })
  })
