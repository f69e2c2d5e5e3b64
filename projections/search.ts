// Tests: tests/integration/projections/search.test.ts
/**
 * The projector `search`: data that is too expensive to update with every notification, and that may be late. Only
 * lists that are searched, or filtered by a rule, read it. `projections/searchable/queries.ts` describes their answers
 * while it is behind.
 */
import type { Definition } from './engine/definition.ts'
import { parked } from './engine/parked-table.ts'
import { SEARCH_GENERATIONS } from './generations.ts'
import { main } from './main.ts'
import { searchable } from './searchable/projection.ts'

export const search: Definition = {
  projector: 'search',
  generation: SEARCH_GENERATIONS.length,
  keptFor: main.keptFor,
  schema: 'search_model',
  extensions: ['pg_trgm'],
  projections: [searchable, parked],
  // The same as for `main`, so that both can reach the same position, whatever event is the newest.
  prefixes: main.prefixes,
  // A search waits longer than this for it.
  restMs: 100,
  canWait: () => false,
  heldBackMs: { few: 0, many: 0 },
  gatheringMs: 15_000,
  mostLateMs: 30_000,
}
