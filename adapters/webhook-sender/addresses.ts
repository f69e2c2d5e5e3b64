/** Which addresses may be called: public ones, judged on the very address that is dialled. */
import ipaddr from 'ipaddr.js'

/** What `ALLOW_PRIVATE_TARGETS` opens; link-local stays shut, as clouds keep their credentials there. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal'])

/** All public IPv6 unicast is in here; forms that wrap an IPv4 address lie outside, or have a range of their own. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** @param address  a literal IPv4 or IPv6 address, without brackets */
export const isAllowedAddress = (address: string, allowPrivate: boolean): boolean => {
  if (!ipaddr.isValid(address)) return false
  // `::ffff:10.0.0.1` is dialled as the IPv4 address inside, so it is judged as that.
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (allowPrivate && PRIVATE_RANGES.has(range)) return true
  if (range !== 'unicast') return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST)
}
