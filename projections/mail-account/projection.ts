// Tests: tests/integration/http/mail-accounts.test.ts
/** Mailboxes to collect from, with everything that a connection needs, so that a collector finds its work with one query. */
import { insert, projection, remove, table, update } from '../engine/definition.ts'
import { givenOnly } from '../engine/given-only.ts'

const mailAccountTable = table(
  'mail_account',
  {
    mail_account_id: 'bigint',
    user_id: 'bigint',
    host: 'text',
    port: 'integer',
    tls: 'boolean',
    username: 'text',
    sealed_password: 'text',
    folder: 'text',
    is_active: 'smallint',
    /** Why it is not read although it is active. null: it is read. */
    paused: 'text',
    /** Mails that arrived before this time are not fetched. */
    since: 'timestamptz',
    /** Revision of the account's event that changed it last. Connections that were made before it are made again. */
    account_revision: 'integer',
  },
  { key: ['mail_account_id'], indexes: ['(user_id)'] },
)

export const mailAccount = projection(
  mailAccountTable,
  { version: 2 },
  {
    MailAccountAdded: ({ data, revision }) => {
      const { mail_account_id, user_id, host, port, tls, username, sealed_password, folder, is_active } = data
      return insert(mailAccountTable, {
        mail_account_id, user_id, host, port, tls, username, sealed_password, folder, is_active, paused: null,
        since: data.created_at, account_revision: revision,
      }) // prettier-ignore
    },
    MailAccountChanged: ({ data, revision }) => {
      const { mail_account_id, host, port, tls, username, sealed_password, folder, is_active, since } = data
      const changes = givenOnly({ host, port, tls, username, sealed_password, folder, is_active, since })
      return update(mailAccountTable, { mail_account_id }, { ...changes, paused: null, account_revision: revision })
    },
    MailAccountPaused: ({ data: { mail_account_id, reason }, revision }) =>
      update(mailAccountTable, { mail_account_id }, { paused: reason, account_revision: revision }),
    MailAccountRemoved: ({ data: { mail_account_id } }) => remove(mailAccountTable, { mail_account_id }),
  },
)
