/** The machine's hosts file: c-ares, which asks DNS for us, does not read it, and `localhost` is often only there. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** How long what was read is used: milliseconds. */
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

/** Addresses the hosts file gives a name; none where it names it not, or cannot be read. */
export const lookInHostsFile = async (name: string): Promise<string[]> => {
  if (!known || performance.now() - known.at > FRESH)
    known = { hosts: readFile(PATH, 'utf8').then(parseHosts, () => new Map()), at: performance.now() }
  return (await known.hosts).get(name) ?? []
}
