/**
 * The projector `search`: what is too dear to keep up with every notification, and may be late. Nothing but lists that are
 * searched, or filtered by a rule, asks it; `projections/searchable/queries.ts` says what they answer while it is behind.
 */
import type { Definition } from './engine/definition.ts'
import { main } from './main.ts'
import { searchable } from './searchable/projection.ts'

export const search: Definition = {
  projector: 'search',
  schema: 'search_model',
  extensions: ['pg_trgm'],
  projections: [searchable],
  // As `main`, so that both can be at one place, whatever event is the newest.
  prefixes: main.prefixes,
  // A search waits longer for it than this.
  restMs: 100,
  gatheringMs: 15_000,
  mostLateMs: 30_000,
}
