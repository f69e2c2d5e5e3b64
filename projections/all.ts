// Tests: tests/integration/golden-tables.test.ts
/** All projectors, each with its own subscription and checkpoint. To add one, add it to this list. */
import type { Definition } from './engine/definition.ts'
import { mainWith, type MainSettings } from './main.ts'
import { search } from './search.ts'

export const projectors = (settings: MainSettings): readonly Definition[] => {
  const main = mainWith(settings)
  const { keptFor } = main
  // A search ends the wait.
  return [main, { ...search, keptFor, ...(settings.isReadHere && { restMs: 1_000 }) }]
}
