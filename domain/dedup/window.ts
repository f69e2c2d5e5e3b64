/**
 * A book: what one user's bank has told in the last seven days, folded from `book-<user>-<bank>`. Every row of "The same
 * event" asks by a key that it has here as a chain; nothing is ever searched through.
 *
 * Unlike the other folds it changes in place, as it may hold a week of notifications, about 300 bytes each; what a decision
 * adds before it is stored is taken back by `backTo`.
 */
import { ChainHeads, NONE, mixed, mixedFloat } from './chains.ts'
import { Entries, type Probe } from './entries.ts'
import { BOOK_RETENTION_S, type NotificationSeen } from './events.ts'

/** By what an entry is found. */
const CHAIN = {
  sending: 0, text: 1, balance: 2, content: 3, order: 4, sourceAmount: 5, sourceBalances: 6, event: 7,
} as const // prettier-ignore
const ALL_CHAINS = Object.values(CHAIN)
/** References have a chain each, in the same table. */
const REFERENCE_CHAIN = ALL_CHAINS.length
export type Chain = Exclude<keyof typeof CHAIN, 'event'>

/** The longest way along one chain: who sends thousands of equal notifications pays with a late copy unrecognised. */
const MOST_WALKED = 128

const RETENTION_MS = BOOK_RETENTION_S * 1_000
/** Expired entries are dropped together, when they are half of all and at least so many. */
const WORTH_DROPPING = 1_024

export class Book extends Entries {
  #heads = new ChainHeads()

  /** One more event of the stream, folded in. */
  see(seen: NotificationSeen): void {
    this.add(seen.transaction_id, seen.copy_of ?? seen.transaction_id, this.probe(seen))
  }

