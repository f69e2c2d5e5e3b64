/**
 * Names that users give, as addresses that may be dialled: **every** address a name has is checked, and it is one of those very
 * addresses that is dialled then, so that no second look-up can answer otherwise.
 */
import { isIP } from 'node:net'
import { isAllowedAddress } from './addresses.ts'
import { Failure } from './failure.ts'
import type { Resolve } from './resolver.ts'

/** Addresses of a name that are tried one after the other. */
const MOST_TRIES = 3

/**
 * @param host  a name, or a literal address without brackets
 * @throws {Failure} `private_address`, `dns`
 */
export const checkedAddresses = async (
  host: string,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<readonly string[]> => {
  const addresses = isIP(host) ? [host] : await resolve(host)
  // A name that also answers a private address is not trusted with a public one either.
  if (addresses.length === 0 || !addresses.every((address) => isAllowedAddress(address, allowPrivate)))
    throw new Failure('private_address', `${host} is not a public address.`)
  return addresses.slice(0, MOST_TRIES)
}
