/**
 * Resolves names that users give to addresses that may be dialled. **Every** address of a name is checked, and exactly one of
 * these addresses is dialled, so that a second lookup cannot return a different one.
 */
import { isIP } from 'node:net'
import { isAllowedAddress } from './addresses.ts'
import { Failure } from './failure.ts'
import type { Resolve } from './resolver.ts'

/** The most addresses of a name that are attempted, one after the other. */
const MOST_TRIES = 3

/** The first ones, with one of each family: the machine may have a route for IPv4 or for IPv6 only. */
const tried = (addresses: readonly string[]): readonly string[] => {
  const first = addresses.slice(0, MOST_TRIES)
  const other = addresses.find((address) => isIP(address) !== isIP(first[0]!))
  return other === undefined || first.includes(other) ? first : [...first.slice(0, -1), other]
}

/**
 * @param host  a name, or a literal address without brackets
 * @throws {Failure} `private_address`, `dns`
 */
export const checkedAddresses = async (
  host: string,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<readonly string[]> => {
  const addresses = isIP(host) ? [host] : await resolve(host)
  // If one address of a name is private, its public addresses are not trusted either.
  if (addresses.length === 0 || !addresses.every((address) => isAllowedAddress(address, allowPrivate)))
    throw new Failure('private_address', `${host} is not a public address.`)
  return tried(addresses)
}