  /**
   * @param id  record of this notification
   * @param event  record of the first notification of its event
   */
  add(id: number, event: number, probe: Probe): void {
    const entry = this.push(id, event, probe)
    for (const chain of ALL_CHAINS) {
      const key = keyOf(chain, probe, event)
      if (key === null) continue
      this.setNext(entry, chain, this.#heads.get(key))
      this.#heads.set(key, entry)
    }
    probe.references.forEach(({ kind, value }, n) => {
      const node = this.referencesFrom(entry) + n
      const key = referenceKey(probe, kind, value)
      this.setNextReference(node, this.#heads.get(key))
      this.#heads.set(key, node)
    })
  }

  /** Takes back what was added since the book had this size. */
  backTo(size: number): void {
    while (this.size > size) {
      const entry = this.size - 1
      const probe = this.probeOf(entry)
      for (let n = probe.references.length - 1; n >= 0; n--) {
        const { kind, value, next } = this.referenceAt(this.referencesFrom(entry) + n)
        this.#heads.set(referenceKey(probe, kind, value), next)
      }
      for (const chain of ALL_CHAINS) {
        const key = keyOf(chain, probe, this.eventOf(entry))
        if (key !== null) this.#heads.set(key, this.nextOf(entry, chain))
      }
      this.pop()
    }
  }

  /**
   * Makes room of entries that no notification is compared with any more; only while nothing may be taken back.
   * @param now  Unix milliseconds
   */
  dropExpired(now: number): void {
    const half = Math.floor(this.size / 2)
    if (half < WORTH_DROPPING || now - this.arrivedOf(half) <= RETENTION_MS) return
    this.#heads = new ChainHeads()
    this.restart(half, (id, event, probe) => this.add(id, event, probe))
  }

  /**
   * Entries under the key that this notification has in that chain, newest first, of the last seven days. Keys are hashes:
   * the visitor compares.
   * @param visit  answers true to end the walk
   */
  walk(chain: Chain, probe: Probe, visit: (entry: number) => boolean | void): void {
    const key = keyOf(CHAIN[chain], probe, NONE)
    if (key === null) return
    let entry = this.#heads.get(key)
    for (let steps = 0; entry !== NONE && steps < MOST_WALKED; steps++) {
      if (this.#isRemembered(entry, probe) && visit(entry) === true) return
      entry = this.nextOf(entry, CHAIN[chain])
    }
  }

  /**
   * Entries that print a reference which this notification prints too, for an equal amount.
   * @param visit  is given the entry, and whether that reference names the movement
   */
  walkReferences(probe: Probe, visit: (entry: number, namesMovement: boolean) => void): void {
    for (const { kind, value, namesMovement = false } of probe.references) {
      let node = this.#heads.get(referenceKey(probe, kind, value))
      for (let steps = 0; node !== NONE && steps < MOST_WALKED; steps++) {
        const there = this.referenceAt(node)
        const isEqual = there.kind === kind && there.value[0] === value[0] && there.value[1] === value[1]
        if (isEqual && this.#isRemembered(there.entry, probe)) visit(there.entry, namesMovement)
        node = there.next
      }
    }
  }

  /** All notifications of one event, the newest first. */
  entriesOf(event: number, probe: Probe): number[] {
    const entries: number[] = []
    let entry = this.#heads.get(eventKey(event))
    for (let steps = 0; entry !== NONE && steps < MOST_WALKED; steps++) {
      if (this.eventOf(entry) === event && this.#isRemembered(entry, probe)) entries.push(entry)
      entry = this.nextOf(entry, CHAIN.event)
    }
    return entries
  }

  /** Whether an event is one of those that a notification is compared with. */
  holds(event: number, probe: Probe): boolean {
    return this.entriesOf(event, probe).length > 0
  }

  #isRemembered(entry: number, probe: Probe): boolean {
    return probe.arrived - this.arrivedOf(entry) <= RETENTION_MS
  }
}

// --- keys ----------------------------------------------------------------------------------------------------------

/** One number per chain, so that all chains share one table. */
const seed = (chain: number): number => mixed(0x2545f491, chain + 1)

const eventKey = (event: number): number => mixedFloat(seed(CHAIN.event), event)

const movementKey = (chain: number, { movement, amount }: Probe): number =>
  mixedFloat(mixed(seed(chain), movement), amount)

const referenceKey = (probe: Probe, kind: number, [one, other]: readonly [number, number]): number =>
  mixed(mixed(mixed(movementKey(REFERENCE_CHAIN, probe), kind), one), other)

const pairKey = (chain: number, probe: Probe, pair: readonly [number, number] | null): number | null =>
  pair && mixed(mixed(movementKey(chain, probe), pair[0]), pair[1])

const textKey = (chain: number, { source, text }: Probe): number =>
  mixed(mixed(mixed(seed(chain), source), text[0]), text[1])

/** A mail is known by its Message-ID, anything else by its stamp. */
const sendingKey = (chain: number, probe: Probe): number | null => {
  const { message, stamp } = probe
  if (message) return mixed(mixed(textKey(chain, probe), message[0]), message[1])
  return Number.isNaN(stamp) ? null : mixedFloat(textKey(chain, probe), stamp)
}

/** Null where the notification has nothing to be found by there. */
const keyOf = (chain: number, probe: Probe, event: number): number | null => {
  switch (chain) {
    case CHAIN.sending:
      return sendingKey(chain, probe)
    case CHAIN.text:
      return textKey(chain, probe)
    case CHAIN.balance:
      return Number.isNaN(probe.balance) ? null : mixedFloat(movementKey(chain, probe), probe.balance)
    case CHAIN.content:
      return pairKey(chain, probe, probe.content)
    case CHAIN.order:
      return pairKey(chain, probe, probe.order)
    case CHAIN.sourceAmount:
      return mixed(movementKey(chain, probe), probe.source)
    case CHAIN.sourceBalances:
      return Number.isNaN(probe.balance) ? null : mixed(seed(chain), probe.source)
    default:
      return eventKey(event)
  }
}
