/**
 * Who calls, as far as an address tells: behind reverse proxies the one that the outermost of the trusted ones saw
 * (`TRUST_PROXY` hops; what stands further left in X-Forwarded-For anybody may have written). One household or server has a
 * whole /64 of IPv6, so that counts as one.
 */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Context } from 'koa'

const LONGEST = 64

/** @param address  as a socket or a proxy names it, with or without a port */
export const callerOf = (address: string): string => {
  // The most frequent by far, on the hottest path.
  if (isIPv4(address)) return address
  // No address is so long: it is not worth a look.
  if (address.length > LONGEST) return address.slice(0, LONGEST)
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(address) ?? []
  const bare = bracketed ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  if (!ipaddr.isValid(bare)) return address
  const parsed = ipaddr.process(bare)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

export const callerIn = (context: Pick<Context, 'ip'>): string => callerOf(context.ip)
