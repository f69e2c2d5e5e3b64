/**
 * A shop's endpoint for benchmarks, a process of its own: answers 200 at once and notes when each order first arrived.
 * `GET /count` answers how many different orders arrived and how many calls came; `GET /arrivals` when (Unix milliseconds, by order id).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const arrivals = new Map<string, number>()
let calls = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const answer = request.url === '/count' ? { orders: arrivals.size, calls } : Object.fromEntries(arrivals)
    response.end(JSON.stringify(answer))
    return
  }
  const at = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    calls++
    const { order_id } = JSON.parse(Buffer.concat(chunks).toString()) as { order_id: string }
    if (!arrivals.has(order_id)) arrivals.set(order_id, at)
    response.end('ok')
  })
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })))
