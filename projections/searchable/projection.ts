/**
 * The data that a search reads for a transaction: its texts, in the form that `search` looks for, and the rules for
 * which it has a delivery. It also has the fields that filter a list (interface, section 4.2) and never change, so that
 * most searches read nothing else. An index of trigrams finds the rows of a part of a word, and an index of longer
 * pieces finds them if each trigram is frequent.
 *
 * All rows of a user lie in one partition, so that a user with few transactions does not pay for another user's
 * million.
 */
import { sourceTypeOf } from '../../domain/arrival/source-type.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import { piecesOf } from '../../domain/search-pieces.ts'
import { foldedForSearch } from '../../domain/text.ts'
import { whenErased } from '../transaction/erased.ts'
import { insert, perform, projection, remove, table, type Operation } from '../engine/definition.ts'

/** Separates texts. `foldedForSearch` never leaves this character in them. */
const SEPARATOR = '\uffff'

const searchableTable = table(
  'searchable',
  {
    user_id: 'bigint',
    id: 'bigint',
    created_at: 'timestamptz',
    bank_code: 'text',
    transaction_type: 'text',
    source_type: 'text',
    transaction_date: 'timestamptz',
    /** Description and bank reference, folded. */
    text: 'text',
    /** The pieces of the text. */
    pieces: 'smallint[]',
    /** Folded; null if the text contains it. */
    order_id: 'text',
    rules: 'bigint[]',
  },
  {
    key: ['user_id', 'id'],
    parts: { by: 'user_id', number: 8 },
    indexes: [
      '(user_id, created_at DESC, id DESC)',
      // Some hundreds of new rows wait to be sorted into the index. A search reads all of them, which takes a
      // millisecond.
      'USING gin (text gin_trgm_ops, order_id gin_trgm_ops, rules, pieces) WITH (gin_pending_list_limit = 1024)',
    ],
  },
)

/** A better copy, or a manual retry that matched again, changes the order id and adds rules. */
const rematch: Operation = {
  name: 'rematch_searchable',
  values: { user_id: 'bigint', id: 'bigint', order_id: 'text', rules: 'text' },
  sql: (schema) => `UPDATE ${schema}.searchable AS t SET order_id = v.order_id,
      rules = ARRAY(SELECT DISTINCT rule FROM unnest(t.rules || v.rules::bigint[]) AS rule ORDER BY rule)
    FROM v WHERE t.user_id = v.user_id AND t.id = v.id`,
  acrossStreams: false,
}

const foldedOrNull = (text: string | null): string | null => (text === null ? null : foldedForSearch(text))

const inOrder = (rules: readonly number[]): number[] => [...new Set(rules)].sort((a, b) => a - b)

const rematched = ({ data, metadata: { user_id } }: KnownEvent<'TransactionCompleted' | 'WebhookRetryRequested'>) => {
  const { transaction_id: id, order_id, rules } = data
  return perform(rematch, [{ user_id, id, order_id: foldedOrNull(order_id), rules: `{${rules.join()}}` }])
}

export const searchable = projection(
  searchableTable,
  { version: 3, operations: [rematch], goesWithStreams: true },
  {
    TransactionCaptured: ({ data }) => {
      const { transaction_id: id, user_id, created_at, bank_code, transaction_type, transaction_date } = data
      const description = foldedForSearch(data.description)
      const reference = foldedOrNull(data.transaction_ref)
      const text =
        reference === null || description.includes(reference) ? description : description + SEPARATOR + reference
      const order_id = foldedOrNull(data.order_id)
      return insert(searchableTable, {
        user_id, id, created_at, bank_code, transaction_type, source_type: sourceTypeOf(data), transaction_date, text,
        pieces: piecesOf(text),
        order_id: order_id !== null && text.includes(order_id) ? null : order_id, rules: inOrder(data.rules),
      }) // prettier-ignore
    },
    TransactionCompleted: rematched,
    WebhookRetryRequested: rematched,
    ...whenErased((id, user_id) => remove(searchableTable, { user_id, id })),
  },
)
