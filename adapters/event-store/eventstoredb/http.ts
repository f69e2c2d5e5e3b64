// Tests: tests/integration/eventstoredb/wrong-settings.test.ts
/**
 * Requests to the HTTP side of EventStoreDB, which has what gRPC lacks: scavenges and statistics. The client has such requests too, but an
 * answer that is not JSON, such as the page of a proxy, would end the process there.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as plainRequest, type IncomingMessage } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { jsonIn } from '../parse.ts'
import type { Attempt } from './connection.ts'
import { httpAccess } from './url.ts'

/** An internal method of the client: the channel names the node to which it is connected. */
interface Inside {
  getChannel(): Promise<{ getTarget(): string }>
}

export class HttpRefused extends RangeError {
  override name = 'HttpRefused'
  readonly status: number
  constructor(path: string, status: number, message: string) {
    super(`${path}: ${status} ${message}`)
    this.status = status
  }
}

/** A node of a cluster may redirect to another one. */
const MOST_REDIRECTS = 3

/** @throws {HttpRefused} if the answer is not a success, or is not JSON · an error of the connection */
export const request = async <Answer>(attempt: Attempt, method: 'GET' | 'POST', path: string): Promise<Answer> => {
  const { isSecure, login, caFile } = httpAccess(attempt.url)
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const options = {
    method,
    headers: login === null ? headers : { ...headers, authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    ...(isSecure && caFile !== null && { ca: readFileSync(caFile) }),
  }
  const send = async (at: URL): Promise<IncomingMessage> => {
    const sent = (isSecure ? tlsRequest : plainRequest)(at, options)
      .on('error', () => {})
      .end()
    attempt.onGivenUp = () => void sent.destroy()
    return ((await once(sent, 'response')) as [IncomingMessage])[0]
  }
  const channel = await (attempt.client as unknown as Inside).getChannel()
  let at = new URL(path, channel.getTarget().replace(/^[a-z]*:/, isSecure ? 'https://' : 'http://'))
  for (let redirects = 0; ; redirects++) {
    const answer = await send(at)
    const { statusCode: status = 0, statusMessage = '', headers } = answer
    const body = await text(answer)
    if (status === 307 && headers.location && redirects < MOST_REDIRECTS) {
      at = new URL(headers.location, at)
      continue
    }
    if (status < 200 || status >= 300) throw new HttpRefused(path, status, statusMessage)
    const found = jsonIn(body)
    if (found === undefined) throw new HttpRefused(path, status, 'the answer is not JSON')
    return found as Answer
  }
}
