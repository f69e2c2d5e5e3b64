/** Given-when-then helpers for the same event: `given(sms(), push()).when(sms({ at: 20 })).then(another)`. */
import { expect } from 'chai'
import { DedupWindow, type Chain } from '../../../../domain/dedup/window.ts'
import type { Sighting } from '../../../../domain/dedup/events.ts'
import { cutAt, fingerprintOf, marksOf } from '../../../../domain/dedup/text-marks.ts'
import { verdictOn, type Verdict } from '../../../../domain/dedup/verdict.ts'

const START = Date.parse('2026-11-20T03:00:00.000Z')
const moment = (seconds: number): string => new Date(START + seconds * 1_000).toISOString()

export interface Described {
  /** Seconds from the start. Sets stamp and arrival unless they are given separately. */
  at?: number
  stamp?: number | null
  arrives?: number
  source?: string
  text?: string
  amount?: string
  direction?: 'credit' | 'debit'
  currency?: string
  account?: string | null
  balance?: number | null
  ref?: string | readonly string[]
  /** Seconds from the start, as printed. */
  time?: number
  /** As printed, without seconds. */
  minute?: number
  order?: string
  prefix?: string | null
  content?: string
  /** Message-ID of a mail. */
  message?: string
}

export const sighting = (described: Described): Sighting => {
  const { at = 0, stamp = at, arrives = at, time, minute, balance = null, order = null } = described
  const {
    source = 'device-1:sms',
    amount = '150000.00',
    direction = 'credit',
    currency = 'VND',
    account = null,
  } = described
  const printed = time ?? minute
  const references = [described.ref ?? []].flat()
  const text =
    described.text ??
    [source, direction, amount, account, balance, references.join(), printed, order, described.content].join(' ')
  return {
    source,
    stamp: stamp === null ? null : moment(stamp),
    arrived_at: moment(arrives),
    fingerprint: fingerprintOf(text),
    marks: marksOf(text),
    cut_at: cutAt(text),
    direction,
    amount,
    currency,
    account_number: account,
    balance: balance === null ? null : balance.toFixed(2),
    references: references.map((each) => ({ kind: each.split(':')[0]!, value: each.split(':')[1]! })),
    printed_time:
      printed === undefined ? null : { at: moment(printed), precision: time === undefined ? 'minute' : 'second' },
    order_id: order,
    prefix: order && described.prefix === undefined ? 'DH' : (described.prefix ?? null),
    content_hash: described.content === undefined ? null : fingerprintOf(described.content),
    ...(described.message !== undefined && { message_id_hash: fingerprintOf(described.message) }),
  }
}

export const sms = (described: Described = {}): Described => ({ source: 'device-1:sms', ...described })
export const push = (described: Described = {}): Described => ({ source: 'device-1:com.VCB', ...described })
export const url = (described: Described = {}): Described => ({ source: 'url', stamp: null, ...described })

export const isPush = (described: Described): boolean => described.source?.endsWith('com.VCB') ?? false

/** An id is the index of the notification plus one, because ids are positive. */
export const another: Verdict = { kind: 'new' }
export const resendOf = (index: number, event = index): Verdict => ({ kind: 'resend', of: index + 1, event: event + 1 })
export const copyOf = (index: number): Verdict => ({ kind: 'copy', event: index + 1 })

/** Judges one notification, and adds it to the deduplication window as capture does. */
export const judge = (window: DedupWindow, described: Described, id: number): Verdict => {
  const probe = window.probe(sighting(described))
  const verdict = verdictOn(window, probe, isPush(described))
  if (verdict.kind === 'resend') {
    if (verdict.isNewStamp) window.addResend(verdict.of, probe)
  } else window.add(id, verdict.kind === 'copy' ? verdict.event : id, probe)
  return verdict
}

/** How many notifications a walk finds for the second one in a window with the first one. */
export const visitedBy = (chain: Chain, first: Described, second: Described): number => {
  const window = new DedupWindow()
  window.add(1, 1, window.probe(sighting(first)))
  let visited = 0
  window.walk(chain, window.probe(sighting(second)), () => void visited++)
  return visited
}

export const given = (...before: readonly Described[]) => {
  const window = new DedupWindow()
  before.forEach((each, index) => judge(window, each, index + 1))
  return {
    when: (described: Described) => ({
      then: (wanted: Verdict): void => {
        expect(judge(window, described, before.length + 1)).to.deep.include(wanted)
      },
    }),
  }
}
