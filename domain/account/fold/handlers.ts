// Tests: tests/unit/domain/account/rules.test.ts
/** The type of the tables that fold an account's events. */
import type { AccountEvent, AccountEventData } from '../events.ts'
import type { Account } from '../state.ts'

/** One function per event. It returns the account after the event. `at` is the time of the decision, ISO 8601. Null if unknown. */
export type Handlers<Types extends AccountEvent['type']> = {
  readonly [Type in Types]: (account: Account, data: AccountEventData[Type], at: string | null) => Account | null
}
