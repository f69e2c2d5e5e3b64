/** Decides which addresses may be called: only public ones. The check uses exactly the address that is dialled. */
import ipaddr from 'ipaddr.js'

/** The ranges that `ALLOW_PRIVATE_TARGETS` permits. Link-local stays forbidden, because clouds serve credentials there. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal'])

/** Contains all public IPv6 unicast. Forms that wrap an IPv4 address are outside, or have a separate range. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** @param address  a literal IPv4 or IPv6 address, without brackets */
export const isAllowedAddress = (address: string, allowPrivate: boolean): boolean => {
  if (!ipaddr.isValid(address)) return false
  // `::ffff:10.0.0.1` is dialled as the IPv4 address in it, so that address is checked.
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (allowPrivate && PRIVATE_RANGES.has(range)) return true
  if (range !== 'unicast') return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST)
}
