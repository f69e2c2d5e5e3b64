// Tests: tests/integration/bundle.test.ts
/** An error that ends the process shows positions in our sources. A module may fail while it loads, so this one loads before all others. */
import { showSources } from '../adapters/system/source-positions.ts'

showSources()
