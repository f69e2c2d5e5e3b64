/** A change as an event tells it: fields it does not name (undefined) stay as they are. */
import type { Changes, Values } from './definition.ts'

export const said = (fields: Values): Changes =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Changes
