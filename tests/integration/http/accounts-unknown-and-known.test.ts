/**
 * A stranger cannot tell from an answer, or from its time, whether an email has an account. A stranger who floods the
 * login delays only himself.
 */
import { expect } from 'chai'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'

/** `npm run fuzz` makes more calls. A call of the first two paths computes a password hash. */
const CALLS = repetitions(200, 80)
const CALLS_THAT_HASH = repetitions(200, 24)
const ACCOUNTS = 12
/** The maximum number of measurements. A shared machine is noisy, so each adds to the ones before it; a real difference remains. */
const MEASUREMENTS = 20

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

describe('known and unknown emails', () => {
  let api: ApiUnderTest
  const known: string[] = []
  /** The calls of requests to the event store. */
  const steps: string[] = []
  const counted = (store: EventStore): EventStore => ({
    ...store,
    read: (slices) => (steps.push('read'), store.read(slices)),
    append: async (units) => {
      steps.push('append')
      const results = await store.append(units)
      // In Postgres, a refused append makes all others of its group slow.
      for (const { ok } of results) if (!ok) steps.push('refused')
      return results
    },
  })
  const openStores = async (url: string) => {
    const store = await openPostgresEventStore({ url, parse: parseEvent })
    return { store, requestStore: counted(store) }
  }
  before(async () => {
    api = await openApi({ trustProxy: 1 }, 'real', { openStores })
    for (let number = 0; number < ACCOUNTS; number++) known.push(`known${number}@example.com`)
    await inParallel(8, known, async (email) => {
      await api.ask('POST', '/api/auth/register', { json: { email, password: OWNERS_PASSWORD } })
    })
  })
  after(() => api.close())

  const inParallel = async <Item>(width: number, items: readonly Item[], work: (item: Item) => Promise<void>) => {
    const rest = [...items]
    await Promise.all(
      Array.from({ length: width }, async () => {
        for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
      }),
    )
  }

  let strangers = 0
  /** Calls in pairs, one of each kind. @returns the ratio of their times for each pair */
  const measure = async (path: string, count: number, width: number, bodyOf: (email: string) => object) => {
    const bodies = { known: new Set<string>(), unknown: new Set<string>() }
    const pairs = Array.from({ length: count }, () => ({ known: NaN, unknown: NaN }))
    const calls = pairs.flatMap((times, index) => {
      const pair = [
        { times, kind: 'known', email: known[index % ACCOUNTS]! },
        { times, kind: 'unknown', email: `unknown${++strangers}@example.com` },
      ] as const
      return index % 2 ? [pair[0], pair[1]] : [pair[1], pair[0]]
    })
    await inParallel(width, calls, async ({ times, kind, email }) => {
      const began = performance.now()
      const { status, body } = await api.ask('POST', path, { json: bodyOf(email) })
      times[kind] = performance.now() - began
      bodies[kind].add(JSON.stringify([status, body]))
    })
    expect([...bodies.known]).to.deep.equal([...bodies.unknown])
    expect(bodies.known.size).to.equal(1)
    const ratios = pairs.map((times) => times.known / times.unknown)
    expect(ratios.filter(Number.isFinite)).to.have.length(count)
    return ratios
  }

  // The time of a step grows with the load, so equal times on a quiet machine are not enough.
  for (const [path, more] of [
    ['register', { password: OWNERS_PASSWORD }],
    ['forgot-password', {}],
    ['resend-verify', {}],
  ] as const)
    it(`take the same steps through the store at ${path}`, async () => {
      const stepsOf = async (email: string) => {
        steps.length = 0
        await api.ask('POST', `/api/auth/${path}`, { json: { email, ...more } })
        return [...steps]
      }
      const unknown = await stepsOf(`unknown${++strangers}@example.com`)
      expect(unknown.at(-1)).to.equal('append')
      // The second call finds the account as the first one left it.
      for (const email of [known[0]!, known[0]!, api.owner.email, api.owner.email])
        expect(await stepsOf(email), email).to.deep.equal(unknown)
    })

  it('take the same steps at a login, even at several at a time', async () => {
    const stepsOf = async (emails: readonly string[]) => {
      steps.length = 0
      const json = { password: 'not the password' }
      await Promise.all(emails.map((email) => api.ask('POST', '/api/auth/login', { json: { email, ...json } })))
      return steps.toSorted()
    }
    expect(await stepsOf(known.map(() => `unknown${++strangers}@example.com`))).to.deep.equal(await stepsOf(known))
  })

  for (const [path, count, width, more] of [
    ['login', CALLS_THAT_HASH, 2, { password: 'not the password' }],
    ['register', CALLS_THAT_HASH, 5, { password: OWNERS_PASSWORD }],
    ['forgot-password', CALLS, 40, {}],
    ['resend-verify', CALLS, 40, {}],
  ] as const)
    it(`get the same answer from ${path}, and the median times differ by less than 10 %`, async () => {
      const ratios: number[] = []
      const medians: number[] = []
      while (medians.length < MEASUREMENTS) {
        ratios.push(...(await measure(`/api/auth/${path}`, count, width, (email) => ({ email, ...more }))))
        medians.push(median(ratios))
        if (Math.abs(Math.log(medians.at(-1)!)) < Math.log(1.1)) return
      }
      expect.fail(`known took ${medians.map((each) => each.toFixed(2)).join(', ')} of the time of unknown`)
    })

  it('are served during a flood of logins from one address, which delays neither other logins nor receiving', async () => {
    const from = (address: string, password: string) =>
      api.ask('POST', '/api/auth/login', {
        json: { email: 'owner@baoco.local', password },
        headers: { 'x-forwarded-for': address },
      })
    const FLOOD = 80
    let answered = 0
    const flood = Array.from({ length: FLOOD }, () =>
      from('6.6.6.6', 'wrong password').then(({ status }) => {
        answered++
        expect(status).to.equal(401)
      }),
    )
    await eventually(() => answered > 0)
    const before = answered
    const login = await from('7.7.7.7', OWNERS_PASSWORD)
    expect(login.status).to.equal(200)
    // Two logins of the flood are being computed, and one more may go first. The rest allows for the order of the answers.
    expect(answered - before, 'of the flooder’s logins were answered first').to.be.at.most(10)
    for (let number = 0; number < 20; number++) {
      const text = `SD TK 0011000415567 +${150_000 + number},000VND luc 10-03-2026 12:00:${String(number).padStart(2, '0')}. SD 9,000,000VND. Ref MBVCB.${number}.DH1`
      const { status } = await api.ask('POST', `/api/receive/u/${api.owner.receive_token}?sender=Vietcombank`, {
        body: text,
      })
      expect(status).to.equal(200)
    }
    expect(answered, 'logins are still waiting').to.be.lessThan(FLOOD)
    await Promise.all(flood)
  })
})
