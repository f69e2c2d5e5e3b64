/** A shop's endpoint that gives the chosen answer, and keeps every call that it receives, unparsed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedCall {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  at: number
}

export type Answer = (call: ReceivedCall, response: ServerResponse) => void

export interface Shop {
  url: string
  calls: ReceivedCall[]
  /** Sets its answer from now on. */
  answer: (answer: Answer) => void
  /** Answers no call that arrives during the work, until the work is over. */
  withhold(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export const status =
  (code: number, body = '', headers: Record<string, string> = {}): Answer =>
  (_call, response) =>
    response.writeHead(code, headers).end(body)

/** Never answers. */
export const hang: Answer = () => {}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export const openShop = async (first: Answer = status(200, 'ok')): Promise<Shop> => {
  let answer = first
  let withheld: (() => void)[] | null = null
  const calls: ReceivedCall[] = []
  const server = createServer((request, response) => {
    void bodyOf(request).then(
      (body) => {
        const call = {
          method: request.method!,
          path: request.url!,
          headers: request.headers as Record<string, string>,
          body,
          at: Date.now(),
        }
        calls.push(call)
        if (withheld) withheld.push(() => answer(call, response))
        else answer(call, response)
      },
      () => {}, // The caller disconnected during the call, so it does not count.
    )
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    calls,
    answer: (next) => {
      answer = next
    },
    withhold: async (work) => {
      const late: (() => void)[] = []
      withheld = late
      await work().finally(() => {
        withheld = null
        for (const give of late) give()
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
