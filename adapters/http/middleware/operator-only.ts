import { Refused } from '../../../domain/errors.ts'
import type { Part } from '../openapi/operation.ts'

/** Stands behind `signedIn`. For others than the operator there is nothing here. @throws {Refused} NOT_FOUND */
export const operatorOnly: Part = {
  step: (context, next) => {
    if (!context.state.account.operator) throw new Refused('NOT_FOUND', 'This address does not exist.')
    return next()
  },
  operatorOnly: true,
  refuses: ['NOT_FOUND'],
}
