/**
 * Fills the tables of lists like the projectors, but faster. A fifth of the rows belong to one user, the rest to many other users,
 * interleaved over a year. Indexes and counts are created after all rows. A sample of the search rows is compared with the rows that the
 * projector creates from the same transactions.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../adapters/database/database.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import { piecesOf } from '../../domain/search-pieces.ts'
import { statementsOf } from '../../projections/engine/definition.ts'
import { search } from '../../projections/search.ts'

/** Ids of rows and users from here on are not used by the store. */
const FIRST = 100_000_000
const CROWD = 2_000
const AT_ONCE = 250_000

/** One in `oneIn` of the user's transactions names this payer: a thousand in a million. */
export const RARE_PAYER = { name: 'QUACH THI TUYET MAI', oneIn: 1_000 }

/** A bank with rare debits: 47 in a million of all transactions. */
export const SELDOM_PAYING = { bank: 'TCB', oneIn: 21_003 }

/** An account with transactions only in the oldest fiftieth, and one that is used rarely. */
export const CLOSED_ACCOUNT = '0451000999999'
export const SPARE_ACCOUNT = { number: '0451000888888', oneIn: 20_011 }

const rowsSql = (user: number, rule: number, count: number, from: number, to: number): string => `
  INSERT INTO read_model.transaction (id, user_id, source_type, source, bank_code, bank_name, transaction_type, amount,
    currency, account_number, transaction_ref, transaction_date, counterpart_name, description, content, order_id, prefix,
    webhook_status, raw_data, balance_after, created_at, updated_at)
  SELECT ${FIRST} + n, CASE WHEN n % 5 = 0 THEN ${user} ELSE ${FIRST} + n / 5 % ${CROWD} END, source_type, 'url:' || bank,
    bank, bank, direction, amount, 'VND', account, reference, at, payer, description, content, order_id,
    CASE WHEN status <> 'no_match' THEN left(order_id, 2) END, status, jsonb_build_object('text', description)::text,
    amount * 7, at + interval '20 seconds', at + interval '21 seconds'
  FROM generate_series(${from}, ${to}) n,
    LATERAL (SELECT n / 5 AS k, now() - (${count} - n) * interval '1 year' / ${count} AS at) a,
    LATERAL (SELECT (ARRAY['VCB', 'MB', 'TCB'])[1 + k % 3] AS bank, 1000 * (10 + k % 4999) AS amount,
      CASE WHEN n <= ${count / 50} THEN '${CLOSED_ACCOUNT}' WHEN k % ${SPARE_ACCOUNT.oneIn} = 0 THEN '${SPARE_ACCOUNT.number}'
        ELSE (ARRAY['0011000415567', '8880123456', '19031234567'])[1 + k % 3] END AS account,
      CASE WHEN (k % 7 = 0 AND k % 3 < 2) OR k % ${SELDOM_PAYING.oneIn} = 2 THEN 'debit' ELSE 'credit' END AS direction,
      (ARRAY['sms', 'sms', 'notification', 'email'])[1 + k % 4] AS source_type,
      'FT26' || lpad((n::bigint * 7919 % 1000000007)::text, 10, '0') AS reference,
      CASE WHEN k % 23 = 0 THEN NULL ELSE 'DH' || n END AS order_id,
      CASE WHEN k % 23 = 0 THEN 'skipped' WHEN k % 101 = 0 THEN 'no_match' WHEN k % 211 = 0 THEN 'failed'
        ELSE 'success' END AS status,
      CASE WHEN k % ${RARE_PAYER.oneIn} = 0 THEN '${RARE_PAYER.name}' ELSE
        (ARRAY['NGUYEN VAN', 'TRAN THI', 'LE HOANG', 'PHAM MINH', 'VO NGOC'])[1 + k % 5] || ' ' ||
        (ARRAY['AN', 'BINH', 'CHAU', 'DUNG', 'GIANG', 'HANH', 'KHANH'])[1 + k % 7] END AS payer) b,
    LATERAL (SELECT coalesce(order_id || ' ', '') ||
      (ARRAY['chuyen tien', 'thanh toan don hang', 'Chuyển khoản mua hàng'])[1 + k % 3] AS content) c,
    LATERAL (SELECT 'SD TK ' || account || CASE direction WHEN 'debit' THEN ' -' ELSE ' +' END ||
      to_char(amount, 'FM999,999,999') || 'VND luc ' || to_char(at + interval '7 hours', 'DD-MM-YYYY HH24:MI:SS') ||
      '. SD ' || to_char(amount * 7, 'FM999,999,999') || 'VND. Ref ' || reference || '. ND: ' || payer || ' ' ||
      content AS description) d;

  INSERT INTO read_model.attempt (id, transaction_id, rule_id, user_id, attempt, webhook_url, http_status, response_body,
    outcome, error, sent_at, duration_ms, created_at)
  SELECT id, id, CASE WHEN user_id = ${user} THEN ${rule} ELSE user_id END, user_id, 1, 'https://shop.example/webhook',
    CASE webhook_status WHEN 'success' THEN 200 ELSE 404 END, '{"ok":true}',
    CASE webhook_status WHEN 'success' THEN 'delivered' ELSE 'exhausted' END,
    CASE webhook_status WHEN 'failed' THEN 'http_404' END, updated_at, 40, updated_at
  FROM read_model.transaction WHERE id BETWEEN ${FIRST + from} AND ${FIRST + to}
    AND webhook_status IN ('success', 'failed');`

