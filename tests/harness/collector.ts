/** An OpenTelemetry collector that keeps the spans it receives. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number }
}

interface Sent {
  resourceSpans: { resource: { attributes: ReceivedSpan['attributes'] }; scopeSpans: { spans: ReceivedSpan[] }[] }[]
}

export interface Collector {
  endpoint: string
  spans: ReceivedSpan[]
  /** The path and the headers of each request. */
  requests: { path: string; headers: Record<string, unknown>; resource: ReceivedSpan['attributes'] }[]
  /** The status of its answers from now on. */
  answer(status: number): void
  close(): Promise<void>
}

export const startCollector = async (): Promise<Collector> => {
  let status = 200
  const spans: ReceivedSpan[] = []
  const requests: Collector['requests'] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as Sent).resourceSpans) {
        requests.push({ path: request.url!, headers: request.headers, resource: resource.attributes })
        if (status === 200) spans.push(...scopeSpans.flatMap((scope) => scope.spans))
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    answer: (next) => (status = next),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
