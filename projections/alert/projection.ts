// Tests: tests/integration/http/alerts.test.ts
/** Alerts as their owner lists them. */
import { insert, projection, table, update } from '../engine/definition.ts'

const alertTable = table(
  'alert',
  {
    id: 'bigint',
    user_id: 'bigint',
    kind: 'text',
    subject: 'text',
    text: 'text',
    since: 'timestamptz',
    until: 'timestamptz',
  },
  {
    key: ['id'],
    indexes: ['(user_id, since DESC, id DESC)'],
    // Find alerts that last, however many have ended: of all users, and of one.
    addedIndexes: ['(kind, user_id) WHERE until IS NULL', '(user_id, until)'],
  },
)

export const alert = projection(
  alertTable,
  { version: 1 },
  {
    AlertRaised: ({ data: { alert_id, user_id, kind, subject, text, since, ends_at } }) =>
      insert(alertTable, { id: alert_id, user_id, kind, subject, text, since, until: ends_at }),
    AlertEnded: ({ data: { alert_id, until } }) => update(alertTable, { id: alert_id }, { until }),
  },
)
