/**
 * Kills the whole process group with kill -9 at random moments under load, repeatedly on one installation. These must hold: every
 * notification answered with 2xx is in the list once and reached the shop at least once; an attempt that reached the shop twice was a
 * claim without a recorded attempt at a kill, whose number the next start logs.
 */
import { expect } from 'chai'
import { vietcombankText } from '../harness/bank-texts.ts'
import { durability } from '../harness/installation-database.ts'
import { eventually } from '../harness/eventually.ts'
import { showFigures } from '../harness/figures.ts'
import { repetitions } from '../harness/repetitions.ts'
import type { Shop } from '../harness/shop.ts'
import { World } from '../harness/world.ts'

/** `npm run reliability` kills more often. */
const ROUNDS = repetitions(20, 3)
/** A round accepts 20 notifications, and fewer than this many more, before it kills. */
const MOST_MORE = repetitions(300, 80)
const SENDERS = 16

/** Deterministic pseudo-random moments (mulberry32), so that a failing run can be repeated. */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

describe('kill -9 under load', function () {
  this.timeout(1_200_000)
  let world: World
  let shop: Shop
  /** The ids by number of the notification, for notifications that were answered with 2xx. */
  const accepted = new Map<number, number>()
  let sent = 0
  let claimsOpen = 0

  const postOne = async (): Promise<boolean> => {
    const number = ++sent
    try {
      const id = await world.post(vietcombankText(number, `DH${number}`))
      if (id !== null) accepted.set(number, id)
      return true
    } catch {
      return false // The process was killed.
    }
  }

  const listedIds = async (): Promise<number[]> => {
    const ids: number[] = []
    for (let page = 1; ; page++) {
      const { body } = await world.api('GET', `/api/transactions?page=${page}`)
      const rows = body.data as { id: number }[]
      if (rows.length === 0) return ids
      ids.push(...rows.map(({ id }) => id))
    }
  }

  before(async () => {
    world = await World.open({ env: { RETRY_SCHEDULE: '1,1,1,1,1,1' } })
    shop = await world.openShop()
    console.log(`      commits: ${await durability(world.installation)}`)
    await world.addRule(shop)
  })

  after(() => world?.close())

  it(`loses nothing over ${ROUNDS} kills, and repeats at most the open claims`, async () => {
    const next = random(20_261_121)
    for (let round = 0; round < ROUNDS; round++) {
      const target = accepted.size + 20 + Math.floor(next() * MOST_MORE)
      let killed = false
      const senders = Array.from({ length: SENDERS }, async () => {
        while (!killed && (await postOne()));
      })
      await eventually(() => accepted.size >= target, { within: 120_000, what: `round ${round}: ${target} accepted` })
      await world.baoco.kill()
      killed = true
      await Promise.all(senders)
      await world.start()
      const open = await eventually(() => /"claims_open":(\d+)/.exec(world.baoco.output()), {
        within: 120_000,
        what: 'the log line of the claims that stood open',
      })
      claimsOpen += Number(open[1])
    }

    const arrived = () => new Set(shop.calls.map((call) => JSON.parse(call.body).transaction_id as number))
    await eventually(
      () => {
        const reached = arrived()
        const missing = [...accepted.values()].filter((id) => !reached.has(id))
        if (missing.length)
          throw new Error(`${missing.length} accepted but never delivered, such as ${missing.slice(0, 5).join()}`)
        return true
      },
      { within: 120_000, what: 'every accepted notification delivered' },
    )

    const listed = await listedIds()
    expect(new Set(listed).size, 'each is listed once').to.equal(listed.length)
    expect([...accepted.values()].filter((id) => !listed.includes(id))).to.deep.equal([])

    const seen = new Map<string, number>()
    for (const { headers } of shop.calls) {
      const attempt = `${headers['webhook-id']} ${headers['x-webhook-attempt']}`
      seen.set(attempt, (seen.get(attempt) ?? 0) + 1)
    }
    const repeated = [...seen.values()].reduce((sum, times) => sum + times - 1, 0)
    expect(repeated, 'attempts seen twice').to.be.at.most(claimsOpen)
    showFigures(
      `kill -9 of everything, ${ROUNDS} times under load`,
      `${accepted.size} accepted, 0 lost; ${repeated} calls repeated of ${claimsOpen} open claims`,
    )
  })
})
