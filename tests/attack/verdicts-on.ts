/** Reads notifications and compares them, as capture does, in the account of a user with the prefix `DH`. */
import type { Arrival } from '../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../domain/arrival/origin.ts'
import { verdictOn } from '../../domain/dedup/verdict.ts'
import { DedupWindow } from '../../domain/dedup/window.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Incoming } from '../../domain/reader/reading.ts'
import { appraise } from '../../domain/transaction/appraisal.ts'
import { accountOf, shownOf } from '../harness/accounts.ts'

const account = accountOf(7, { withoutSender: true })

export type Sent = Incoming & { type: 'sms' | 'notification' | 'mail'; at: string }

/** A mail that was authenticated when it arrived. */
const MAILBOX = { kind: 'kept', user_id: 7, kept: { notification_id: 1, source: 'mailbox-3', silent: false } } as const

/** Capture's decision about each notification. */
export const verdictsOn = (...sent: readonly Sent[]): string[] => {
  const window = new DedupWindow()
  return sent.map(({ type, at, ...incoming }, index) => {
    const moment = new Date(at)
    const arrival: Arrival = {
      credential: type === 'mail' ? MAILBOX : shownOf(7, 1),
      incoming,
      posted_as: type === 'mail' ? null : type,
      stamp: moment,
      arrived_at: moment,
      raw: JSON.stringify(incoming),
    }
    const path = receivePathOf(account, arrival.credential, moment)!
    const movement = appraise(account, path, arrival, read(incoming, moment))
    if (movement.kind !== 'movement') return movement.kind
    const probe = window.probe(movement.sighting)
    const verdict = verdictOn(window, probe, movement.origin.channel === 'push')
    if (verdict.kind !== 'resend') window.add(index + 1, verdict.kind === 'copy' ? verdict.event : index + 1, probe)
    return verdict.kind
  })
}
