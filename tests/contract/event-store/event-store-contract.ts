/**
 * The behaviour that every event store adapter must have. Stream names are random, so that the suite also runs against a used server. The
 * suite does not depend on the adapter, and does not test abilities of only some stores (such as removing an erased event from `readAll` at
 * once).
 */
import { appendCases } from './append-cases.ts'
import { concurrencyCases } from './concurrency-cases.ts'
import { contentCases } from './content-cases.ts'
import { forgettingCases } from './forgetting-cases.ts'
import { freezeCases } from './freeze-cases.ts'
import type { Abilities, Cases, StoreHarness } from './harness.ts'
import { historyCases } from './history-cases.ts'
import { outageCases } from './outage-cases.ts'
import { readCases } from './read-cases.ts'
import { subscriptionCases } from './subscription-cases.ts'

const SUBJECTS: Record<string, Cases> = {
  appends: appendCases,
  'what events hold': contentCases,
  reads: readCases,
  'many at a time': concurrencyCases,
  subscriptions: subscriptionCases,
  'retain and erase': forgettingCases,
  'a frozen process': freezeCases,
  outages: outageCases,
  'a store that went back in time': historyCases,
}

/**
 * @param open called once for the whole suite
 * @param abilities cases that need other abilities are skipped
 */
export const eventStoreContract = (
  name: string,
  open: () => Promise<StoreHarness>,
  abilities: Abilities = { canStopServer: true },
): void => {
  describe(`event store contract: ${name}`, () => {
    let harness: StoreHarness
    before(async () => {
      harness = await open()
    })
    after(() => harness?.close())
    for (const [subject, cases] of Object.entries(SUBJECTS)) describe(subject, () => cases(() => harness, abilities))
  })
}
