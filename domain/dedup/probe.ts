// Tests: tests/unit/domain/dedup/same-event.test.ts
/** The form in which a sighting is looked up in a deduplication window and added to it: numbers, and hashes of its texts. */
import { namesMovement } from '../reader/references.ts'
import { NONE, hashesOf } from './chains.ts'
import type { Sighting } from './events.ts'

export interface ReferenceHash {
  kind: number
  value: readonly [number, number]
  /** In a probe: whether the bank gives this reference to one movement only. */
  namesMovement?: boolean
}

/** A sighting that is ready to be looked up and added. It is parsed and hashed once. Times in Unix milliseconds, NaN for none. */
export interface Probe {
  stamp: number
  arrived: number
  printed: number
  /** Precision of the printed time in milliseconds: 1,000 or 60,000. 0 without a printed time. */
  precision: number
  amount: number
  balance: number
  movement: number
  source: number
  account: number
  text: readonly [number, number, number, number]
  content: readonly [number, number] | null
  order: readonly [number, number] | null
  /** The Message-ID of a mail. */
  message: readonly [number, number] | null
  prefixed: boolean
  references: readonly ReferenceHash[]
  cutAt: number | null
  marks: string
}

/** The values at the end of a text, and whether it was cut. */
export type Ending = Pick<Probe, 'cutAt' | 'balance' | 'order' | 'references'>

/** Assigns numbers to short texts: accounts, sources, currencies. */
export class Names {
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []

  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  /** In the order of their numbers. */
  all(): readonly string[] {
    return this.#names
  }

  nameOf(number: number): string {
    return this.#names[number]!
  }
}

const milliseconds = (moment: string | null | undefined): number => (moment ? Date.parse(moment) : NaN)

/** A 16-byte fingerprint as four ints. */
const fourInts = (fingerprint: string): readonly [number, number, number, number] => {
  const bytes = Buffer.from(fingerprint, 'base64url')
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)]
}

/** @param names  the names of the window that the probe is for */
export const toProbe = (sighting: Sighting, names: Names): Probe => {
  const { printed_time: time, content_hash: content, account_number: account } = sighting
  const [contentA, contentB] = content ? fourInts(content) : []
  const [messageA, messageB] = sighting.message_id_hash ? fourInts(sighting.message_id_hash) : []
  return {
    stamp: milliseconds(sighting.stamp),
    arrived: milliseconds(sighting.arrived_at),
    printed: milliseconds(time?.at),
    precision: time ? (time.precision === 'second' ? 1_000 : 60_000) : 0,
    // Exact up to 2^53 hundredths: ninety trillion.
    amount: Math.round(Number(sighting.amount) * 100),
    balance: sighting.balance === null ? NaN : Math.round(Number(sighting.balance) * 100),
    movement: names.numberOf(`${sighting.direction} ${sighting.currency}`),
    source: names.numberOf(sighting.source),
    account: account === null ? NONE : names.numberOf(account),
    text: fourInts(sighting.fingerprint),
    content: content ? [contentA!, contentB!] : null,
    order: sighting.order_id === null ? null : hashesOf(sighting.order_id),
    message: messageA === undefined ? null : [messageA, messageB!],
    prefixed: sighting.prefix !== null,
    references: sighting.references.map((reference) => ({
      kind: hashesOf(reference.kind)[0],
      value: hashesOf(reference.value),
      namesMovement: namesMovement(reference),
    })),
    cutAt: sighting.cut_at,
    marks: sighting.marks,
  }
}
