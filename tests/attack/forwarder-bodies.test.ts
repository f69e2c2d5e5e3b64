/**
 * Attack: bodies of every forwarder app with hostile memos and strangers' messages, made by a grammar (`forwarder-bodies.ts`). No body may
 * become a transaction that the bank's own text would not become. `npm run fuzz` makes 100,000 bodies; `FUZZ_SEED` repeats a run.
 */
import { expect } from 'chai'
import { arrivalOf, itemOf } from '../../adapters/http/receive/arrival.ts'
import { readPosted, TooMuchPosted } from '../../adapters/http/receive/posted-body.ts'
import type { Arrival } from '../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../domain/arrival/origin.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Reading } from '../../domain/reader/reading.ts'
import { appraise, readable } from '../../domain/transaction/appraisal.ts'
import { accountOf, shownOf } from '../harness/accounts.ts'
import { repetitions } from '../harness/repetitions.ts'
import { nextCase, randomFrom, type Posted, type Shown } from './forwarder-bodies.ts'

const CASES = repetitions(100_000, 1_000)
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const AT = new Date('2026-11-20T03:00:10.000Z')
const ACCOUNT = accountOf(7)
const at = { credential: shownOf(7, 0), posted_as: null, arrived_at: AT } as const

/** The arrivals that the personal URL makes of a body. */
const arrivalsOf = async ({ body, contentType, query }: Posted): Promise<Arrival[]> => {
  try {
    const parameters: Record<string, unknown> = {}
    for (const [name, value] of new URLSearchParams(query)) parameters[name] ??= value
    const posted = readPosted(Buffer.from(body), contentType, parameters)
    const list = Array.isArray(posted.value) && posted.value.length > 1 ? (posted.value as unknown[]) : null
    return list ? list.map((item) => arrivalOf(itemOf(posted, item), at)) : [arrivalOf(posted, at)]
  } catch (error) {
    if (error instanceof TooMuchPosted) return []
    throw error
  }
}

/** The reading that would be recorded. */
const readingOf = (given: Arrival): Reading | null => {
  const arrival = readable(given)
  const appraised = appraise(
    ACCOUNT,
    receivePathOf(ACCOUNT, arrival.credential, AT)!,
    arrival,
    read(arrival.incoming, AT),
  )
  return appraised.kind === 'movement' ? appraised.reading : null
}

const summary = ({ bank_code, transaction_type, amount, currency, account_number, balance_after }: Reading): string =>
  [bank_code, transaction_type, amount, currency, account_number, balance_after].join(' ')

const isAsPrinted = ({ amount, account_number, transaction_type }: Reading, printed: Shown['printed']): boolean =>
  amount === printed?.amount && account_number === printed.account && transaction_type === printed.direction

describe('attack: bodies of forwarder apps with hostile memos', () => {
  it(`never become a transaction that the bank did not print: ${CASES} bodies, seed ${SEED}`, async function () {
    this.timeout(1_200_000)
    const random = randomFrom(SEED)
    let genuine = 0
    for (let number = 0; number < CASES; number++) {
      const { shown, posted, truth } = nextCase(random)
      const own = shown.printed === null ? null : read(truth, AT).reading
      for (const arrival of await arrivalsOf(posted)) {
        const reading = readingOf(arrival)
        if (reading === null) continue
        const what = `case ${number}, ${posted.app}: ${JSON.stringify({ shown, posted })}`
        expect(own && summary(own), what).to.equal(summary(reading))
        expect(isAsPrinted(reading, shown.printed), what).to.equal(true)
        genuine++
      }
    }
    // The grammar makes genuine bodies too. If none of them were read, the test would prove nothing.
    expect(genuine).to.be.above(CASES / 10)
  })
})
