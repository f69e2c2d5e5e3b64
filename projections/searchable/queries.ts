/**
 * Lists that are searched, or filtered by a rule: read from `searchable`, which the projector `search` keeps
 * (`projections/searchable/projection.ts`), joined with the transactions, so that what was deleted is gone at once and what
 * is shown is as of now.
 *
 * The planner knows about how frequent a text is: it takes the trigrams of a rare one to its rows, and looks through all rows
 * of the user for one that most have. Up to a thousand hits are found once, and that is all; its pieces take a text there
 * whose trigrams are all frequent (`domain/search-pieces.ts`). More hits are counted; a page is then sorted out of all of them
 * or, where there are very many, found by going through the newest rows until it is full.
 *
 * While the projector is behind, transactions captured since are looked through one by one. Too many of them for
 * that, and the search is refused for a while: it is never wrong, and never keeps the database busy for long.
 */
import { Refused } from '../../domain/errors.ts'
import { piecesOf } from '../../domain/search-pieces.ts'
import { foldedForSearch } from '../../domain/text.ts'
import type { Queryable } from '../engine/queryable.ts'
import type { Behind, SearchProgress } from './progress.ts'
import { pageSql, type PageOf } from '../engine/page-sql.ts'
import { CONDITIONS, filtersIn, type FilterName, type TransactionFilter } from '../transaction/filter.ts'

/** Hits that are looked up once for page and total. */
const FEW = 1_000
/** Hits that are quickly sorted. */
const SOME = 25_000
/** Transactions that are quickly looked through. */
const MOST_BEHIND = 20_000

export interface Search {
  /** @param columns  of a transaction */
  list<Row extends object>(
    columns: string,
    userId: number,
    filter: TransactionFilter,
    of: PageOf,
  ): Promise<{ rows: Row[]; total: number }>
}

/** Whether a list has to be searched for. */
export const isSearch = ({ search, rule_id }: TransactionFilter): boolean =>
  search !== undefined || rule_id !== undefined

/** `order_id` has what the text has not, which is little. */
const hasText = (pattern: string, pieces: string | null) =>
  `(text LIKE ${pattern}${pieces === null ? '' : ` AND pieces @> ${pieces}::smallint[]`} OR order_id LIKE ${pattern})`

/** What `searchable` can say beside its texts; everything else is asked of the transaction. */
const SEARCHED: { [Name in FilterName]?: (parameter: string) => string } = {
  rule_id: (value) => `rules @> ARRAY[${value}::bigint]`,
  bank_code: CONDITIONS.bank_code,
  type: CONDITIONS.type,
  source_type: CONDITIONS.source_type,
  date_from: CONDITIONS.date_from,
  date_to: CONDITIONS.date_to,
}

/** Every letter stands for itself. */
const patternOf = (folded: string): string => `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Values of a statement, named as they come. */
const parameters = (...first: unknown[]) => {
  const values = [...first]
  return { values, add: (value: unknown): string => `$${values.push(value)}` }
}

/**
 * Of a transaction that is looked up by its id, in a form that no index answers: where statistics are old, as in the minute after a
 * burst, the planner would rather go through all of the user's transactions for each hit.
 */
const IS_OWN = 'user_id IS NOT DISTINCT FROM $1'

export const openSearch = (database: Queryable, progress: SearchProgress, pageRows: number): Search => {
  const check = async (userId: number, { since }: Behind): Promise<void> => {
    const [row] = await database.query<{ number: number }>(
      `SELECT count(*) AS number FROM (SELECT FROM read_model.transaction
        WHERE user_id = $1 AND created_at >= coalesce($2::timestamptz, '-infinity') LIMIT ${MOST_BEHIND + 1}) AS newest`,
      [userId, since],
    )
    if (row!.number > MOST_BEHIND)
      throw new Refused('STORE_UNAVAILABLE', 'What is searched is being built: search again in a while.')
  }

  return {
    list: async <Row extends object>(columns: string, userId: number, filter: TransactionFilter, of: PageOf) => {
      const behind = await progress.behind()
      if (behind) await check(userId, behind)
      const statement = statementsOf(userId, filter, behind, pageRows)
      const few = statement.few()
      const found = await database.query<{ id: number }>(few.text, few.values)
      if (found.length === 0) return { rows: [], total: 0 }
      if (found.length <= FEW) {
        const ids = found.map(({ id }) => id)
        const { sql, more } = pageSql(of, 2, pageRows)
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

const statementsOf = (userId: number, filter: TransactionFilter, behind: Behind | null, pageRows: number) => {
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
    // Without a word about the transaction itself, the hits are all there is to know.
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
      // Only here: of frequent texts the planner takes trigrams and pieces for independent, and expects too few.
      const { values, matching } = begin({ byPieces: true })
      return { text: `SELECT hit_id AS id FROM (${matching}) AS matching LIMIT ${FEW + 1}`, values }
    },
    count: () => {
      // Of countless hits the planner may rather take all of the user's transactions at once.
      const { values, matching } = begin({ own: 'user_id = $1' })
      return { text: `SELECT count(*) AS total FROM (${matching}) AS matching`, values }
    },
    page: (columns: string, of: PageOf, howMany: 'many' | 'very many') => {
      const { values, matching } = begin()
      const { sql, more } = pageSql(of, values.length, pageRows, { at: 'hit_at', id: 'hit_id' })
      return {
        text: `WITH matching AS ${howMany === 'many' ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${matching})
          SELECT ${columns} FROM matching JOIN read_model.transaction ON id = hit_id AND ${IS_OWN} WHERE true ${sql}`,
        values: [...values, ...more],
      }
    },
  }
}
