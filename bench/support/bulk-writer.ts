/**
 * Writes the events of many payments into an embedded event store at once. One real payment is the pattern: its ids, times, order and bank
 * reference are replaced, and everything else stays as the service wrote it.
 */
import type { Database } from '../../adapters/database/database.ts'

/** Transactions of the bulk writer have ids from here on, which the service does not reach. */
export const FIRST = 100_000_000
const AT_ONCE = 100_000
/** Older entries of deduplication windows would have expired. */
const WINDOW = `interval '7 days'`

interface PatternEvent {
  stream: string
  type: string
  data: string
  metadata: string
}

export interface Pattern {
  events: readonly PatternEvent[]
  /** Occur in the events' texts. */
  order: string
  reference: string
}

/** An owner of payments and the rule that calls the shop. */
export interface Owner {
  user: number
  rule: number
}

const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** SQL of the numbers of a payment, by the name of their field. */
const NUMBERS: Record<string, string> = {
  transaction_id: 'n.id',
  attempt_id: 'n.id',
  user_id: 'n.user_id',
  rule_id: 'n.rule_id',
}

/** @returns SQL for a value of the pattern that differs between payments; otherwise null */
const replaced = (key: string, value: unknown): string | null => {
  if (typeof value === 'number') return NUMBERS[key] ?? null
  if (typeof value !== 'string') return null
  if (ISO.test(value)) return `'"' || n.iso || '"'`
  return UUID.test(value) ? `'"' || md5(n.id || 'uuid')::uuid || '"'` : null
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A JSON text as an SQL expression. */
const expressionOf = (json: string, pattern: Pattern): string => {
  const columns: string[] = []
  const marked = JSON.stringify(JSON.parse(json), (key, value: unknown) => {
    const mark = (column: string): string => `\u0001${columns.push(column) - 1}\u0001`
    if (key === 'rules' && Array.isArray(value)) return value.map(() => mark('n.rule_id'))
    const column = replaced(key, value)
    return column === null ? value : mark(column)
  })
  const parts = marked.split(/"\\u0001(\d+)\\u0001"/)
  const texts = parts.map((part, n) => {
    if (n % 2 === 1) return columns[Number(part)]!
    const pieces = part.split(new RegExp(`(${pattern.order}|${pattern.reference})`))
    return pieces
      .map((piece) =>
        piece === pattern.order ? `'DH' || n.id` : piece === pattern.reference ? `'99' || n.id` : quoted(piece),
      )
      .join(' || ')
  })
  return texts.join(' || ')
}

/** One kind of stream that the bulk writer fills: its name and revisions as SQL, and its events for one payment. */
interface Streams {
  name: string
  revision: string
  events: readonly PatternEvent[]
  /** Which payments have them. */
  where: string
}

const insertSql = ({ name, revision, events, where }: Streams, pattern: Pattern): string => {
  const rows = events.map(
    ({ type, data, metadata }, index) =>
      `(${index}, ${name}, ${quoted(type)}, ${expressionOf(data, pattern)}, ${expressionOf(metadata, pattern)})`,
  )
  return `
  WITH n AS (
    SELECT ${FIRST} + g.n AS id, o.user_id, o.rule_id, at, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS iso
    FROM generate_series($1::bigint, $2::bigint) AS g (n)
      JOIN unnest($4::bigint[], $5::bigint[]) WITH ORDINALITY AS o (user_id, rule_id, place)
        ON o.place = g.n % cardinality($4::bigint[]) + 1,
      LATERAL (SELECT now() - ($3::bigint - g.n) * interval '2 years' / $3::bigint AS at) a),
  placed AS (
    SELECT row_number() OVER (ORDER BY n.id, e.place) AS position, n.at, md5(n.id || e.type)::uuid AS id, e.stream,
      ${revision} AS revision, e.type, e.data, e.metadata
    FROM n, LATERAL (VALUES ${rows.join(', ')}) AS e (place, stream, type, data, metadata)
    WHERE ${where})
  INSERT INTO store.event (position, created_at, id, revision, stream, type, data, metadata)
    SELECT store.newest() + position, at, id, revision, stream, type, data, metadata FROM placed ORDER BY position`
}

/**
 * Writes payments of two years, each with its call, in turn for each owner.
 * @param tell  receives the progress
 */
export const writePayments = async (
  database: Database,
  { pattern, owners, count }: { pattern: Pattern; owners: readonly Owner[]; count: number },
  tell: (what: string) => void,
): Promise<void> => {
  const of = (prefix: string) => pattern.events.filter(({ stream }) => stream.startsWith(prefix))
  const bank = of('book-')[0]!.stream.split('-').at(-1)!
  const all: Streams[] = [
    { name: `'transaction-' || n.id`, revision: 'e.place', events: of('transaction-'), where: 'true' },
    {
      name: `'book-' || n.user_id || '-${bank}'`,
      revision: 'store.revision_of(e.stream) + row_number() OVER (PARTITION BY e.stream ORDER BY n.id)',
      events: of('book-'),
      where: `n.at > now() - ${WINDOW}`,
    },
  ]
  const [users, rules] = [owners.map(({ user }) => user), owners.map(({ rule }) => rule)]
  for (let from = 0; from < count; from += AT_ONCE) {
    const to = Math.min(count, from + AT_ONCE) - 1
    for (const streams of all) await database.query(insertSql(streams, pattern), [from, to, count, users, rules])
    tell(`${to + 1} payments`)
  }
  await database.query('VACUUM (ANALYZE) store.event')
}
