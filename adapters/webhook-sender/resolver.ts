// Tests: tests/integration/webhook-sender/resolver.test.ts
/**
 * Resolves names with c-ares: `dns.lookup` would occupy a thread of the pool that argon2 and files need. Concurrent dials
 * share an answer. An answer is kept for its TTL, at most half a minute. The machine's DNS servers may change while the process
 * runs (another Wi-Fi, a VPN). So they are read again after a lookup without an answer.
 */
import { Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { BoundedMap } from '../../workflows/support/bounded-map.ts'
import { Failure } from './failure.ts'
import { lookInHostsFile } from './hosts-file.ts'

export type Resolve = (name: string) => Promise<readonly string[]>

/** Milliseconds. */
const LONGEST_KEPT = 30_000
const MOST_KEPT = 10_000

/** Milliseconds. The machine's DNS servers are read at most once in this time. */
const RENEWED_AFTER = 5_000

/**
 * Milliseconds that a lookup waits for IPv6 addresses after it has IPv4 ones. Some routers and firewalls drop queries for IPv6
 * addresses. With two DNS servers, all repetitions of such a query take longer than a call may.
 */
const IPV6_WITHIN = 1_000

/** Names under `localhost` are this machine, and servers need not know them (RFC 6761, section 6.3). */
const THIS_MACHINE = ['127.0.0.1', '::1']

interface Answer {
  addresses: readonly string[]
  /** Seconds. */
  ttl: number
}

/** c-ares reads the machine's DNS servers here and never again. */
const readServers = (): Resolver => new Resolver({ timeout: 2_000, tries: 2 })

const query = async (servers: Resolver, name: string) => {
  const none = () => []
  const ipv4 = servers.resolve4(name, { ttl: true }).catch(none)
  const ipv6 = servers.resolve6(name, { ttl: true }).catch(none)
  const found = await ipv4
  const more = found.length === 0 ? ipv6 : Promise.race([ipv6, pause(IPV6_WITHIN, [], { ref: false })])
  // IPv4 first, because more machines have a route for it.
  return [...found, ...(await more)]
}

/** @param read  for tests */
export const openResolver = (read = readServers): Resolve => {
  let servers = read()
  let renewedAt = -Infinity

  /** Reads the servers again after a lookup without an answer. Returns whether they have changed. */
  const readAgain = (asked: Resolver): boolean => {
    if (servers === asked && performance.now() - renewedAt > RENEWED_AFTER) {
      servers = read()
      renewedAt = performance.now()
    }
    return String(servers.getServers()) !== String(asked.getServers())
  }

  const lookUp = async (name: string): Promise<Answer> => {
    const fromFile = await lookInHostsFile(name)
    if (fromFile.length > 0) return { addresses: fromFile, ttl: 0 }
    if (/(^|\.)localhost$/.test(name)) return { addresses: THIS_MACHINE, ttl: 0 }
    const asked = servers
    let records = await query(asked, name)
    if (records.length === 0 && readAgain(asked)) records = await query(servers, name)
    if (records.length === 0) throw new Failure('dns', `The name ${name} could not be resolved.`)
    return { addresses: records.map((record) => record.address), ttl: Math.min(...records.map((record) => record.ttl)) }
  }

  const kept = new BoundedMap<string, { answer: Promise<Answer>; until: number }>(MOST_KEPT)
  return async (name) => {
    const known = kept.get(name)
    if (known && performance.now() < known.until) return (await known.answer).addresses
    const entry = { answer: lookUp(name), until: Infinity }
    kept.set(name, entry)
    try {
      const { addresses, ttl } = await entry.answer
      entry.until = performance.now() + Math.min(ttl * 1000, LONGEST_KEPT)
      return addresses
    } catch (error) {
      if (kept.get(name) === entry) kept.delete(name)
      throw error
    }
  }
}
