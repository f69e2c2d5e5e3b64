/** Runs collecting processes beside an API. Each has its own database pool, event store and caches. */
import { openIds } from '../../../adapters/system/ids.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openImap } from '../../../adapters/mail/imap.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { openLeases } from '../../../adapters/database/leases.ts'
import { openMailboxNotes } from '../../../adapters/postgres/ops/mailbox-notes.ts'
import { activeMailboxes, listedMails } from '../../../projections/mail-account/queries.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import { Accounts } from '../../../workflows/accounts/accounts.ts'
import { pauseMailAccount } from '../../../workflows/accounts/mail-accounts.ts'
import { openCapture } from '../../../workflows/capture/capture.ts'
import { runCollector } from '../../../workflows/mail-ingest/collect.ts'
import { openSlots } from '../../../workflows/mail-ingest/slots.ts'
import { AUTHSERV_ID } from '../../harness/bank-mails.ts'
import type { Dovecot } from '../../harness/dovecot/server.ts'
import { PASSWORD } from '../../harness/dovecot/server.ts'
import type { ApiUnderTest } from '../http/api-under-test.ts'

export interface CollectorProcess {
  /** The number of mailboxes that it holds. */
  held: () => number
  taken: () => number
  stop(): Promise<void>
}

/** @param patience  factor for the pauses before a refused mail, or a server that failed, is tried again */
export const startCollector = async (
  { databaseUrl, clock }: ApiUnderTest,
  patience = 1,
  onSkipped?: (uid: number) => void,
): Promise<CollectorProcess> => {
  const database = openDatabase(databaseUrl, { poolSize: 5 })
  const store = await openPostgresEventStore({ url: databaseUrl, parse: parseEvent })
  const vault = openVault(['ab'.repeat(32)])
  const stopping = new AbortController()
  let held = 0
  let taken = 0
  const capture = openCapture({ store, ids: openIds({ store, clock }), clock, plans: null, onTaken: () => taken++ })
  const running = runCollector(
    {
      server: openImap({ allowPrivate: true }),
      notes: openMailboxNotes(database),
      leases: openLeases(database),
      random: Math.random,
      mailboxes: () => activeMailboxes(database),
      listed: (userId, hashes) => listedMails(database, userId, hashes),
      open: (sealed) => vault.open(sealed),
      capture,
      clock,
      connecting: openSlots(20),
      fetching: openSlots(8),
      pause: (mailbox, reason) => pauseMailAccount({ accounts: new Accounts(store), clock }, mailbox, reason),
      onFailure: () => {},
      onSkipped: (_, uid) => onSkipped?.(uid),
      patience,
      onHeld: (mailboxes) => (held = mailboxes),
    },
    stopping.signal,
  )
  return {
    held: () => held,
    taken: () => taken,
    stop: async () => {
      stopping.abort()
      await running
      await store.close()
      await database.close()
    },
  }
}

/** A mail account in the form that the API accepts. */
export const mailAccountOf = ({ port }: Dovecot, user = 'shop', more: object = {}): object => ({
  email: `${user}@mailbox.example`,
  host: '127.0.0.1',
  port,
  tls: false,
  username: user,
  password: PASSWORD,
  authserv_id: AUTHSERV_ID,
  ...more,
})
