// Tests: tests/integration/http/webhooks.test.ts
import type { Ids } from '../../domain/ports.ts'

/** @returns one new id · @throws {StoreUnavailable} if ids must be reserved first, and the store is away */
export const nextId = async (ids: Ids): Promise<number> => {
  const [id] = await ids.next(1)
  return id!
}
