/**
 * Shop endpoints for benchmarks, which run as a separate process. Each endpoint has its own port, answers 200 immediately and records when
 * each order first arrived. The argument is `{endpoints}`; the default is one.
 *
 * - `GET /count` returns the number of different orders, the sum of their arrivals over the endpoints, and the number of calls.
 * - `GET /arrivals` returns when each order first arrived at each endpoint (Unix milliseconds, by order id).
 * - `GET /hang` makes the endpoint that receives it accept calls without answering. `GET /answer` makes it answer again.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const { endpoints = 1 } = JSON.parse(process.argv[2] ?? '{}') as { endpoints?: number }

/** By order, then by endpoint. */
const arrivals = new Map<string, Map<number, number>>()
let calls = 0

const report = (path: string | undefined): unknown => {
  const each = [...arrivals].map(([order, at]) => [order, [...at.values()]] as const)
  if (path === '/count')
    return { orders: each.length, arrivals: each.reduce((sum, [, at]) => sum + at.length, 0), calls }
  return Object.fromEntries(each)
}

const open = (): Promise<Server> => {
  let hangs = false
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      if (request.url === '/hang') hangs = true
      if (request.url === '/answer') hangs = false
      response.end(JSON.stringify(report(request.url)))
      return
    }
    const at = performance.timeOrigin + performance.now()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      calls++
      if (hangs) return
      const { order_id } = JSON.parse(Buffer.concat(chunks).toString()) as { order_id: string }
      const known = arrivals.get(order_id)
      const port = request.socket.localPort!
      if (!known) arrivals.set(order_id, new Map([[port, at]]))
      else if (!known.has(port)) known.set(port, at)
      response.end('ok')
    })
  })
  server.keepAliveTimeout = 120_000
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

const servers = await Promise.all(Array.from({ length: endpoints }, open))
const ports = servers.map((server) => (server.address() as AddressInfo).port)
console.log(JSON.stringify({ port: ports[0], ports }))
