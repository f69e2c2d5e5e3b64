// Tests: tests/integration/delivery/queue.test.ts
/** The users' shares of the room, as parameters of a claim. */
import type { DueWanted, LaneName, Shares } from '../../../workflows/deliver/queue.ts'

/** The key of `shareLeft` in `claim-sql.ts`. */
const keyOf = ({ lane, user_id }: Claimed): string => `${lane} ${user_id}`

/** @returns the parameters of `shareLeft` */
export const sharesOf = ({ shares }: DueWanted): string[] => [
  JSON.stringify(Object.fromEntries(shares.left.map((each) => [keyOf(each), each.left]))),
  JSON.stringify(shares.whole),
]

interface Claimed {
  lane: LaneName
  user_id: number
}

const lessShares = ({ whole, left }: Shares, claimed: readonly Claimed[]): Shares => {
  const byUser = new Map(left.map((each) => [keyOf(each), each]))
  for (const { lane, user_id } of claimed) {
    const key = keyOf({ lane, user_id })
    const own = byUser.get(key) ?? { lane, user_id, left: whole[lane] }
    byUser.set(key, { ...own, left: own.left - 1 })
  }
  return { whole, left: [...byUser.values()] }
}

/** The wanted deliveries that are left after these claims. */
export const without = (claimed: readonly Claimed[], wanted: DueWanted): DueWanted => {
  const room = { ...wanted.room }
  for (const { lane } of claimed) room[lane]--
  return { ...wanted, room, shares: lessShares(wanted.shares, claimed) }
}
