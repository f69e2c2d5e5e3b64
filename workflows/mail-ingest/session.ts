// Tests: tests/integration/mail-ingest/collect.test.ts
/** The state of the collection of one mailbox. */
import type { Clock } from '../../domain/ports.ts'
import type { Capture } from '../capture/capture.ts'
import type { Connection, Mailbox, MailboxNotes, MailboxPosition, MailFacts, MailServer } from './mailbox.ts'
import type { RefusedMails } from './refused-mails.ts'
import type { Slots } from './slots.ts'
import type { Violations } from './violations.ts'

export interface CollectParts {
  server: MailServer
  notes: MailboxNotes
  capture: Pick<Capture, 'take'>
  clock: Clock
  /**
   * For these mails, by hash: the reasons for which each is listed as no transaction. Current, if that can be known
   * quickly.
   */
  listed: (userId: number, hashes: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns the plain password. */
  open: (sealed: string) => string
  /** Limits concurrent connection attempts of all mailboxes. */
  connecting: Slots
  /** Limits concurrent fetches of all mailboxes. */
  fetching: Slots
  /** Stops reading the mailbox until its owner changes it. The reason is a plain sentence. */
  pause: (mailbox: Mailbox, reason: string) => Promise<void>
  onFailure: (error: unknown) => void
  /** Called for each mail that was given up, after that is stored. */
  onSkipped?: (mailbox: Mailbox, uid: number, facts: MailFacts | null) => void
  /** Factor for the pauses before a mail or a server is tried again. Only tests use a value other than 1. */
  patience?: number
}

/** The memory about a server between connections. */
export interface Experience {
  /** Mails per fetch. */
  chunk: number
  violations: Violations
  refused: RefusedMails
  /** Every mail up to here was taken or refused. Null: nothing was read yet. */
  reached: MailboxPosition | null
  /** The mails that the server returned last, in that order. One may be deleted meanwhile. */
  handedOut: number[]
  /** The last of them was not returned again when it was last tried. */
  isDoubted: boolean
  /** The UIDVALIDITY of the folder whose end was reached. Mails that came after that are new. Null: none yet. */
  endReachedOf: string | null
}

/** One connection to a mailbox. */
export interface Session {
  parts: CollectParts
  mailbox: Mailbox
  connection: Connection
  experience: Experience
  signal: AbortSignal
  /** Older mails are left out. */
  notBefore: Date
  /** Whether no mail that comes now can have been taken before. */
  isNew: boolean
}
