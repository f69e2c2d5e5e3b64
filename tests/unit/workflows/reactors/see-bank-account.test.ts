import { expect } from 'chai'
import type { EventStore, StreamAppend } from '../../../../domain/ports.ts'
import { DAY_MS } from '../../../../domain/time.ts'
import { seeBankAccounts } from '../../../../workflows/reactors/see-bank-account.ts'
import { stamp } from '../../../../workflows/support/stamp.ts'
import { accountFacts, accountOf } from '../../../harness/accounts.ts'
import { capturedData } from '../../../harness/captured-data.ts'

const REGISTERED = Date.parse(accountOf(5).registered_at)
const NAMED = { bank_code: 'VCB', account_number: '0011000415567' }
const SEEN = { user_id: 5, bank_account_id: 7, ...NAMED, transaction_id: 1 }
const occasion = { user_id: 5, at: new Date(REGISTERED), correlation_id: 'test', causation_id: 'test' }

describe('a bank account that a notification names', () => {
  /** The event about it, if it arrived this long after the registration, and is handled three days later. */
  const seenAfter = async (ms: number, { operator = false, plans = null as object | null } = {}): Promise<unknown> => {
    const [registered, ...more] = accountFacts(5)
    const facts = [{ ...registered!, data: { ...registered!.data, operator } }, ...more]
    const account = stamp(facts, occasion).map((event, revision) => Object.assign(event, { revision }))
    const seen: unknown[] = []
    const store = {
      read: async () => [account],
      append: async ([[{ events }]]: [[StreamAppend]]) => {
        seen.push(...events.map(({ data }) => data))
        return [{ ok: true, checkpoint: '1' }]
      },
    } as unknown as EventStore
    const clock = { now: () => new Date(REGISTERED + 3 * DAY_MS) }
    const { answers } = seeBankAccounts({ store, clock, ids: { next: async () => [7] }, plans } as never)
    const created_at = new Date(REGISTERED + ms).toISOString()
    const data = capturedData({ user_id: 5, transaction_id: 1, ...NAMED, created_at })
    await answers.TransactionCaptured!(stamp([{ type: 'TransactionCaptured', data }], occasion)[0] as never)
    return seen[0]
  }

  it('counts at once if it arrived on the first day of the account, however late that is handled', async () => {
    expect(await seenAfter(DAY_MS - 1)).to.deep.equal(SEEN)
    expect(await seenAfter(DAY_MS + 1)).to.deep.equal({ ...SEEN, waits: true })
  })

  it('counts at once if it is the one of the operator to which plans are paid', async () => {
    expect(await seenAfter(DAY_MS + 1, { operator: true, plans: NAMED })).to.deep.equal(SEEN)
    expect(await seenAfter(DAY_MS + 1, { plans: NAMED })).to.deep.equal({ ...SEEN, waits: true })
  })
})
