/**
 * Several processes receive for one account. Each can decide alone, but together they get a conflict at nearly every append. So one of them
 * owns the account, and the others hand its notifications to that one. Ownership only saves work: the expected revisions still decide, so
 * nothing is lost or stored twice if two processes believe that they own an account. If the owner is lost, the process that handed
 * over takes the notifications itself; what the owner had stored is then found as a resend.
 */
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import type { Capture } from './capture.ts'

/** The owner did not answer. It may have stored what was handed over. */
export class OwnerLost extends Error {
  override name = 'OwnerLost'
}

export interface Owner {
  /** @throws {OwnerLost}, and from then on it is not named as an owner · {StoreUnavailable} */
  take(arrivals: readonly Arrival[], waitedMs: number): Promise<Taken[]>
}

/** More characters of bodies are not handed over: that would keep two processes busy for long. They are rare. */
const MOST_CHARACTERS = 256 * 1024

/** The user to whom all these notifications belong; null if there are several, or if they are not handed over. */
const userOf = (arrivals: readonly Arrival[]): number | null => {
  const userId = arrivals[0]?.credential.user_id ?? null
  const characters = arrivals.reduce((sum, { raw }) => sum + raw.length, 0)
  if (characters > MOST_CHARACTERS) return null
  return arrivals.every(({ credential }) => credential.user_id === userId) ? userId : null
}

/**
 * @param ownerOf  the process that owns an account now; null if it is this one
 * @param elapsed  milliseconds since any moment
 */
export const handingOver = (
  capture: Capture,
  ownerOf: (userId: number) => Owner | null,
  elapsed: () => number,
  onHandedOver: (outcome: 'answered' | 'taken_back') => void = () => {},
): Capture => {
  const handOver = async (
    userId: number,
    first: Owner,
    arrivals: readonly Arrival[],
    waitedMs: number,
  ): Promise<Taken[]> => {
    const since = elapsed()
    const waited = (): number => waitedMs + elapsed() - since
    for (let owner: Owner | null = first; owner; owner = ownerOf(userId))
      try {
        const taken = await owner.take(arrivals, waited())
        onHandedOver('answered')
        return taken
      } catch (error) {
        if (!(error instanceof OwnerLost)) throw error
        onHandedOver('taken_back')
      }
    return capture.take(arrivals, waited())
  }
  return {
    isBusy: () => capture.isBusy(),
    take: (arrivals, waitedMs = 0) => {
      const userId = userOf(arrivals)
      const owner = userId === null ? null : ownerOf(userId)
      return owner ? handOver(userId!, owner, arrivals, waitedMs) : capture.take(arrivals, waitedMs)
    },
  }
}

/** Mixes the bits of a 32-bit number. Different numbers have different results, so no two processes have the same score. */
const mix = (value: number): number => {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b)
  return (twice ^ (twice >>> 16)) >>> 0
}

/**
 * The owner among processes. Each of them computes the same one, without a message. If one comes or goes, only its own accounts change hands.
 * @param processes  their ids: 32-bit numbers
 */
export const ownerAmong = (userId: number, processes: Iterable<number>): number => {
  let owner = 0
  let highest = -1
  for (const id of processes) {
    const score = mix(mix(userId) ^ id)
    if (score > highest) [owner, highest] = [id, score]
  }
  return owner
}
