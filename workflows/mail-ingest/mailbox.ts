// Tests: tests/integration/mail-ingest/collect.test.ts
/** The ports of collecting: to the mail server and to the database. */
import type { MailHeaders } from '../../domain/mail-trust/mail-trust.ts'

/** A mailbox and its connection data. */
export interface Mailbox {
  mail_account_id: number
  user_id: number
  host: string
  port: number
  /** False: STARTTLS. */
  tls: boolean
  username: string
  sealed_password: string
  folder: string
  /** Mails that arrived before this time are not fetched: ISO 8601. */
  since: string
  /** Rises with every change of the mailbox. */
  account_revision: number
}

export interface Login extends Pick<Mailbox, 'host' | 'port' | 'tls' | 'username' | 'folder'> {
  password: string
}

export interface FetchedMail {
  uid: number
  /** When the server received it. */
  received_at: Date | null
  headers: MailHeaders
  /** As shown in its From header, for reading and `raw_data`. */
  from: string
  to: string
  subject: string
  message_id: string | null
  /** From its Date header. */
  date: Date | null
  /** Its HTML, its plain text, or both. The one that is better for reading comes first. */
  texts: readonly string[]
}

export interface MailFacts {
  /** When the server received it. */
  received_at: Date | null
  bytes: number | null
}

/** An open folder. */
export interface Connection {
  uid_validity: string
  /** The first UIDs after this one, in ascending order. Empty only if there are none at all. */
  uidsAfter(uid: number): Promise<number[]>
  /** The UID before the first mail since the given day. */
  lastUidBefore(day: Date): Promise<number>
  /**
   * Fetches those that still exist, in ascending order of UID.
   * @param keep  returns what to keep of each mail, so that only one whole mail is in memory at a time
   * @throws {MailFailure} also if the server does not return one of them
   */
  fetch<Kept>(uids: readonly number[], keep: (mail: FetchedMail) => Kept): Promise<Kept[]>
  /** The facts that the server states about a mail beside its content; null if it states none. */
  factsOf(uid: number): Promise<MailFacts | null>
  /** True if the connection has been open or busy for so long that it should be replaced. */
  readonly isUsedUp: boolean
  /** Resolves when there may be something new, or the signal aborts. @throws when the connection is lost */
  newMails(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface MailServer {
  /** @throws {MailFailure} in words for the owner of the mailbox */
  connect(login: Login, signal: AbortSignal): Promise<Connection>
}

/** Why a mailbox cannot be read, in one sentence for its owner. */
export class MailFailure extends Error {
  override name = 'MailFailure'
  /** Another attempt soon would only get the account locked. */
  readonly isRefusal: boolean
  /** The server exceeded a limit that no honest server exceeds. */
  readonly isViolation: boolean
  /** The server took too long. Fewer mails at a time may help. */
  readonly isSlow: boolean
  constructor(message: string, { isRefusal = false, isViolation = false, isSlow = false } = {}) {
    super(message)
    this.isRefusal = isRefusal
    this.isViolation = isViolation
    this.isSlow = isSlow
  }
}

/** How far a mailbox was collected. */
export interface MailboxPosition {
  uid_validity: string
  uid: number
}

export interface MailboxNotes {
  /** null if nothing is known, or if what is known belongs to another mailbox. */
  position(mailbox: Mailbox): Promise<MailboxPosition | null>
  keepPosition(mailbox: Mailbox, position: MailboxPosition, lastMessageAt: Date | null): Promise<void>
  /** null: there is no error. */
  report(mailbox: Mailbox, error: string | null): Promise<void>
}
