/**
 * The yardstick on EventStoreDB: the appends per second of its client alone. A payment needs three appends there, because there is no
 * transaction over several streams.
 */
import { runChild } from './children.ts'
import type { Bench } from './installation.ts'

const SECONDS = 5
const APPENDS_A_PAYMENT = 3
const AT_LEAST = 0.4

/** @returns undefined if the set-up has no EventStoreDB */
export const bareAppends = async ({ world }: Bench): Promise<number | undefined> => {
  const { EVENTSTORE_URL: url } = world.env
  if (url === undefined) return undefined
  return (await runChild<{ perSecond: number }>('./bare-appends.ts', { url, seconds: SECONDS })).perSecond
}

/** @param rate  payments per second @param bare  what the client alone appended, before and after */
export const shareOfAppends = (rate: number, bare: readonly (number | undefined)[]): string => {
  const all = bare.filter((one) => one !== undefined)
  if (all.length === 0) return ''
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length
  const share = (rate * APPENDS_A_PAYMENT) / mean
  return `; bare client ${mean.toFixed(0)} appends/s, ratio to a third of it ${share.toFixed(3)} (at least ${AT_LEAST})`
}
