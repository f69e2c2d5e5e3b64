// Tests: tests/integration/http/languages.test.ts
/** Every text of mails and alerts. Each language has all of them. Names, numbers and addresses in them come from the caller. */
import type { Plan } from '../../domain/account/events.ts'
import type { AlertKind } from '../../domain/alert/events.ts'
import type { Unsafe } from '../../domain/arrival/events.ts'

export interface Letter {
  subject: string
  text: string
}

export interface Texts {
  letters: {
    verify_email(url: string): Letter
    reset_password(url: string): Letter
    /** @param forgot  address of the page for a forgotten password */
    confirmAgain(url: string, forgot: string): Letter
    registeredAlready(login: string, forgot: string): Letter
    /** To the operator. */
    quota(used: {
      email: string
      user_id: number
      plan: Plan
      month: string
      transactions: number
      limit: number
    }): Letter
    /** To the operator: nothing is accepted, or read models and deliveries wait. */
    diskFull: { refusing: Letter; waiting: Letter }
    alert: {
      subjects: Record<AlertKind, string>
      link(url: string): string
      /** @param end  how its owner learns that it is over; null if it needs no end */
      since(at: string, end: 'mail' | 'today' | null): string
      ended(endpoint: string, until: string): Letter
    }
  }
  alerts: {
    /** @param name  of the rule, as its owner knows it */
    rulePaused(rule: number, name: string): string
    /** @param address  of the mailbox · @param reason  as `adapters/mail/failure.ts` writes it, in English */
    mailboxPaused(address: string, reason: string): string
    /** @param reason  as `adapters/mail/failure.ts` writes it, in English */
    mailboxFailing(username: string, host: string, reason: string): string
    /** @param address  of the mailbox */
    mailSkipped(notification: number, address: string, facts: string): string
    /** @param share  percent · @param leastMb  below this, nothing new is accepted */
    diskLow(freeMb: number, share: number, leastMb: number): string
    /** @param server  its name · @param place  of the disk, as the server names it · @param share  percent */
    serverDiskLow(server: string, place: string | null, freeMb: number, share: number): string
    /** @param stream  its name · @param reason  why its event cannot be used: one word of Baoco's own */
    streamParked(stream: string, reason: string): string
    /** @param seconds  by which its clock differs from the database's */
    clockDiffers(machine: string, seconds: number, isAhead: boolean): string
    bankAccountSeen(bank: string, ending: string, waits: boolean): string
    quota(transactions: number, limit: number, month: string): string
    /** @param name  of the rule, as its owner knows it */
    ruleRefused(rule: number, name: string, calls: number, status: number): string
    /** @param last  status of the last answer, or why there was none; null: not of interest */
    endpointFailing(endpoint: string, failures: number, last: number | string | null): string
    sourceSilent(source: string, minutes: number): string
    sources: {
      device(name: string): string
      key(name: string): string
      mailbox(email: string): string
      url: string
    }
    unsafe(notification: number, why: Unsafe): string
    contradicting(first: number, second: number, counts: string, other: string): string
    cameBack(first: number, second: number, order: string): string
    old(transaction: number): string
    /** @param listed  ids and ranges · @param isCut  whether there are more */
    storeWentBack(missing: number, listed: string, isCut: boolean): string
  }
}
