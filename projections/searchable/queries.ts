// Tests: tests/integration/http/search.test.ts
/**
 * Lists that are searched, or filtered by a rule. They are read from `searchable`, which the projector `search`
 * maintains (`projections/searchable/projection.ts`), and joined with the transactions. So deleted transactions
 * disappear at once, and the shown data is current.
 *
 * The planner knows roughly how frequent a text is. It finds a rare text by its trigrams, and scans all rows of the
 * user for a text that most of them have. Up to a thousand hits are found once, and that is enough. A text whose
 * trigrams are all frequent is found by its pieces (`domain/search-pieces.ts`). More hits are counted. A page is then
 * sorted out of all hits or, if there are very many, found by reading the newest rows until it is full.
 *
 * While the projector is behind, transactions captured since then are scanned one by one. If there are too many for
 * that, the search is refused for a while. So it is never wrong, and never keeps the database busy for long.
 */
import { Refused } from '../../domain/errors.ts'
import { piecesOf } from '../../domain/search-pieces.ts'
import { foldedForSearch } from '../../domain/text.ts'
import type { Queryable } from '../engine/queryable.ts'
import type { Behind, SearchProgress } from './progress.ts'
import { pageSql, type PageOf } from '../engine/page-sql.ts'
import {
  CONDITIONS,
  filtersIn,
  TRANSACTIONS_A_PAGE,
  type FilterName,
  type TransactionFilter,
} from '../transaction/filter.ts'

/** Up to this many hits are looked up once for both page and total. */
const FEW = 1_000
/** Up to this many hits are sorted quickly. */
const SOME = 25_000
/** Up to this many transactions are scanned quickly. */
const MOST_BEHIND = 20_000

export interface Search {
  /** @param columns  columns of a transaction */
  list<Row extends object>(
    columns: string,
    userId: number,
    filter: TransactionFilter,
    of: PageOf,
  ): Promise<{ rows: Row[]; total: number }>
}

/** Whether the list needs the search. */
export const isSearch = ({ search, rule_id }: TransactionFilter): boolean =>
  search !== undefined || rule_id !== undefined

/** `order_id` holds only order ids that the text does not contain, and these are few. */
const hasText = (pattern: string, pieces: string | null) =>
  `(text LIKE ${pattern}${pieces === null ? '' : ` AND pieces @> ${pieces}::smallint[]`} OR order_id LIKE ${pattern})`

/** Filters that `searchable` can answer besides its texts. All others are read from the transaction. */
const SEARCHED: { [Name in FilterName]?: (parameter: string) => string } = {
  rule_id: (value) => `rules @> ARRAY[${value}::bigint]`,
  bank_code: CONDITIONS.bank_code,
  type: CONDITIONS.type,
  source_type: CONDITIONS.source_type,
  date_from: CONDITIONS.date_from,
  date_to: CONDITIONS.date_to,
}

