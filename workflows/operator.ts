// Tests: tests/chaos/store-went-back.test.ts
/** The account of the operator: the first one of the installation. */
import { FIRST_ACCOUNT_STREAM, firstAccountEvents } from '../domain/account/email-claim.ts'
import type { EventStore } from '../domain/ports.ts'

/** @returns null if there is none yet */
export const operatorOf = async (store: Pick<EventStore, 'read'>): Promise<number | null> => {
  const [[first] = []] = await store.read([{ stream: FIRST_ACCOUNT_STREAM, limit: 1 }])
  return first ? firstAccountEvents.FirstAccountClaimed.parse(first.data).user_id : null
}
