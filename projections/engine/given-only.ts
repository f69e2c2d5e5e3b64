// Tests: tests/integration/projections/projector.test.ts
/** The changes that an event names. Fields that it does not name (undefined) keep their values. */
import type { Changes, Values } from './definition.ts'

export const givenOnly = (fields: Values): Changes =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Changes
