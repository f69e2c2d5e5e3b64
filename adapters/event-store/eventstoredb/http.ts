// Tests: tests/integration/eventstoredb/forgetting.test.ts
/** Requests to the HTTP side of EventStoreDB, which has what gRPC lacks: scavenges and statistics. */
import type { EventStoreDBClient } from '@eventstore/db-client'

/**
 * An internal method of the client: it sends requests to the server's HTTP side with the client's address and credentials.
 */
interface Inside {
  HTTPRequest<Answer>(
    method: 'GET' | 'POST',
    path: string,
    options: { headers: Record<string, string>; transformError(code: number, message: string): Error },
  ): Promise<Answer>
}

export class HttpRefused extends RangeError {
  override name = 'HttpRefused'
  readonly status: number
  constructor(path: string, status: number, message: string) {
    super(`${path}: ${status} ${message}`)
    this.status = status
  }
}

export const request = <Answer>(client: EventStoreDBClient, method: 'GET' | 'POST', path: string): Promise<Answer> =>
  (client as unknown as Inside).HTTPRequest<Answer>(method, path, {
    headers: { accept: 'application/json' },
    transformError: (status, message) => new HttpRefused(path, status, message),
  })