/** Escapes the pattern, so that every character stands for itself. */
const patternOf = (folded: string): string => `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Collects the values of a statement and returns the placeholder of each. */
const parameters = (...first: unknown[]) => {
  const values = [...first]
  return { values, add: (value: unknown): string => `$${values.push(value)}` }
}

/**
 * A condition on a transaction that is looked up by its id, in a form that no index can answer. Otherwise, with old
 * statistics, as in the minute after a burst, the planner would scan all of the user's transactions for each hit.
 */
const IS_OWN = 'user_id IS NOT DISTINCT FROM $1'

export const openSearch = (database: Queryable, progress: SearchProgress): Search => {
  const check = async (userId: number, { since }: Behind): Promise<void> => {
    const [row] = await database.query<{ number: number }>(
      `SELECT count(*) AS number FROM (SELECT FROM read_model.transaction
        WHERE user_id = $1 AND created_at >= coalesce($2::timestamptz, '-infinity') LIMIT ${MOST_BEHIND + 1}) AS newest`,
      [userId, since],
    )
    if (row!.number > MOST_BEHIND)
      throw new Refused('STORE_UNAVAILABLE', 'The search index is being built. Try again later.')
  }

  return {
    list: async <Row extends object>(columns: string, userId: number, filter: TransactionFilter, of: PageOf) => {
      const behind = await progress.behind()
      if (behind) await check(userId, behind)
      const statement = statementsOf(userId, filter, behind)
      const few = statement.few()
      const found = await database.query<{ id: number }>(few.text, few.values)
      if (found.length === 0) return { rows: [], total: 0 }
      if (found.length <= FEW) {
        const ids = found.map(({ id }) => id)
        const { sql, more } = pageSql(of, 2, TRANSACTIONS_A_PAGE)
        const rows = await database.query<Row>(
          `SELECT ${columns} FROM read_model.transaction WHERE user_id = $1 AND id = ANY ($2::bigint[]) ${sql}`,
          [userId, ids, ...more],
        )
        return { rows, total: ids.length }
      }
      const all = statement.count()
      const [counted] = await database.query<{ total: number }>(all.text, all.values)
      const { total } = counted!
      const page = statement.page(columns, of, total > SOME ? 'very many' : 'many')
      return { rows: await database.query<Row>(page.text, page.values), total }
    },
  }
}

const statementsOf = (userId: number, filter: TransactionFilter, behind: Behind | null) => {
  const used = filtersIn(filter)
  const inSearch = used.filter((name) => name === 'search' || SEARCHED[name])
  const ofTransaction = used.filter((name) => !inSearch.includes(name))

  const begin = ({ byPieces = false, own = IS_OWN } = {}) => {
    const { values, add } = parameters(userId)
    const text = foldedForSearch(filter.search ?? '')
    const pieces = byPieces ? piecesOf(text) : []
    const searched = inSearch.map((name) => {
      if (name !== 'search') return SEARCHED[name]!(add(filter[name]))
      const pattern = add(patternOf(text))
      return hasText(pattern, pieces.length > 0 ? add(pieces) : null)
    })
    const hits = `SELECT id AS hit_id, created_at AS hit_at FROM search_model.searchable
      WHERE ${['user_id = $1', ...searched].join(' AND ')}`
    const missed = () => `SELECT id, created_at FROM read_model.transaction t
      WHERE user_id = $1 AND created_at >= coalesce(${add(behind!.since)}::timestamptz, '-infinity')
        AND ${inSearch.map((name) => CONDITIONS[name](add(filter[name]))).join(' AND ')}
        AND NOT EXISTS (SELECT FROM search_model.searchable known WHERE known.user_id = $1 AND known.id = t.id)`
    // Needed only for filters on the transaction itself. Otherwise the hits contain everything.
    const join = () =>
      `JOIN read_model.transaction ON id = hit_id AND ${[
        own,
        ...ofTransaction.map((name) => CONDITIONS[name](add(filter[name]))),
      ].join(' AND ')}`
    const all = behind ? `${hits} UNION ALL ${missed()}` : hits
    const joined = behind || ofTransaction.length > 0 ? join() : ''
    return { values, matching: `SELECT hit_id, hit_at FROM (${all}) AS hits ${joined}` }
  }

  return {
    few: () => {
      // Only here: for frequent texts the planner assumes that trigrams and pieces are independent, and expects too few
      // rows.
      const { values, matching } = begin({ byPieces: true })
      return { text: `SELECT hit_id AS id FROM (${matching}) AS matching LIMIT ${FEW + 1}`, values }
    },
    count: () => {
      // For a very large number of hits, the planner may prefer to read all of the user's transactions at once.
      const { values, matching } = begin({ own: 'user_id = $1' })
      return { text: `SELECT count(*) AS total FROM (${matching}) AS matching`, values }
    },
    page: (columns: string, of: PageOf, howMany: 'many' | 'very many') => {
      const { values, matching } = begin()
      const { sql, more } = pageSql(of, values.length, TRANSACTIONS_A_PAGE, { at: 'hit_at', id: 'hit_id' })
      return {
        text: `WITH matching AS ${howMany === 'many' ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${matching})
          SELECT ${columns} FROM matching JOIN read_model.transaction ON id = hit_id AND ${IS_OWN} WHERE true ${sql}`,
        values: [...values, ...more],
      }
    },
  }
}
