// Tests: tests/integration/mail-ingest/kill-9.test.ts
/** `baoco collect`: reads bank mails from connected mailboxes. Any number of processes can share the mailboxes. */
import { openImap } from '../../adapters/mail/imap.ts'
import { openLeases } from '../../adapters/database/leases.ts'
import { openMailboxNotes } from '../../adapters/postgres/ops/mailbox-notes.ts'
import { activeMailboxes, listedMails } from '../../projections/mail-account/queries.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { pauseMailAccount } from '../../workflows/accounts/mail-accounts.ts'
import { runCollector } from '../../workflows/mail-ingest/collect.ts'
import { openSlots } from '../../workflows/mail-ingest/slots.ts'
import { databaseAnswers, diskHasSpace, storeAnswers } from '../process/health-checks.ts'
import { roleCommand, type Role } from '../process/role.ts'

/** Limits for all mailboxes together: concurrent handshakes, and mails in memory. */
const CONNECTING = 20
const FETCHING = 8
/** The most of these that the mailboxes of one owner can use at a time. */
const CONNECTING_SHARE = 4
const FETCHING_SHARE = 2
/** How long to wait until the last collected mails are in the read models. After that a mail may be listed twice. */
const SETTLING_MS = 5_000

export const collectRole: Role = {
  name: 'collect',
  description: 'collect bank mails from connected mailboxes; any number of processes',

  open: (installation) => {
    const { store, readModels, database, capture, clock, vault, targets, metrics, log, onFailure } = installation
    const accounts = new Accounts(store, installation.accounts)
    return {
      needs: [storeAnswers(installation), databaseAnswers(installation), diskHasSpace(installation)],
      run: (signal) =>
        runCollector(
          {
            server: openImap(targets),
            notes: openMailboxNotes(database),
            leases: openLeases(database),
            random: Math.random,
            mailboxes: () => activeMailboxes(database),
            listed: async (userId, hashes) => {
              const end = await store.end()
              if (end !== null) await readModels.passed(end, SETTLING_MS)
              return listedMails(database, userId, hashes)
            },
            open: (sealed) => vault.open(sealed),
            capture,
            clock,
            connecting: openSlots(CONNECTING, CONNECTING_SHARE),
            fetching: openSlots(FETCHING, FETCHING_SHARE),
            pause: (mailbox, reason) => pauseMailAccount({ accounts, clock }, mailbox, reason),
            onFailure,
            onSkipped: ({ user_id, mail_account_id }, uid, facts) =>
              log.warn({ user_id, mail_account_id, uid, ...facts }, 'mail.skipped'),
            onHeld: (mailboxes) => metrics.holdsMailboxes(mailboxes),
          },
          signal,
        ),
    }
  },
}

export const collect = roleCommand(collectRole)
