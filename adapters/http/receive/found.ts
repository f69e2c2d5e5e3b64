// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
import type { Incoming } from '../../../domain/reader/reading.ts'

/** The parts of a notification that were found in a posted value. */
export interface Found {
  incoming: Incoming
  stamp: Date | null
  /** Whether text, sender, package or title is given under two names and neither value contains the other. */
  hasTwoNames: boolean
  /** Whether no text was found, under any name. */
  hasNoText?: boolean
}
