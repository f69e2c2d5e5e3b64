/** The type of the tables that fold an account's events. */
import type { AccountEvent, AccountEventData } from '../events.ts'
import type { Account } from '../state.ts'

/** One function per event: the account after it. `at` is when the event was decided, ISO 8601; null where it does not say. */
export type Handlers<Types extends AccountEvent['type']> = {
  readonly [Type in Types]: (account: Account, data: AccountEventData[Type], at: string | null) => Account | null
}
