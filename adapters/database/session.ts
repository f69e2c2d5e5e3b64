// Tests: tests/integration/adapters/session.test.ts
/**
 * The settings with which every session begins. A server, a database and a role may each have other defaults, so nothing here
 * depends on them.
 *
 * They are set by a statement after connecting, and not by startup options, because poolers and some managed servers refuse
 * startup options.
 */
import type pg from 'pg'
import { answered, ANSWERS_WITHIN_MS, refuseMixedSessions, type Opener } from './pooler.ts'

/** Settings that change what statements mean, what they return or how long they may take. */
const SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  // The client has its own time limits. Migrations and replays may take long, and idle connections are kept.
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  exit_on_error: 'off',
  // All names have their schema, except those of extensions.
  search_path: 'public',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  row_security: 'on',
  // Otherwise a search could leave out rows.
  gin_fuzzy_search_limit: '0',
  // As in the embedded server: the disk is assumed to be an SSD.
  random_page_cost: '1.1',
}

/** Other settings of the planner get their built-in values, so that plans are those that were tested. This one describes the machine. */
const OPERATORS = 'effective_cache_size'

const values = Object.entries(SETTINGS).map(([name, value]) => `('${name}', '${value}')`)

/**
 * The first two statements come first, so that the third runs without a time limit and without `jit`. Statements are short, so
 * compiling one takes longer than running it. Commits must wait for the disk. An operator may want more, such as waiting for a
 * replica, but not less. Settings that a server does not know are left out. Where its system can check connections, the server ends a
 * statement whose client is gone: a query that was given up, or one of a process that was killed.
 */
const BEGIN_SESSION = `
SET statement_timeout = 0;
SET jit = off;
SELECT pg_catalog.set_config(s.name, coalesce(ours.value, s.boot_val), false)
FROM pg_catalog.pg_settings s LEFT JOIN (VALUES ${values.join(', ')}) AS ours (name, value) USING (name)
WHERE s.context = 'user' AND s.setting <> coalesce(ours.value, s.boot_val)
  AND (ours.value IS NOT NULL OR (s.category LIKE 'Query Tuning%' AND s.name NOT IN ('jit', '${OPERATORS}')));
SELECT pg_catalog.set_config('synchronous_commit', 'on', false)
WHERE pg_catalog.current_setting('synchronous_commit') = 'off';
SELECT pg_catalog.set_config('client_connection_check_interval', '1s', false)
WHERE pg_catalog.version() ~ 'linux|darwin';
SELECT pg_catalog.pg_backend_pid() AS pid`

const SESSION = { text: BEGIN_SESSION, query_timeout: ANSWERS_WITHIN_MS }

/**
 * Sessions whose statements are prepared once and find rows by key from a few arrays. Without these settings, a plan that was
 * made while the tables were small, and that reads whole tables, would stay as long as the connection.
 */
export const BY_KEY = `SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`

/**
 * @param open  opens one more connection, to find out whether a pooler keeps sessions apart. The first connection is checked.
 * @returns a function that prepares a new connection and returns the process id of its session. It throws {MixedSessions}.
 */
export const sessionBeginner = (open: Opener): ((client: pg.ClientBase) => Promise<number>) => {
  let checked: Promise<void> | null = null
  return async (client) => {
    checked ??= refuseMixedSessions(client, open)
    await checked.catch((error: unknown) => {
      checked = null
      throw error
    })
    // The driver returns an array for several statements, which its types do not say.
    const results = (await answered(client.query(SESSION))) as unknown as pg.QueryResult<{ pid: number }>[]
    return results.at(-1)!.rows[0]!.pid
  }
}
