// Tests: tests/integration/http/affiliate.test.ts
/** Commands of affiliates, and the lookup of a link's owner by its code: load → decide → append. */
import { randomBytes } from 'node:crypto'
import * as decide from '../../domain/affiliate/affiliate.ts'
import { affiliateEvents, affiliateStream, type AffiliateEvent } from '../../domain/affiliate/events.ts'
import { formToken, userOfToken } from '../../domain/account/tokens.ts'
import type { EventStore, Ids } from '../../domain/ports.ts'
import { execute } from '../support/execute.ts'
import { foldCache } from '../support/fold-cache.ts'
import type { OwnersOccasion } from '../accounts/accounts.ts'
import { nextId } from '../support/next-id.ts'

/** Number of cached affiliates. */
const REMEMBERED = 1_000

export const openAffiliates = ({ store, ids }: { store: EventStore; ids: Ids }) => {
  const cache = foldCache(
    {
      stream: (userId) => affiliateStream(Number(userId)),
      events: affiliateEvents,
      initial: decide.NO_AFFILIATE,
      evolve: decide.evolve,
    },
    REMEMBERED,
  )

  /** @throws {StoreUnavailable} */
  const find = async (userId: number): Promise<decide.Affiliate> => (await cache.load(store, String(userId))).state

  /** @throws {StoreUnavailable} */
  const createLink = async (occasion: OwnersOccasion, label: string): Promise<decide.Link> => {
    const { user_id, at } = occasion
    const link_id = await nextId(ids)
    const code = formToken('referral', user_id, randomBytes(9).toString('base64url'))
    const { links } = await change(occasion, () => decide.createLink(user_id, { link_id, label, code, at }))
    return links.find((link) => link.link_id === link_id)!
  }

  /** @throws {StoreUnavailable} */
  const setBank = async (occasion: OwnersOccasion, bank: decide.Bank): Promise<decide.Bank> => {
    const { user_id } = occasion
    return (await change(occasion, (affiliate) => decide.setBank(affiliate, user_id, bank))).bank!
  }

  /** @param amount  whole dong · @throws {Refused} CONFLICT without a bank, or above the balance · {StoreUnavailable} */
  const withdraw = async (occasion: OwnersOccasion, amount: number): Promise<decide.Withdrawal> => {
    const { user_id, at } = occasion
    const withdrawal_id = await nextId(ids)
    const { withdrawals } = await change(occasion, (affiliate) =>
      decide.requestWithdrawal(affiliate, { user_id, withdrawal_id, amount, at }),
    )
    return withdrawals.find((each) => each.withdrawal_id === withdrawal_id)!
  }

  /** @throws {StoreUnavailable} */
  const earn = async (occasion: OwnersOccasion, earning: decide.Earning): Promise<void> => {
    await change(occasion, (affiliate) => decide.earnCommission(affiliate, earning))
  }

  /** The owner of the link with this code; null if there is none. @throws {StoreUnavailable} */
  const ownerOfCode = async (code: string): Promise<number | null> => {
    const userId = userOfToken('referral', code)
    if (userId === null) return null
    const { links } = await find(userId)
    return links.some((link) => link.code === code) ? userId : null
  }

  const change = async (
    occasion: OwnersOccasion,
    decision: (affiliate: decide.Affiliate) => readonly AffiliateEvent[],
  ): Promise<decide.Affiliate> =>
    (await execute(store, cache, String(occasion.user_id), occasion, ({ state }) => decision(state))).state

  return { find, createLink, setBank, withdraw, earn, ownerOfCode }
}

export type Affiliates = ReturnType<typeof openAffiliates>
