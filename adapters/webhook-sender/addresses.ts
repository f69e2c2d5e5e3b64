/** Decides which addresses may be called: only public ones. The check uses exactly the address that is dialled. */
import ipaddr from 'ipaddr.js'

/** The ranges that `ALLOW_PRIVATE_TARGETS` permits. Link-local stays forbidden, because clouds serve credentials there. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal'])

/**
 * Other addresses at which clouds serve credentials or settings to their machines: AWS, Google Cloud, Oracle Cloud, Scaleway, and that of Azure, which
 * lies among the public ones.
 */
const OF_CLOUDS: ReadonlySet<string> = new Set(
  ['fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', '168.63.129.16'].map((address) =>
    ipaddr.parse(address).toNormalizedString(),
  ),
)

/** Contains all public IPv6 unicast. Forms that wrap an IPv4 address are outside, or have a separate range. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** @param address  a literal IPv4 or IPv6 address, without brackets */
export const isAllowedAddress = (address: string, allowPrivate: boolean): boolean => {
  if (!ipaddr.isValid(address)) return false
  // `::ffff:10.0.0.1` is dialled as the IPv4 address in it, so that address is checked.
  const parsed = ipaddr.process(address)
  if (OF_CLOUDS.has(parsed.toNormalizedString())) return false
  const range = parsed.range()
  if (allowPrivate && PRIVATE_RANGES.has(range)) return true
  if (range !== 'unicast') return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST)
}
