// Tests: tests/unit/adapters/webhook-sender/checked-addresses.test.ts
/**
 * Resolves names with c-ares: `dns.lookup` would occupy a thread of the pool that argon2 and files need. Concurrent dials
 * share an answer. An answer is kept for its TTL, at most half a minute.
 */
import { Resolver } from 'node:dns/promises'
import { BoundedMap } from '../../workflows/support/bounded-map.ts'
import { Failure } from './failure.ts'
import { lookInHostsFile } from './hosts-file.ts'

export type Resolve = (name: string) => Promise<readonly string[]>

/** Milliseconds. */
const LONGEST_KEPT = 30_000
const MOST_KEPT = 10_000

interface Answer {
  addresses: readonly string[]
  /** Seconds. */
  ttl: number
}

const ask = async (resolver: Resolver, name: string): Promise<Answer> => {
  const fromFile = await lookInHostsFile(name)
  if (fromFile.length > 0) return { addresses: fromFile, ttl: 0 }
  const answers = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ])
  // IPv4 first, because more machines have a route for it.
  const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (records.length === 0) throw new Failure('dns', `The name ${name} could not be resolved.`)
  return { addresses: records.map((record) => record.address), ttl: Math.min(...records.map((record) => record.ttl)) }
}

export const openResolver = (): Resolve => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const kept = new BoundedMap<string, { answer: Promise<Answer>; until: number }>(MOST_KEPT)
  return async (name) => {
    const known = kept.get(name)
    if (known && performance.now() < known.until) return (await known.answer).addresses
    const entry = { answer: ask(resolver, name), until: Infinity }
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
