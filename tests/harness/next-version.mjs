/**
 * Runs Baoco as if it were its next version: the read models are one generation further, and transactions have one more column. Everything
 * else is the same. It is started as a bundle: `nextVersion`.
 */
const { MAIN_GENERATIONS, SEARCH_GENERATIONS } = await import('../../projections/generations.ts')
MAIN_GENERATIONS.push('of the next version')
SEARCH_GENERATIONS.push('of the next version')
const { transactionTable } = await import('../../projections/transaction/projection.ts')
transactionTable.columns.added_in_the_next_version = 'text'
await import('../../cmd/baoco.ts')
