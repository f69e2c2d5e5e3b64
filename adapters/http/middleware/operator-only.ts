// Tests: tests/integration/openapi/authorisation.test.ts
import { Refused } from '../../../domain/errors.ts'
import type { Guard } from './guard.ts'

/** Runs after `signedIn`. Answers 404 to everybody except the operator. @throws {Refused} NOT_FOUND */
export const operatorOnly: Guard = {
  step: (context, next) => {
    if (!context.state.account.operator) throw new Refused('NOT_FOUND', 'This address does not exist.')
    return next()
  },
  operatorOnly: true,
  refuses: ['NOT_FOUND'],
}
