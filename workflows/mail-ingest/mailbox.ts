/** What collecting asks of a mail server, of the database, and of the clockwork around it. */
import type { MailHeaders } from '../../domain/mail-trust/mail-trust.ts'

/** A mailbox and how to get at it. */
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
  /** Mails that came before are not asked for: ISO 8601. */
  since: string
  /** Goes up with every change of it. */
  account_revision: number
}

export interface Login extends Pick<Mailbox, 'host' | 'port' | 'tls' | 'username' | 'folder'> {
  password: string
}

export interface FetchedMail {
  uid: number
  /** When the server took it. */
  received_at: Date | null
  headers: MailHeaders
  /** As shown in its From, for reading and `raw_data`. */
  from: string
  to: string
  subject: string
  message_id: string | null
  /** Of its Date header. */
  date: Date | null
  /** Its HTML, or its plain text, whichever it has; the better one for reading first. */
  texts: readonly string[]
}

/** An open folder. */
export interface Connection {
  uid_validity: string
  /** The first of the UIDs after this one, rising; none where there are none at all. */
  uidsAfter(uid: number): Promise<number[]>
  /** The UID before that of the first mail since a day. */
  lastUidBefore(day: Date): Promise<number>
  /**
   * Those that are still there, rising by UID.
   * @param keep  makes of each what is kept of it, so that only one whole mail is in memory at a time
   */
  fetch<Kept>(uids: readonly number[], keep: (mail: FetchedMail) => Kept): Promise<Kept[]>
  /** True where it has been open or busy long enough to be made anew. */
  readonly isUsedUp: boolean
  /** Resolves when there may be something new, or the signal aborts. @throws when the connection is lost */
  news(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface MailServer {
  /** @throws {MailFailure} in words for the mailbox's owner */
  connect(login: Login, signal: AbortSignal): Promise<Connection>
}

/** Why a mailbox cannot be read, in one sentence for its owner. */
export class MailFailure extends Error {
  override name = 'MailFailure'
  /** Trying again soon would only get the account locked. */
  readonly isRefusal: boolean
  /** The server broke a limit that no honest one breaks. */
  readonly isViolation: boolean
  /** It took too long: fewer mails at a time may do. */
  readonly isSlow: boolean
  constructor(message: string, { isRefusal = false, isViolation = false, isSlow = false } = {}) {
    super(message)
    this.isRefusal = isRefusal
    this.isViolation = isViolation
    this.isSlow = isSlow
  }
}

/** How far a mailbox was collected. */
export interface MailboxPlace {
  uid_validity: string
  uid: number
}

export interface MailboxNotes {
  /** null where nothing is known, or what is known is of another mailbox. */
  place(mailbox: Mailbox): Promise<MailboxPlace | null>
  keepPlace(mailbox: Mailbox, place: MailboxPlace, lastMessageAt: Date | null): Promise<void>
  /** null: nothing is wrong. */
  tell(mailbox: Mailbox, error: string | null): Promise<void>
}
