/**
 * Prints the size of the heap and of its young objects in MB before and after it has rested, and how often everything was collected. It rests
 * until memory was returned, or for three seconds if none should be. The work that it may have uses half a core. It first prints the port of an
 * HTTP server on stderr.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import { releaseMemoryAtRest } from '../../adapters/system/memory-at-rest.ts'

type Case = 'much' | 'little' | 'young' | 'busy' | 'asked'

const which = (process.argv[2] ?? 'much') as Case
const size = () => getHeapStatistics().total_physical_size / 1048576
const young = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.physical_space_size / 1048576
let collections = 0
const collect = globalThis.gc
if (collect)
  globalThis.gc = (() => {
    collections++
    collect()
  }) as NodeJS.GCFunction
const objects = Array.from({ length: which === 'little' ? 200_000 : 3_000_000 }, (_, n) => ({ n, text: 'text ' + n }))
const before = size()
const youngBefore = young()
// So much stays in use that it is worth a collection even if V8 has just made one.
objects.length = which === 'little' ? 0 : 2_000_000
const server = createServer((_request, response) => void response.end())
await new Promise<void>((next) => server.listen(0, '127.0.0.1', next))
console.error((server.address() as AddressInfo).port)
if (which === 'asked') await new Promise((next) => server.once('request', next))
// The client, which other work on the machine may hold up, must send more than two requests from one look to the next.
releaseMemoryAtRest(which === 'asked' ? 700 : which === 'young' ? undefined : 100)
const work = setInterval(() => {
  if (which !== 'busy') return
  for (const until = performance.now() + 20; performance.now() < until;);
}, 20)
const isReturned = (): boolean => {
  if (which === 'young') return young() < 16
  return size() <= before - (which === 'little' ? 8 : 30)
}
const isKept = which === 'busy' || which === 'asked' || !collect
const until = performance.now() + (isKept ? 3_000 : 60_000)
while ((collections === 0 || !isReturned()) && performance.now() < until)
  await new Promise((next) => setTimeout(next, 20))
clearInterval(work)
server.close()
server.closeAllConnections()
console.log(JSON.stringify({ before, after: size(), youngBefore, young: young(), collections, kept: objects.length }))
