// Tests: tests/integration/http/shop-plugins.test.ts
/** Connected systems as their owner lists them. The payment prefixes of the transaction list are read from here. */
import { insert, projection, remove, table, update } from '../engine/definition.ts'
import { givenOnly } from '../engine/given-only.ts'

const systemTable = table(
  'system',
  {
    system_id: 'bigint',
    user_id: 'bigint',
    name: 'text',
    type: 'text',
    payment_prefix: 'text',
    is_active: 'smallint',
    created_at: 'timestamptz',
  },
  { key: ['system_id'], indexes: ['(user_id, system_id)'] },
)

export const system = projection(
  systemTable,
  { version: 1 },
  {
    SystemAdded: ({ data: { system_id, user_id, name, type, payment_prefix, is_active, created_at } }) =>
      insert(systemTable, { system_id, user_id, name, type, payment_prefix, is_active, created_at }),
    SystemChanged: ({ data: { system_id, name, type, payment_prefix, is_active } }) =>
      update(systemTable, { system_id }, givenOnly({ name, type, payment_prefix, is_active })),
    SystemRemoved: ({ data: { system_id } }) => remove(systemTable, { system_id }),
  },
)
