// Tests: tests/integration/http/inbox.test.ts
/**
 * Handles our own sender's calls to inboxes. Such calls never leave the process. So an inbox works with any setting, and none
 * of our requests can reach this service in another way.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Refused } from '../../domain/errors.ts'
import type { Call } from '../../domain/ports.ts'
import { STATUS, type ErrorCode } from '../http/middleware/errors.ts'
import { BODY_OF_ANSWER, type Inboxes } from './inboxes.ts'
import { inboxTokenIn } from './url.ts'

export interface LocalAnswer {
  status: number
  body: string
}

/** Answers a call in this process, or returns null if the call must go over the network. */
export type InProcess = (call: Call) => Promise<LocalAnswer> | null

export const inboxesInProcess = (inboxes: Inboxes, baseUrl: string): InProcess => {
  const answer = async (token: string, { method, headers, body }: Call): Promise<LocalAnswer> => {
    try {
      const { status, delay_ms } = await inboxes.take(token, { method, headers, body: Buffer.from(body) })
      if (delay_ms > 0) await pause(delay_ms, undefined, { ref: false })
      return { status, body: JSON.stringify(BODY_OF_ANSWER[status]) }
    } catch (error) {
      const code = error instanceof Refused ? (error.code as ErrorCode) : 'STORE_UNAVAILABLE'
      return { status: STATUS[code], body: JSON.stringify({ success: false, error: code }) }
    }
  }
  return (call) => {
    const token = inboxTokenIn(call.url, baseUrl)
    return token === null ? null : answer(token, call)
  }
}
