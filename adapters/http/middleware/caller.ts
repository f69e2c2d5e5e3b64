/**
 * Identifies a caller by address. Behind reverse proxies it is the address that the outermost trusted proxy saw (`TRUST_PROXY` hops).
 * Entries further left in X-Forwarded-For may be forged. One household or server has a whole IPv6 /64, so a /64 counts as one caller.
 */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Context } from 'koa'

const LONGEST = 64

/** @param address  as a socket or a proxy reports it, with or without a port */
export const callerOf = (address: string): string => {
  // By far the most frequent case, on the hottest path.
  if (isIPv4(address)) return address
  // Valid addresses are shorter, so this one is not parsed.
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
