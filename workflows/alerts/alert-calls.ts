/**
 * Calls that tell an owner's own address of an alert, signed as a rule's calls are. Nobody waits for them, as that address may be as
 * slow as the endpoint the alert is about: a few tries within two minutes, and no more. What must not be lost is the mail.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Sender } from '../../domain/ports.ts'
import { signedHeaders } from '../../domain/webhook/signature.ts'

/** Before each try: milliseconds. */
const WAITS_MS = [0, 10_000, 60_000]
/** More than so many at a time are passed over. */
const MOST = 200

export interface AlertCall {
  url: string
  /** In plain. */
  secret: string
  /** The same for every try, so that the receiver can tell repeats. */
  id: string
  /** Without its `timestamp`, which is each try's own. */
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
