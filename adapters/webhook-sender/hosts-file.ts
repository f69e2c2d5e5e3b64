// Tests: tests/unit/adapters/webhook-sender/addresses.test.ts
/**
 * Reads the machine's hosts file. c-ares, which resolves names for us, does not read it, and `localhost` is often defined
 * only there.
 */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** Milliseconds. The parsed file is used for this long. */
const FRESH = 10_000

export const parseHosts = (text: string): Map<string, string[]> => {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (!isIP(address)) continue
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address])
  }
  return hosts
}

let known: { hosts: Promise<Map<string, string[]>>; at: number } | null = null

/** The addresses of a name in the hosts file. Empty if the name is not in it or the file cannot be read. */
export const lookInHostsFile = async (name: string): Promise<string[]> => {
  if (!known || performance.now() - known.at > FRESH)
    known = { hosts: readFile(PATH, 'utf8').then(parseHosts, () => new Map()), at: performance.now() }
  return (await known.hosts).get(name) ?? []
}
