// Tests: tests/integration/http/accounts.test.ts
/** Accounts and their permissions, without keys, passwords and tokens. */
import { projection, insert, table, update, type Changes } from '../engine/definition.ts'
import { accountEvents } from '../../domain/account/events.ts'
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

type AccountsEvent = RecordedEvent<string, { user_id: number }>

/** The row's revision is the revision of the account's newest event, whatever its type. */
const changed = (event: AccountsEvent, changes: Changes = {}) =>
  update(accountTable, { user_id: event.data.user_id }, { ...changes, revision: event.revision })

/** `projection` adds the removal of a deleted account. */
const { AccountDeleted: _, ...lasting } = accountEvents

export const account = projection(
  accountTable,
  { version: 3 },
  {
    ...Object.fromEntries(Object.keys(lasting).map((type) => [type, (event: AccountsEvent) => changed(event)])),
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
    QuotaWarned: (event) => changed(event, { quota_warned: event.data.month }),
  },
)
