/** Every reaction there is: a new one is a file in this folder and a line here. */
import type { Clock, EventStore, Ids, Mailer } from '../../domain/ports.ts'
import type { MailLinks } from '../accounts/mail-links.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { mailQuotaWarning } from './mail-quota-warning.ts'
import { pauseGoneRule } from './pause-gone-rule.ts'
import type { Reaction } from './reaction.ts'
import { seeBankAccounts } from './see-bank-account.ts'
import { sendAccountMails } from './send-account-mails.ts'

export interface ReactionParts {
  store: EventStore
  clock: Clock
  ids: Ids
  mailer: Mailer
  links: MailLinks
  /** The operator's address. */
  adminEmail: string
}

export const allReactions = (parts: ReactionParts): readonly Reaction[] => {
  const { store, clock, ids } = parts
  return [
    eraseDeleted(store),
    pauseGoneRule(store, clock),
    seeBankAccounts(store, clock, ids),
    sendAccountMails(parts),
    mailQuotaWarning(parts),
  ]
}
