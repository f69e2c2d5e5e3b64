// Tests: tests/attack/alert-signature.test.ts
/**
 * Calls the owner's own address about an alert, signed like the calls of a rule. No other work waits for these calls,
 * because that address may be as slow as the endpoint that the alert is about. There are a few attempts within two
 * minutes, and no more. The mail is the reliable channel.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Sender } from '../../domain/ports.ts'
import { signedHeaders } from '../../domain/webhook/signature.ts'

/** Pause before each attempt: milliseconds. */
const WAITS_MS = [0, 10_000, 60_000]
/** Calls beyond this number at a time are dropped. */
const MOST = 200

export interface AlertCall {
  url: string
  /** The plain secret. */
  secret: string
  /** The same for every attempt, so that the receiver can recognize repeats. */
  id: string
  /** Without its `timestamp`: each attempt has its own. */
  body: object
}

export interface AlertCalls {
  call(call: AlertCall): void
}

export const openAlertCalls = (sender: Pick<Sender, 'send'>, clock: Clock): AlertCalls => {
  const never = new AbortController().signal
  let open = 0

  const insist = async ({ url, secret, id: webhookId, body: fields }: AlertCall): Promise<void> => {
    for (const [tries, wait] of WAITS_MS.entries()) {
      if (wait > 0) await pause(wait, undefined, { ref: false })
      const timestamp = Math.floor(clock.now().getTime() / 1000)
      const body = JSON.stringify({ ...fields, timestamp })
      const headers = signedHeaders({ secret, body, webhookId, timestamp, attempt: tries + 1 })
      const { error } = await sender.send({ method: 'POST', url, headers, body }, never)
      if (error === null) return
    }
  }

  return {
    call: (call) => {
      if (open >= MOST) return
      open++
      void insist(call).finally(() => open--)
    },
  }
}
