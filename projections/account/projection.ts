// Tests: tests/integration/http/accounts.test.ts
/** Accounts and their permissions, without keys, passwords and tokens. */
import { projection, insert, table, update, type Changes } from '../engine/definition.ts'
import type { RecordedEvent } from '../../domain/event.ts'

const accountTable = table(
  'account',
  {
    user_id: 'bigint',
    email: 'text',
    locked: 'boolean',
    operator: 'boolean',
    plan: 'text',
    plan_expires_at: 'timestamptz',
    /** The Vietnamese month of the last quota warning. */
    quota_warned: 'text',
    revision: 'integer',
  },
  { key: ['user_id'], indexes: ['(email)'] },
)

/** The row's revision is the revision of the account's newest event, whatever its type. */
const changed = (event: RecordedEvent<string, { user_id: number }>, changes: Changes = {}) =>
  update(accountTable, { user_id: event.data.user_id }, { ...changes, revision: event.revision })

export const account = projection(
  accountTable,
  { version: 3 },
  {
    AccountRegistered: ({ data: { user_id, email, operator }, revision }) =>
      insert(accountTable, {
        user_id,
        email,
        locked: false,
        operator,
        plan: 'Free',
        plan_expires_at: null,
        quota_warned: null,
        revision,
      }),
    PlanChanged: (event) => changed(event, { plan: event.data.plan, plan_expires_at: event.data.expires_at }),
    AccountLocked: (event) => changed(event, { locked: true }),
    AccountUnlocked: (event) => changed(event, { locked: false }),
    EmailVerified: (event) => changed(event),
    PasswordSet: (event) => changed(event),
    LanguageSet: (event) => changed(event),
    MailTokenIssued: (event) => changed(event),
    RegistrationRepeated: (event) => changed(event),
    RegistrationReplaced: (event) => changed(event),
    LoginsEnded: (event) => changed(event),
    SessionEnded: (event) => changed(event),
    ApiKeyRotated: (event) => changed(event),
    ApiKeyRevoked: (event) => changed(event),
    ScopedKeyAdded: (event) => changed(event),
    ScopedKeyRemoved: (event) => changed(event),
    ReceiveUrlRotated: (event) => changed(event),
    ReceiveUrlRevoked: (event) => changed(event),
    SystemAdded: (event) => changed(event),
    SystemChanged: (event) => changed(event),
    SystemRemoved: (event) => changed(event),
    RuleCreated: (event) => changed(event),
    RuleChanged: (event) => changed(event),
    RuleDeleted: (event) => changed(event),
    RulePaused: (event) => changed(event),
    RuleSecretRotated: (event) => changed(event),
    RuleSecretRotationFinished: (event) => changed(event),
    DeviceAdded: (event) => changed(event),
    DeviceInvited: (event) => changed(event),
    DevicePaired: (event) => changed(event),
    DeviceRenamed: (event) => changed(event),
    DeviceRemoved: (event) => changed(event),
    SmsAppTitlesTrusted: (event) => changed(event),
    MailAccountAdded: (event) => changed(event),
    MailAccountChanged: (event) => changed(event),
    MailAccountPaused: (event) => changed(event),
    MailAccountRemoved: (event) => changed(event),
    TrustedSendersSet: (event) => changed(event),
    AlertWebhookSet: (event) => changed(event),
    CounterOpened: (event) => changed(event),
    CounterClosed: (event) => changed(event),
    InboxOpened: (event) => changed(event),
    InboxChanged: (event) => changed(event),
    InboxClosed: (event) => changed(event),
    BankAccountSeen: (event) => changed(event),
    BankAccountConfirmed: (event) => changed(event),
    BankAccountsLearned: (event) => changed(event),
    BankAccountChanged: (event) => changed(event),
    QuotaWarned: (event) => changed(event, { quota_warned: event.data.month }),
  },
)
