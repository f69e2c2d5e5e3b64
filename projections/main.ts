/** The projector `main`: all that an answer of the API or a delivery needs. */
import type { Definition } from './definition.ts'
import { account } from './read-models/account.ts'
import { attempt } from './read-models/attempt.ts'
import { delivery } from './read-models/delivery.ts'
import { rule } from './read-models/rule.ts'
import { system } from './read-models/system.ts'
import { transaction } from './read-models/transaction.ts'

export const main: Definition = {
  projector: 'main',
  projections: [account, system, rule, transaction, attempt, delivery],
  prefixes: ['account-', 'transaction-'],
}