const searchableSql = (user: number, rule: number): string => `
  INSERT INTO search_model.searchable
  SELECT user_id, id, created_at, bank_code, transaction_type, source_type, transaction_date, lower(description),
    pieces::smallint[], NULL, CASE WHEN webhook_status NOT IN ('success', 'failed') THEN ARRAY[]::bigint[]
      WHEN user_id = ${user} THEN ARRAY[${rule}::bigint] ELSE ARRAY[user_id] END
  FROM read_model.transaction JOIN unnest($1::bigint[], $2::text[]) AS found (id, pieces) USING (id)`

/** Inserts the search rows of a range of ids, both ends included. */
const fillSearchable = async (database: Database, user: number, rule: number, ids: [number, number]): Promise<void> => {
  const texts = await database.query<{ id: number; text: string }>(
    'SELECT id, lower(description) AS text FROM read_model.transaction WHERE id BETWEEN $1 AND $2',
    ids,
  )
  const values = [texts.map(({ id }) => id), texts.map(({ text }) => `{${piecesOf(text).join()}}`)]
  await database.query(searchableSql(user, rule), values)
}

interface Index {
  name: string
  definition: string
}

/** Indexes of whole tables, without primary keys. */
const INDEXES = `SELECT i.indexrelid::regclass::text AS name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') AS definition
  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid WHERE NOT i.indisprimary AND NOT t.relispartition AND i.indrelid IN
    ('read_model.transaction'::regclass, 'read_model.attempt'::regclass, 'search_model.searchable'::regclass)`

const triggers = (what: 'DISABLE' | 'ENABLE'): string =>
  ['transaction', 'attempt'].map((table) => `ALTER TABLE read_model.${table} ${what} TRIGGER USER`).join(';')

/** Sets the counts to the values that the triggers would have written, ordered by day. */
const COUNTS = `TRUNCATE read_model.transaction_total, read_model.attempt_count;
  INSERT INTO read_model.transaction_total SELECT user_id, (transaction_date AT TIME ZONE 'UTC' + interval '7 hours')::date,
    bank_code, transaction_type, source_type, webhook_status, coalesce(account_number, ''), coalesce(prefix, ''), count(*)
    FROM read_model.transaction GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 2;
  INSERT INTO read_model.transaction_total SELECT user_id, 'infinity', bank_code, transaction_type, source_type, webhook_status,
    account_number, prefix, sum(number) FROM read_model.transaction_total GROUP BY 1, 3, 4, 5, 6, 7, 8;
  INSERT INTO read_model.attempt_count SELECT user_id, rule_id, count(*) FROM read_model.attempt GROUP BY 1, 2`

/** Compares a sample of rows with the rows that the projector creates. @throws if they differ */
const compare = async (database: Database, count: number): Promise<void> => {
  const sample = `id BETWEEN ${FIRST + 1} AND ${FIRST + count} AND id % ${Math.max(1, Math.floor(count / 100))} = 1`
  const [transactions, found] = await Promise.all([
    database.query<Record<string, unknown>>(
      `SELECT t.*, s.rules FROM (SELECT * FROM read_model.transaction WHERE ${sample}) t
        JOIN search_model.searchable s ON s.user_id = t.user_id AND s.id = t.id ORDER BY t.id`,
    ),
    database.query<Record<string, unknown>>(`SELECT * FROM search_model.searchable WHERE ${sample} ORDER BY id`),
  ])
  const numbers = (row: Record<string, unknown>) => ({ ...row, rules: (row.rules as unknown[]).map(Number) })
  const made = transactions.map((row) => {
    const data = { ...numbers(row), transaction_id: row.id }
    const [statement] = statementsOf(search, { type: 'TransactionCaptured', data } as unknown as KnownEvent)
    return statement?.kind === 'insert' ? statement.row : null
  })
  if (made.length < 20 || !isDeepStrictEqual(made, found.map(numbers)))
    throw new Error('what was filled in is not what the projector writes')
}

/** @param tell  receives the progress */
export const fillLists = async (
  database: Database,
  { user, rule, count }: { user: number; rule: number; count: number },
  tell: (what: string) => void,
): Promise<void> => {
  const indexes = await database.query<Index>(INDEXES)
  for (const { name } of indexes) await database.query(`DROP INDEX ${name}`)
  await database.query(triggers('DISABLE'))
  for (let from = 1; from <= count; from += AT_ONCE) {
    const to = Math.min(count, from + AT_ONCE - 1)
    await database.query(rowsSql(user, rule, count, from, to))
    await fillSearchable(database, user, rule, [FIRST + from, FIRST + to])
    tell(`${to} rows`)
  }
  for (const { name, definition } of indexes) {
    await database.query(`SET maintenance_work_mem = '1GB'; ${definition}`)
    tell(`index ${name}`)
  }
  await database.query(COUNTS)
  await database.query(triggers('ENABLE'))
  await database.query('VACUUM (ANALYZE) read_model.transaction')
  await database.query('VACUUM (ANALYZE) read_model.attempt')
  await database.query('VACUUM (ANALYZE) search_model.searchable')
  await database.query('VACUUM (ANALYZE) read_model.transaction_total')
  await compare(database, count)
}
