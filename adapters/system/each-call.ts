// Tests: tests/unit/adapters/event-store/circuit-breaker.test.ts
import type { EventStore } from '../../domain/ports.ts'

/** The same store, whose calls to the server are made by `make`. */
export const eachCall = (
  store: EventStore,
  make: <Result>(call: () => Promise<Result>) => Promise<Result>,
): EventStore => ({
  ...store,
  append: (units) => make(() => store.append(units)),
  read: (slices) => make(() => store.read(slices)),
  readAll: (...asked) => make(() => store.readAll(...asked)),
  end: () => make(() => store.end()),
})
