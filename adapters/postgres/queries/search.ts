/**
 * Lists that are searched, or filtered by a rule: read from `searchable`, which the projector `search` keeps
 * (`projections/read-models/searchable.ts`), joined with the transactions, so that what was deleted is gone at once and what
 * is shown is as of now.
 *
 * First all hits are counted: the planner knows how frequent a text is, and takes the trigrams of a rare one to its rows, or
 * looks through all rows of the user for one that most have. The page of a few hits is sorted out of all of them; where there
 * are many, the newest rows are gone through until it is full.
 *
 * While the projector is behind, transactions captured since are looked through one by one. Too many of them for
 * that, and the search is refused for a while: it is never wrong, and never keeps the database busy for long.
 */
import { Refused } from '../../../domain/errors.ts'
import { foldedForSearch } from '../../../domain/text.ts'
import type { Queryable } from '../database.ts'
import type { Behind, SearchProgress } from '../search-progress.ts'
import { pageSql, type PageOf } from './page-sql.ts'
import { CONDITIONS, filtersIn, type FilterName, type TransactionFilter } from './transaction-filter.ts'

/** Hits that are quickly sorted. */
const FEW = 25_000
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

/** What `searchable` can say; everything else is asked of the transaction. */
const SEARCHED: { [Name in FilterName]?: (parameter: string) => string } = {
  search: (value) => `(text LIKE ${value} OR order_id LIKE ${value})`,
  rule_id: (value) => `rules @> ARRAY[${value}::bigint]`,
  bank_code: CONDITIONS.bank_code,
  type: CONDITIONS.type,
  source_type: CONDITIONS.source_type,
  date_from: CONDITIONS.date_from,
  date_to: CONDITIONS.date_to,
}

/** Every letter stands for itself. */
const patternOf = (search: string): string => `%${foldedForSearch(search).replaceAll(/[\\%_]/g, '\\$&')}%`

/** Values of a statement, named as they come. */
const parameters = (...first: unknown[]) => {
  const values = [...first]
  return { values, add: (value: unknown): string => `$${values.push(value)}` }
}

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
    list: async (columns, userId, filter, of) => {
      const behind = await progress.behind()
      if (behind) await check(userId, behind)
      const statement = statementsOf(userId, filter, behind, pageRows)
      const counting = statement.count()
      const [counted] = await database.query<{ total: number }>(counting.text, counting.values)
      const { total } = counted!
      if (total === 0) return { rows: [], total }
      const page = statement.page(columns, of, total > FEW ? 'many' : 'few')
      return { rows: await database.query(page.text, page.values), total }
    },
  }
}

const statementsOf = (userId: number, filter: TransactionFilter, behind: Behind | null, pageRows: number) => {
  const used = filtersIn(filter)
  const inSearch = used.filter((name) => SEARCHED[name])
  const ofTransaction = used.filter((name) => !SEARCHED[name])

  const begin = () => {
    const { values, add } = parameters(userId)
    const searched = inSearch.map((name) =>
      SEARCHED[name]!(add(name === 'search' ? patternOf(filter.search!) : filter[name])),
    )
    const hits = `SELECT id AS hit_id, created_at AS hit_at FROM search_model.searchable
      WHERE ${['user_id = $1', ...searched].join(' AND ')}`
    const missed = () => `SELECT id, created_at FROM read_model.transaction t
      WHERE user_id = $1 AND created_at >= coalesce(${add(behind!.since)}::timestamptz, '-infinity')
        AND ${inSearch.map((name) => CONDITIONS[name](add(filter[name]))).join(' AND ')}
        AND NOT EXISTS (SELECT FROM search_model.searchable known WHERE known.user_id = $1 AND known.id = t.id)`
    const join = () =>
      `JOIN read_model.transaction ON id = hit_id AND ${[
        'user_id = $1',
        ...ofTransaction.map((name) => CONDITIONS[name](add(filter[name]))),
      ].join(' AND ')}`
    return { values, hits: behind ? `${hits} UNION ALL ${missed()}` : hits, join }
  }

  return {
    count: () => {
      const { values, hits, join } = begin()
      // Without a word about the transaction itself, the hits are all there is to count.
      const joined = behind || ofTransaction.length > 0 ? join() : ''
      return { text: `SELECT count(*) AS total FROM (${hits}) AS hits ${joined}`, values }
    },
    page: (columns: string, of: PageOf, howMany: 'few' | 'many') => {
      const { values, hits, join } = begin()
      const joined = join()
      const { sql, more } = pageSql(of, values.length, pageRows, { at: 'hit_at', id: 'hit_id' })
      return {
        text: `WITH hits AS ${howMany === 'few' ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${hits})
          SELECT ${columns} FROM hits ${joined} WHERE true ${sql}`,
        values: [...values, ...more],
      }
    },
  }
}
