/**
 * Calls that tell an owner's own address of an alert. Nobody waits for them, as that address may be as slow as the endpoint the
 * alert is about: a few tries within two minutes, and no more. What must not be lost is the mail.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Sender } from '../../domain/ports.ts'

/** Before each try: milliseconds. */
const WAITS_MS = [0, 10_000, 60_000]
/** More than so many at a time are passed over. */
const MOST = 200

export interface AlertCalls {
  /** @param id  the same for every try, so that who is called can tell */
  call(url: string, id: string, body: object): void
}

export const openAlertCalls = (sender: Pick<Sender, 'send'>): AlertCalls => {
  const never = new AbortController().signal
  let open = 0

  const insist = async (url: string, id: string, body: string): Promise<void> => {
    for (const wait of WAITS_MS) {
      if (wait > 0) await pause(wait, undefined, { ref: false })
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Baoco',
        'x-webhook-source': 'baoco',
        'webhook-id': id,
      }
      const { error } = await sender.send({ method: 'POST', url, headers, body }, never)
      if (error === null) return
    }
  }

  return {
    call: (url, id, body) => {
      if (open >= MOST) return
      open++
      void insist(url, id, JSON.stringify(body)).finally(() => open--)
    },
  }
}
