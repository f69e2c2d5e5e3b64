/** A capture that records what arrives, and answers what the test sets. */
import type { ApiParts } from '../../../adapters/http/parts.ts'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import type { Accounts } from '../../../workflows/accounts/accounts.ts'

export const recordingCapture = (accounts: Accounts) => {
  const arrivals: Arrival[] = []
  let take: (arrival: Arrival) => Taken = () => ({ kind: 'ignored', reason: 'unparsed' })
  const knows = async ({ credential }: Arrival): Promise<boolean> => {
    if (!('token_hash' in credential)) return true
    const { kind, user_id, token_hash } = credential
    const account = await accounts.find(user_id)
    const hashes =
      kind === 'device'
        ? [...(account?.devices.values() ?? [])].map((each) => each.token_hash)
        : kind === 'api_key'
          ? [...(account?.api_keys.values() ?? [])].map((each) => each.key_hash)
          : [account?.receive_url?.token_hash]
    return hashes.includes(token_hash)
  }
  const capture: ApiParts['capture'] = {
    take: (given) =>
      Promise.all(
        given.map(async (arrival): Promise<Taken> => {
          if (!(await knows(arrival))) return { kind: 'unauthorized' }
          arrivals.push(arrival)
          return take(arrival)
        }),
      ),
  }
  const takes = (next: typeof take): void => {
    take = next
  }
  return { capture, arrivals, takes }
}
